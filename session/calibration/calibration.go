// Package calibration predicts the tokens that a server will count for a request, by what it counted for
// others, and finds the counts that are of a part of a request only. It is pure statistics: it stores nothing
// and asks nobody.
package calibration

import (
	"cmp"
	"math"
	"slices"
)

// The rule by which a count that a server reports is judged. Deviations are those of an expectation.
const (
	goodSamples    = 2    // counts of whole requests after which the expectation is trusted
	firstShare     = 0.5  // before that, a count is of a part below this share of the expectation
	firstDeviation = 2.3  // and by so many deviations
	wholeShare     = 0.95 // of the expectation; no larger count is called one of a part
	cutDeviation   = 1.6  // fewer are never called a cut
	learnDeviation = 1.2  // a count that is fewer below what two others make of it is learned
	cutOdds        = 0.05 // odds of a cut from which it is said: it is rare, and costs more if it is not said
	doubtOdds      = 0.02 // and from which nothing is learned
	doubtMax       = 0.7  // how much one doubtful count makes of the next one

	windowUnknown = 0.3   // the probability that a server has a window below a request larger than all before
	windowChanged = 0.002 // the probability that a server reads less than it did
	fullMin       = 0.93  // of a window; a server that drops whole messages mostly fills it as much
	fullMax       = 1.02
	fullDeviation = 0.985 // of the expectation; a count above it is not suspicious even if the window is full

	limitShare     = 0.9  // of the limit is planned for
	limitFull      = 0.92 // of the limit; nothing is learned from a count above it
	limitDeviation = 2.0  // a request should fit the limit if it costs so much more than expected
	limitLeast     = 2048 // tokens; no limit after a cut is lower
	maxAlarms      = 3    // in a row, before the rule is taken to be wrong instead of the server

	// Kept is by how many whole requests the next ones are expected.
	Kept = 12

	ratioWeight = 0.3 // of a new sample in the moving average
	ratioFall   = 0.9 // the ratio falls by a tenth at most with each sample
	ratioRise   = 1.1 // and rises by a tenth where a request was to be smaller than it is
	ratioMin    = 0.5
	ratioMax    = 16.0

	// Least is the size of a request, in our tokens, below which a count of it says too little.
	Least = 200

	exactly = 0.001 // the share of what was expected that an exact count may be off for nothing to change
)

// Calibration relates the tokens that a server reports for its prompts to our own count of them, and
// finds the reports that are of a part of a request only: some servers drop what does not fit their
// context window and say nothing. It belongs to one conversation with one model. It does no I/O.
type Calibration struct {
	Ratio   float64 // the server's tokens for each of ours; 0 is not known yet
	Samples int     // reports that Ratio comes from
	Largest int     // the largest report of a whole request

	good    int       // whole requests of this conversation
	counted []sample  // the last of them
	unsure  *doubt    // the last report, where it may have been of a part
	alarm   *cutAlarm // the newest cut, until the next report confirms or disproves it
	limit   int       // the most tokens of a request until the server states its window; 0 is none
}

// Report is a request and what the server reported for it.
type Report struct {
	Parts    []Part
	Reported int
	Limited  bool // it was planned under the limit that a cut left behind
}

// doubt is a report that may have been of a part of a request, with the probability of that.
type doubt struct {
	sample
	probability float64
}

// cutAlarm is a cut that the next report may disprove.
type cutAlarm struct {
	sample
	again int // alarms in a row before this one
}

// Finding is what a report says.
type Finding int

// The findings.
const (
	Nothing   Finding = iota // the request is too small, or the server reported nothing
	Whole                    // the whole request was counted
	Doubtful                 // too little to learn from, and not little enough to say so
	Cut                      // a part of the request was not read
	Disproved                // the last cut was none: the tokenizer counts less than it did
)

// Judgement is a finding with what the server was expected to report.
type Judgement struct {
	Finding
	Expected int
}

// Judge takes a report into account.
func (c *Calibration) Judge(r Report) Judgement {
	if r.Reported <= 0 || r.estimate() < Least {
		return Judgement{Finding: Nothing}
	}
	s := newSample(r.Parts, r.Reported)
	e := c.expect(s, c.counted)
	j := Judgement{Whole, int(e.tokens)}
	odds, unsure := c.oddsOfCut(s, e), c.unsure
	c.unsure = nil
	switch {
	case r.Limited && odds > doubtOdds && c.isDisproved(s):
		j.Finding = Disproved
		c.withdraw(s)
	case c.isCut(s, e, odds):
		j.Finding = Cut
		c.raiseAlarm(r, s, e)
	case r.Limited && s.count > limitFull*float64(c.limit):
		// It was planned to be smaller: the ratio is too small, and a part may have been dropped.
		j.Finding = Doubtful
		c.Ratio = clampRatio(c.Ratio * ratioRise)
	case c.isFull(s, e), odds > doubtOdds && (unsure == nil || !c.follows(s, *unsure)):
		j.Finding = Doubtful
		c.unsure = &doubt{s, min(odds/(1+odds), doubtMax)}
	default:
		c.alarm = nil
		if unsure != nil && e.below(s.count) > learnDeviation {
			c.learn(unsure.sample)
		}
		c.learn(s)
	}
	return j
}

// oddsOfCut are the odds that a count is of a part of a request, by Bayes' rule: the probability that the
// request was larger than the window, and how likely the count is in either case.
func (c *Calibration) oddsOfCut(s sample, e expectation) float64 {
	if s.count > wholeShare*e.tokens {
		return 0
	}
	window, tooLarge := float64(c.limit), 1.0
	if c.limit == 0 {
		window, tooLarge = float64(c.Largest), windowUnknown
	}
	full := window
	if c.unsure != nil {
		full = max(full, c.unsure.count)
		tooLarge = max(tooLarge, c.unsure.probability)
	}
	tooLarge = max(tooLarge*normal(e.below(window)), windowChanged)

	z := e.below(s.count)
	step := (e.at(z-0.1) - e.at(z+0.1)) / 0.2 // tokens in a deviation
	whole := studentT(z) / step
	part := 0.5 / max(window, e.tokens)
	if s.count > fullMin*full && s.count < fullMax*full {
		part += 0.5 / ((fullMax - fullMin) * full)
	}
	return tooLarge * part / ((1 - tooLarge) * whole)
}

// normal is the probability that a variable with the standard normal distribution is below z.
func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// studentT is the density of Student's distribution with four degrees of freedom: large deviations are not as
// rare as the normal distribution has them.
func studentT(z float64) float64 { return 0.375 * math.Pow(1+z*z/4, -2.5) }

// isTrusted says that enough was counted to expect something.
func (c *Calibration) isTrusted() bool { return max(c.Samples, c.good) >= goodSamples }

func (c *Calibration) isCut(s sample, e expectation, odds float64) bool {
	short := e.below(s.count)
	if !c.isTrusted() {
		return s.count < firstShare*e.tokens && short > firstDeviation
	}
	return short > cutDeviation && odds > cutOdds
}

// isDisproved says that there was no cut the last time: this request was made to fit, its count is too small
// as well, and what is expected if the last one was of a whole request.
func (c *Calibration) isDisproved(s sample) bool {
	if c.alarm == nil {
		return false
	}
	if share := s.count / c.alarm.count; share > 0.96 && share < fullMax {
		return false // The same window may have been filled again.
	}
	e := c.expect(s, []sample{c.alarm.sample})
	return c.alarm.again >= maxAlarms || e.below(s.count) < learnDeviation && s.count < 1.25*e.tokens
}

// isFull says that a request was larger than any that is known to fit, and that the count is what a server
// reports that has filled its window.
func (c *Calibration) isFull(s sample, e expectation) bool {
	window := float64(max(c.limit, c.Largest))
	return e.tokens > window && s.count > fullMin*window && s.count < min(fullMax*window, fullDeviation*e.tokens)
}

// follows says that a count is what is expected if an unsure one before it was of a whole request.
func (c *Calibration) follows(s sample, unsure doubt) bool {
	return c.expect(s, append(slices.Clone(c.counted), unsure.sample)).below(s.count) <= learnDeviation
}

// raiseAlarm notes a cut. Until the server states its window, no request is larger than what it has read.
func (c *Calibration) raiseAlarm(r Report, s sample, e expectation) {
	if r.Limited {
		c.Largest = 0 // A request within it was cut, so the server runs with a smaller window now.
	}
	again := 0
	if c.alarm != nil {
		again = c.alarm.again + 1
	}
	c.limit = max(r.Reported, c.Largest, limitLeast)
	c.alarm = &cutAlarm{s, again}
	c.Ratio = clampRatio(max(c.Ratio, e.ratio))
}

// Resume goes on under the limit of the conversation's newest request, 0 for none, after it was opened again.
func (c *Calibration) Resume(limit int) { c.limit = limit }

// ResumeCut goes on after the conversation's newest request was cut, where it is opened again.
func (c *Calibration) ResumeCut(r Report) {
	c.limit = max(r.Reported, c.Largest, limitLeast)
	c.alarm = &cutAlarm{sample: newSample(r.Parts, r.Reported)}
}

// Refused takes what a server says of the tokens of a request that it refused, atLeast where it may be more, and
// our count of it. A number far below ours is no count of this request.
func (c *Calibration) Refused(tokens, estimate int, atLeast bool) {
	ratio := min(ratioMax, float64(tokens)/float64(max(1, estimate)))
	if ratio >= ratioMin && (!atLeast || ratio > c.Scale()) {
		c.Ratio = ratio
	}
}

// Exact takes the server's own count of a request before it is sent, and our count of it. It says whether that is
// not what was expected.
func (c *Calibration) Exact(tokens, estimate int) (news bool) {
	ratio, before := clampRatio(float64(tokens)/float64(estimate)), c.Scale()
	if math.Abs(ratio-before) <= exactly*before {
		return false
	}
	c.Ratio = ratio
	return true
}

// Scale is the server's tokens for each of ours, 1 before it reported any.
func (c *Calibration) Scale() float64 { return cmp.Or(c.Ratio, 1) }

// Keep remembers an earlier report of a whole request, to expect the next ones by.
func (c *Calibration) Keep(r Report) { c.keep(newSample(r.Parts, r.Reported)) }

// learn takes the report of a whole request.
func (c *Calibration) learn(s sample) {
	c.keep(s)
	c.Largest = max(c.Largest, int(s.count))
	ratio := s.count / s.text()
	if s.images > 0 {
		ratio = c.expect(s, c.counted).ratio
	}
	if c.Samples > 0 {
		ratio = max(c.Ratio*ratioFall, (1-ratioWeight)*c.Ratio+ratioWeight*ratio)
	}
	c.Ratio, c.Samples = clampRatio(ratio), c.Samples+1
}

func (c *Calibration) keep(s sample) {
	c.good++
	c.counted = append(c.counted, s)
	c.counted = c.counted[max(0, len(c.counted)-Kept):]
}

// withdraw undoes the last alarm: the server counts less than it did, for whole requests too.
func (c *Calibration) withdraw(s sample) {
	c.counted = nil
	c.keep(c.alarm.sample)
	c.keep(s)
	c.Largest = max(c.Largest, int(c.alarm.count), int(s.count))
	c.Ratio, c.Samples = clampRatio(c.expect(s, c.counted).ratio), c.Samples+2
	c.Lift()
}

// Limit is the most tokens that the server read of a request that it cut, until it states its window; 0 where
// it cut none.
func (c *Calibration) Limit() int { return c.limit }

// Budget is the most tokens to plan for, 0 where nothing limits that.
func (c *Calibration) Budget() int { return int(limitShare * float64(c.limit)) }

// OverLimit is by which factor a request may be larger than the limit: by more than 1 where it holds much text of a
// kind that was hardly counted yet.
func (c *Calibration) OverLimit(parts []Part) float64 {
	if c.limit == 0 || len(c.counted) == 0 {
		return 0
	}
	return c.expect(newSample(parts, 0), c.counted).at(-limitDeviation) / float64(c.limit)
}

// Lift ends the limit: the server has stated its window.
func (c *Calibration) Lift() { c.limit, c.alarm = 0, nil }

// expect is what the server will report for a request, by earlier reports of whole ones.
func (c *Calibration) expect(s sample, counted []sample) expectation {
	return fit(counted, c.Scale(), s).expect(s)
}

// estimate is our count of the request without its images.
func (r Report) estimate() (tokens int) {
	for _, p := range r.Parts {
		tokens += p.tokens
	}
	return tokens
}

func clampRatio(r float64) float64 { return min(max(r, ratioMin), ratioMax) }
