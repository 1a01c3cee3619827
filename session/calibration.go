package session

import "slices"

// The rule by which a count that a server reports is judged.
const (
	goodSamples  = 2   // counts of whole requests after which the expectation is trusted
	cutShare     = 0.8 // a count below this share of what was expected is of a part of the request
	firstShare   = 0.5 // the same before the expectation is trusted
	leastRatio   = 0.4 // no tokenizer counts less than this for each of our tokens
	leastKnown   = 0.6 // nor less than this of what it counted least in texts of the same kind
	kindShare    = 0.85
	kindFrom     = 60
	mostKnown    = 1.5
	keptReports  = 8
	keptDoubtful = 2
	sameShare    = 0.15
	limitShare   = 0.9  // of the limit is planned for
	fullShare    = 0.95 // of the limit; a report above it may be of a part
	limitLeast   = 2048 // tokens; no limit after a cut is lower

	ratioWeight = 0.3 // of a new sample in the moving average
	ratioFall   = 0.9 // the ratio falls by a tenth at most with each sample
	ratioMin    = 0.5
	ratioMax    = 16.0
	ratioFrom   = 200 // our tokens; a smaller request says too little
)

// calibration relates the tokens that a server reports for its prompts to our own count of them, and
// finds the reports that are of a part of a request only: some servers drop what does not fit their
// context window and say nothing. It belongs to one conversation with one model. It does no I/O.
type calibration struct {
	ratio   float64 // the server's tokens for each of ours; 0 is not known yet
	samples int     // reports that ratio comes from
	largest int     // the largest report of a whole request

	kinds   map[textKind]kindRatio
	good    int          // whole requests of this conversation, with images too
	reports []pastReport // the last ones
	alarm   *cutAlarm    // the newest cut, until the next report confirms or disproves it
	limit   int          // the most tokens of a request until the server states its window; 0 is none
}

// partKey identifies a part of a request: a message, and how much of it was sent. Message 0 is what
// stands around the messages, such as the system prompt and the tools.
type partKey struct {
	message int64
	tokens  int
}

// part is a piece of a request whose tokens are counted as one.
type part struct {
	partKey
	kind  textKind
	image bool // it holds images, whose tokens only the server knows
}

// tokenReport is a request and what the server reported for it.
type tokenReport struct {
	parts    []part
	reported int
	limited  bool // it was planned under the limit that a cut left behind
}

// pastReport is a report that later ones are compared with.
type pastReport struct {
	tokenReport
	whole   bool // the whole request was read; else the report is the least that it has
	average float64
}

// cutAlarm is a cut that the next report may disprove.
type cutAlarm struct {
	share  float64 // reported of what was expected
	again  int     // alarms in a row before this one
	ratios []float64
}

// kindRatio is what the server counts for each of our tokens in texts of one kind.
type kindRatio struct{ mean, least, most float64 }

// finding is what a report says.
type finding int

const (
	findNothing  finding = iota // the request is too small, or the server reported nothing
	findWhole                   // the whole request was counted
	findDoubtful                // too little to learn from, and not little enough to say so
	findCut                     // a part of the request was not read
	findFalse                   // the last cut was none: the tokenizer counts less than it did
)

// judgement is a finding with what the server was expected to report.
type judgement struct {
	finding
	expected int
}

// judge takes a report into account.
func (c *calibration) judge(r tokenReport) judgement {
	estimate, images := r.estimate()
	if r.reported <= 0 || estimate < ratioFrom {
		return judgement{finding: findNothing}
	}
	expected, floor := c.expect(r.parts)
	j := judgement{findWhole, int(expected)}
	ratio := float64(r.reported) / float64(estimate)
	share := float64(r.reported) / expected
	impossible := float64(r.reported) < floor
	short := share < cutShare
	if max(c.samples, c.good) < goodSamples {
		short = share < firstShare
	}
	switch {
	case short && c.alarm != nil && r.limited && j.expected <= c.limit && (similar(share, c.alarm.share) || c.alarm.again >= 2):
		j.finding = findFalse
		c.withdraw(r, append(c.alarm.ratios, ratio), images)
		return j
	case short && impossible:
		j.finding = findCut
		if r.limited {
			c.largest = 0 // A request within it was cut, so the server runs with a smaller window now.
		}
		c.limit = max(r.reported, c.largest, limitLeast)
		again := 0
		if c.alarm != nil {
			again = c.alarm.again + 1
		}
		c.alarm = &cutAlarm{share: share, again: again}
		c.keep(r, false)
		if !images {
			c.alarm.ratios = []float64{ratio}
		}
		return j
	case impossible || r.limited && float64(r.reported) > fullShare*float64(c.limit):
		// A server that drops whole messages always reports a little less than its window, however large
		// the request was. A ratio that is too small would stay so.
		j.finding = findDoubtful
		c.keep(r, false)
		if r.limited && !images {
			c.ratio = clampRatio(c.ratio * (2 - ratioFall))
		}
		return j
	}
	c.alarm = nil
	c.learn(r, ratio, images)
	return j
}

// learn takes the report of a whole request.
func (c *calibration) learn(r tokenReport, ratio float64, images bool) {
	c.largest, c.good = max(c.largest, r.reported), c.good+1
	rest, tokens := c.keep(r, true)
	if images {
		// What an image costs is not known, but the text that came since may be counted without one.
		if tokens < kindFrom {
			return
		}
		ratio = float64(rest) / float64(tokens)
	}
	if c.samples > 0 {
		ratio = max(c.ratio*ratioFall, (1-ratioWeight)*c.ratio+ratioWeight*ratio)
	}
	c.ratio, c.samples = clampRatio(ratio), c.samples+1
}

// withdraw undoes the last alarm: the server counts less than it did, for whole requests too.
func (c *calibration) withdraw(r tokenReport, ratios []float64, images bool) {
	sum := 0.0
	for _, ratio := range ratios {
		sum += ratio
	}
	c.alarm, c.limit, c.reports, c.kinds = nil, 0, nil, nil
	c.largest = max(c.largest, r.reported)
	c.keep(r, true)
	if !images {
		c.ratio, c.samples = clampRatio(sum/float64(len(ratios))), c.samples+len(ratios)
	}
}

// room is the most tokens to plan for, 0 where nothing limits that.
func (c *calibration) room() int { return int(limitShare * float64(c.limit)) }

// lift ends the limit: the server has stated its window.
func (c *calibration) lift() { c.limit, c.alarm = 0, nil }

// expect is what the server will report for a request with these parts, and the least that it can
// report if it reads all of them.
func (c *calibration) expect(parts []part) (expected, floor float64) {
	byRatio := 0.0
	for _, p := range parts {
		if !p.image {
			mean, least, _ := c.ratiosOf(p.kind)
			expected += mean * float64(p.tokens)
			floor += least * float64(p.tokens)
			byRatio += known(c.ratio) * float64(p.tokens)
		}
	}
	expected = max(expected, byRatio)
	for _, r := range c.reports {
		e, f := c.from(r, parts)
		floor = max(floor, f)
		if r.whole {
			expected = max(expected, e)
		}
	}
	return max(expected, floor), floor
}

// from is what an earlier report says of a request: what it counted, without the parts that are missing
// now and with those that are new.
func (c *calibration) from(r pastReport, parts []part) (expected, floor float64) {
	expected, floor = float64(r.reported), float64(r.reported)
	now := partsOf(parts)
	for _, p := range r.parts {
		if _, there := now[p.partKey]; there {
			continue
		}
		if p.image {
			return 0, 0
		}
		mean, _, most := c.ratiosOf(p.kind)
		if most == 0 {
			most = 2 * r.average
		}
		most = max(most, 1.25*r.average)
		expected -= mean * float64(p.tokens)
		floor -= most * float64(p.tokens)
	}
	then := partsOf(r.parts)
	for _, p := range parts {
		if _, there := then[p.partKey]; there || p.image {
			continue
		}
		mean, least, _ := c.ratiosOf(p.kind)
		expected += mean * float64(p.tokens)
		floor += least * float64(p.tokens)
	}
	return expected, floor
}

// ratiosOf is what the server counts for each of our tokens of a kind of text: as a rule, at least, and at
// most; 0 where that is not known.
func (c *calibration) ratiosOf(kind textKind) (mean, least, most float64) {
	if of, ok := c.kinds[kind]; ok {
		return of.mean, max(leastRatio, leastKnown*of.least), mostKnown * of.most
	}
	return known(c.ratio), leastRatio, 0
}

// keep remembers a report, and learns what it says of the kinds of its text.
func (c *calibration) keep(r tokenReport, whole bool) (reported, tokens int) {
	if whole {
		if n := len(c.reports); n > 0 && c.reports[n-1].whole {
			reported, tokens = c.learnKind(c.reports[n-1], r)
		} else if n == 0 {
			reported, tokens = c.learnKind(pastReport{}, r)
		}
	}
	all, _ := r.estimate()
	c.reports = append(c.reports, pastReport{r, whole, float64(r.reported) / float64(all)})
	// Reports of parts tell less.
	n, most := 0, keptReports
	if !whole {
		most = keptDoubtful
	}
	for i := len(c.reports) - 1; i >= 0; i-- {
		if c.reports[i].whole == whole {
			n++
		}
		if n > most {
			c.reports = slices.Delete(c.reports, i, i+1)
			break
		}
	}
	return reported, tokens
}

// learnKind takes what came since an earlier report into account, where nothing of that is missing and nearly
// all that is new is of one kind. It returns what the server counts for it and what we do.
func (c *calibration) learnKind(before pastReport, r tokenReport) (reported, all int) {
	then, now := partsOf(before.parts), partsOf(r.parts)
	missing := 0.0
	for _, p := range before.parts {
		if _, there := now[p.partKey]; !there {
			mean, _, _ := c.ratiosOf(p.kind)
			missing += mean * float64(p.tokens)
			if p.image {
				return 0, 0
			}
		}
	}
	tokens := map[textKind]int{}
	for _, p := range r.parts {
		if _, there := then[p.partKey]; there {
			continue
		}
		if p.image {
			return 0, 0
		}
		tokens[p.kind] += p.tokens
		all += p.tokens
	}
	rest := r.reported - before.reported + int(missing)
	if rest <= 0 || missing > float64(rest)/4 {
		return 0, 0
	}
	for kind, n := range tokens {
		if all < kindFrom || float64(n) < kindShare*float64(all) {
			continue
		}
		ratio := float64(rest) / float64(all)
		of, ok := c.kinds[kind]
		if !ok {
			of = kindRatio{ratio, ratio, ratio}
		}
		of.mean += ratioWeight * (ratio - of.mean)
		of.least, of.most = min(of.least, ratio), max(of.most, ratio)
		if c.kinds == nil {
			c.kinds = map[textKind]kindRatio{}
		}
		c.kinds[kind] = of
	}
	return rest, all
}

func partsOf(parts []part) map[partKey]part {
	of := make(map[partKey]part, len(parts))
	for _, p := range parts {
		of[p.partKey] = p
	}
	return of
}

// estimate is our count of the request without its images, and whether it has any.
func (r tokenReport) estimate() (tokens int, images bool) {
	for _, p := range r.parts {
		if p.image {
			images = true
			continue
		}
		tokens += p.tokens
	}
	return tokens, images
}

func similar(a, b float64) bool { return a <= b*(1+sameShare) && a >= b*(1-sameShare) }

func clampRatio(r float64) float64 { return min(max(r, ratioMin), ratioMax) }

// known is a ratio that may not have been learned yet.
func known(ratio float64) float64 {
	if ratio == 0 {
		return 1
	}
	return ratio
}

// textKind is a kind of text that a tokenizer may count differently from others.
type textKind int
