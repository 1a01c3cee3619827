package history

import (
	"slices"
	"strings"
	"unicode/utf8"

	"winnow/history/cause"
	"winnow/history/message"
)

// detail is how much of a candidate a request holds, in rising order.
type detail uint8

const (
	out      detail = iota
	short           // at the limits of the policy
	brief           // the same, but answers that are not long stay whole
	headTail        // the newest turn where it is too long to stay whole: head and tail
	whole
)

func (d detail) level() Level { return [...]Level{Out, Shortened, Brief, Shortened, Whole}[d] }

// rendering is a candidate's text at a detail level, with what it costs beside its frame.
type rendering struct {
	shortened
	tokens int
	chars  int    // code points of the original that are sent
	length int    // code points of what is sent
	cause  *Cause // why it is cut, nil where it is whole
	parts  []Part // the parts that are sent, with a note in the place of each image that is not
	cuts   []Range
	insert []Insert // what is in the place of the cut
	held   int      // tokens that the choice sets aside for it, where they are more than tokens
}

// more reports whether a rendering shows more of a message than another of it.
func (f rendering) more(than rendering) bool {
	return f.chars > than.chars || images(f.parts) > images(than.parts)
}

// price is what the choice pays for a rendering.
func (f rendering) price() int { return max(f.tokens, f.held) }

// limits is what of a policy decides a shortened text.
type limits struct {
	user, assistant, tool       int
	marker                      string
	userSuffix, assistantSuffix string
	classic, imageNotes         bool
}

func limitsOf(p Policy) limits {
	return limits{p.UserMaxChars, p.AssistantMaxChars, p.ToolMaxChars, p.Marker, p.UserSuffix, p.AssistantSuffix, p.Preset == "classic", p.ImageNotes}
}

// allows reports whether a candidate stays whole at these limits.
func (l limits) allows(v *candidate) bool {
	if l.imageNotes && v.image {
		return false
	}
	switch v.kind() {
	case User:
		return v.chars <= l.user
	case Assistant:
		return v.chars <= l.assistant
	case Tool:
		return v.chars <= l.tool
	}
	return true
}

// maxRendered is how many policies' shortened texts are remembered at a time.
const maxRendered = 4

// renderingsFor are the remembered shortened texts of a policy, by candidate.
func (t *thread) renderingsFor(p Policy) map[int]*rendering {
	l := limitsOf(p)
	if _, known := t.renderings[l]; !known && len(t.renderings) >= maxRendered {
		clear(t.renderings)
	}
	if t.renderings == nil {
		t.renderings = map[limits]map[int]*rendering{}
	}
	if t.renderings[l] == nil {
		t.renderings[l] = map[int]*rendering{}
	}
	return t.renderings[l]
}

// rendering is candidate i at a detail level.
func (b *chooser) rendering(i int, d detail) rendering {
	v := &b.candidates[i]
	switch {
	case d == out:
		return rendering{}
	case d == headTail:
		if f := b.headsAndTails()[i-b.last.from]; f != nil {
			return *f
		}
	case d == brief && v.kind() == Assistant && v.chars <= b.o.Policy.AssistantRecallChars:
	case d <= brief && !b.limits.allows(v):
		if known := b.renderings[i]; known != nil {
			return *known
		}
		said := b.t.full(i)
		f := renderingOf(&said, b.shorten(&said), b.c.count)
		code, limit := b.limitOf(v)
		f.cause = f.causeOfCut(&said, code, limit)
		if b.limits.imageNotes {
			f = b.withNotes(f, &said)
		}
		b.renderings[i] = &f
		return f
	}
	return b.t.wholeOf(v)
}

// wholeOf is all of a candidate. Its text is the message's.
func (t *thread) wholeOf(v *candidate) rendering { return wholeOf(v, t.partsOf(v)) }

func wholeOf(v *candidate, parts []Part) rendering {
	return rendering{tokens: v.tokens, chars: v.chars, length: v.chars, parts: parts}
}

// of is the rendering with its text, of a message that may be whole.
func (f rendering) of(v *full) rendering {
	if f.shortened.whole() {
		f.text = v.Content
	}
	return f
}

// images is how many of the parts of a message are images.
func images(parts []Part) int {
	n := 0
	for _, p := range parts {
		if p.Kind == ImagePart {
			n++
		}
	}
	return n
}

// withNotes is a rendering with a note for each image that costs more than its note.
func (b *chooser) withNotes(f rendering, v *full) rendering {
	f.parts = slices.Clone(v.Parts)
	for k, p := range v.Parts {
		if p.Kind != ImagePart {
			continue
		}
		note := noteFor(p)
		saved := partCost(p, b.c.count) - partCost(note, b.c.count)
		if saved <= 0 {
			continue
		}
		f.parts[k] = note
		f.tokens -= saved
		if f.cause == nil {
			f.cause = &Cause{Code: cause.ImageNote}
		}
	}
	return f
}

// shorten cuts a candidate's text to the limits of the policy.
func (b *chooser) shorten(v *full) shortened {
	p := b.o.Policy
	switch v.kind() {
	case User:
		// A marker in front of it is not part of what was said: a request that is read again as a history keeps it.
		text, marker := v.Content, p.Marker+joint
		for strings.HasPrefix(text, marker) {
			text = text[len(marker):]
		}
		lead := v.Content[:len(v.Content)-len(text)]
		n, keep := v.chars-runes(lead), p.UserMaxChars
		if n <= keep {
			break
		}
		if keep >= userReserveFrom {
			keep -= userReserve
		}
		return prefixCut(p, text, n, keep, p.UserSuffix).withLead(lead)
	case Assistant:
		own := v.chars
		if strings.HasSuffix(v.Content, message.InterruptedSuffix) {
			own -= len(message.InterruptedSuffix) // The limit is for what was said.
		}
		if own > p.AssistantMaxChars {
			return prefixCut(p, v.Content, v.chars, p.AssistantMaxChars, p.AssistantSuffix)
		}
	case Tool:
		return cutResult(v, p.ToolMaxChars)
	}
	return shortened{text: v.Content}
}

// renderingOf counts a shortened text.
func renderingOf(v *full, s shortened, count Counter) rendering {
	if s.whole() {
		return wholeOf(v.candidate, v.Parts)
	}
	return rendering{
		shortened: s, parts: v.Parts, tokens: count(s.text) + v.tokens - v.text,
		chars: v.chars - (s.cut.To - s.cut.From), length: runes(s.text),
		cuts: []Range{s.cut}, insert: []Insert{{s.cut.From, s.note}},
	}
}

// headTailKey is what the head and tail of the newest turn were made for.
type headTailKey struct {
	limits
	last                  unit
	candidates, lastWhole int
}

// headsAndTails are the messages of the newest turn with head and tail, together near the policy's
// tokens; nil stands for a message that stays whole. Messages of the user keep their own limit, and
// no answer gets less than an older one would.
func (b *chooser) headsAndTails() []*rendering {
	key := headTailKey{b.limits, b.last, len(b.candidates), b.lastWhole}
	if b.t.headTailFor == key {
		return b.t.headTails
	}
	list := make([]*rendering, b.last.to-b.last.from)
	for k, share := range b.shares() {
		i := b.last.from + k
		v := &b.candidates[i]
		if v.tokens <= share && (v.role() != User || v.image) {
			continue
		}
		f := b.rendering(i, short)
		if v.role() != User {
			said := b.t.full(i)
			if e := b.headAndTail(&said, share); e.tokens > f.tokens {
				f = e
			}
		}
		// The share grows evenly with the budget, what fits into it does not: the rest is paid for too,
		// so that a larger budget leaves no less for all that comes behind it.
		f.held = share
		list[k] = &f
	}
	b.t.headTailFor, b.t.headTails = key, list
	return list
}

// shares divides the tokens of the newest turn: the small messages get what they need, the large
// ones the same.
func (b *chooser) shares() []int {
	n := b.last.to - b.last.from
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(x, y int) int { return b.candidates[b.last.from+x].tokens - b.candidates[b.last.from+y].tokens })
	shares, left := make([]int, n), b.lastWhole-n*frameMessage
	for k, x := range order {
		shares[x] = min(b.candidates[b.last.from+x].tokens, max(0, left)/(n-k))
		left -= shares[x]
	}
	return shares
}

// headAndTail cuts the middle out of a text until it costs no more than its share.
func (b *chooser) headAndTail(v *full, share int) rendering {
	limit := int(float64(v.chars) * float64(share) / float64(max(1, v.tokens)))
	for range 8 {
		f := renderingOf(v, middleCut(v.Content, v.chars, limit), b.c.count)
		if f.tokens <= share || limit == 0 {
			f.cause = f.causeOfCut(v, cause.NewestLimit, b.budget.tokens(b.lastWhole))
			return f
		}
		limit = limit * 9 / 10 * share / max(1, f.tokens)
	}
	return rendering{}
}

func runes(s string) int { return utf8.RuneCountInString(s) }
