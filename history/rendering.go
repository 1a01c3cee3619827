package history

import (
	"slices"
	"strings"

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
	cause  *Cause // why it is cut, without the numbers of its characters; it holds where text or an image is left out
	parts  []Part // the parts that are sent, with a note in the place of each image that is not
	held   int    // tokens that the selection sets aside for it, where they are more than tokens
}

// more reports whether a rendering shows more of a message than another of it.
func (f rendering) more(than rendering) bool {
	return f.chars > than.chars || images(f.parts) > images(than.parts)
}

// price is what the selection pays for a rendering.
func (f rendering) price() int { return max(f.tokens, f.held) }

// limits is what of a policy decides a shortened text.
type limits struct {
	user, assistant, tool       int
	marker                      string
	userSuffix, assistantSuffix string
	longer                      bool // a suffix may make a text longer
	exact                       bool // a cut falls at the limit, even inside a word or where it saves little
	imageNotes                  bool
}

func limitsOf(p Policy) limits {
	return limits{
		user: p.UserMaxChars, assistant: p.AssistantMaxChars, tool: p.ToolMaxChars,
		marker: p.Marker, userSuffix: p.UserSuffix, assistantSuffix: p.AssistantSuffix,
		longer: p.Preset == "classic", exact: p.Preset == "classic" || p.Preset == "assistant-first",
		imageNotes: p.ImageNotes,
	}
}

// allows reports whether a candidate stays whole at these limits.
func (l limits) allows(v *candidate) bool {
	if l.imageNotes && images(v.Parts) > 0 {
		return false
	}
	_, limit := l.of(v)
	return v.chars <= limit
}

// of is the limit for a candidate, with the code that names it.
func (l limits) of(v *candidate) (cause.Code, int) {
	switch v.kind() {
	case User:
		return cause.UserLimit, l.user
	case Tool:
		return cause.ToolLimit, l.tool
	case Assistant:
		return cause.AssistantLimit, l.assistant
	}
	return cause.None, NoLimit
}

// rendering is candidate i at a detail level.
func (s *selection) rendering(i int, d detail) rendering {
	v := &s.candidates[i]
	switch {
	case d == out:
		return rendering{}
	case d == headTail:
		if f, cut := s.newestCuts()[i]; cut {
			return f
		}
	case d == brief && v.kind() == Assistant && v.chars <= s.o.Policy.AssistantRecallChars:
	case d <= brief && !s.limits.allows(v):
		return s.short(i)
	}
	return v.whole()
}

// whole is all of a candidate.
func (v *candidate) whole() rendering {
	return rendering{
		shortened: shortened{text: v.Content}, tokens: v.tokens, chars: v.chars, length: v.chars, parts: v.Parts,
	}
}

// render counts a shortened text.
func (v *candidate) render(s shortened, count Counter) rendering {
	if s.whole() {
		return v.whole()
	}
	return rendering{
		shortened: s, parts: v.Parts, tokens: count(s.text) + v.tokens - v.text,
		chars: v.chars - (s.cut.To - s.cut.From), length: runes(s.text),
	}
}

// maxShortened is how many policies' shortened texts are remembered at a time.
const maxShortened = 4

// shortenedFor are the remembered shortened texts at some limits, by candidate.
func (t *thread) shortenedFor(l limits) []*rendering {
	if t.shortened[l] == nil {
		if len(t.shortened) >= maxShortened {
			clear(t.shortened)
		}
		t.shortened[l] = make([]*rendering, len(t.candidates))
	}
	return t.shortened[l]
}

// leastSaved is how many tokens the cut of an answer has to save.
const leastSaved = 30

// short is candidate i at the limits of the policy, which do not allow all of it.
func (s *selection) short(i int) rendering {
	if known := s.shortened[i]; known != nil {
		return *known
	}
	v := &s.candidates[i]
	f := v.render(s.limits.shorten(v), s.c.remembered)
	if v.kind() == Assistant && !s.limits.exact && v.tokens-f.tokens < leastSaved {
		f = v.whole()
	}
	code, limit := s.limits.of(v)
	f.cause = &Cause{Code: code, Limit: limit}
	if s.limits.imageNotes {
		f = s.withNotes(f, v)
	}
	s.shortened[i] = &f
	return f
}

// withNotes is a rendering with a note for each image that costs more than its note.
func (s *selection) withNotes(f rendering, v *candidate) rendering {
	f.parts = slices.Clone(v.Parts)
	for k, p := range v.Parts {
		note := p.AsNote()
		saved := partCost(p, s.c.remembered) - partCost(note, s.c.remembered)
		if p.Kind != ImagePart || saved <= 0 {
			continue
		}
		f.parts[k] = note
		f.tokens -= saved
		if f.whole() {
			f.cause = &Cause{Code: cause.ImageNote}
		}
	}
	return f
}

// shorten cuts a candidate's text to the limits.
func (l limits) shorten(v *candidate) shortened {
	switch v.kind() {
	case User:
		// A marker in front of it is not part of what was said: a request that is read again as a history keeps it.
		text, marker := v.Content, l.marker+joint
		for strings.HasPrefix(text, marker) {
			text = text[len(marker):]
		}
		lead := v.Content[:len(v.Content)-len(text)]
		if n := v.chars - runes(lead); n > l.user {
			keep := l.user
			if keep >= userReserveFrom {
				keep -= userReserve
			}
			return l.prefixCut(text, n, keep, l.userSuffix).withLead(lead)
		}
	case Assistant:
		own := v.chars
		if strings.HasSuffix(v.Content, message.InterruptedSuffix) {
			own -= len(message.InterruptedSuffix) // The limit is for what was said.
		}
		if own > l.assistant {
			return l.prefixCut(v.Content, v.chars, l.assistant, l.assistantSuffix)
		}
	case Tool:
		// The caption of a result that is sent as text is not part of it.
		caption, text := v.Content[:v.Caption], v.Content[v.Caption:]
		return l.middleCut(text, v.chars-runes(caption), l.tool).withLead(caption)
	}
	return shortened{text: v.Content}
}

// newestCuts are the messages of the newest turn that are cut to head and tail, by candidate, together near the
// policy's tokens. Messages of the user keep their own limit, and no answer gets less than an older one would.
func (s *selection) newestCuts() map[int]rendering {
	if s.headTails != nil {
		return s.headTails
	}
	s.headTails = map[int]rendering{}
	var tokens []int
	for _, v := range s.candidates[s.last.from:s.last.to] {
		tokens = append(tokens, v.tokens)
	}
	for k, share := range shareOut(tokens, s.lastWhole-len(tokens)*frameMessage) {
		i := s.last.from + k
		v := &s.candidates[i]
		if v.tokens <= share && (v.Role != User || images(v.Parts) > 0) {
			continue
		}
		f := s.rendering(i, short)
		if v.Role != User {
			if e := s.headAndTail(v, share); e.tokens > f.tokens {
				f = e
				f.cause = &Cause{Code: cause.NewestLimit, Limit: s.budget.tokens(s.lastWhole)}
			}
		}
		// The share grows evenly with the budget, what fits into it does not: the rest is paid for too, so that a
		// larger budget leaves no less for all that comes behind it.
		f.held = share
		s.headTails[i] = f
	}
	return s.headTails
}

// headAndTail cuts the middle out of a text until it costs no more than its share, or nothing is left of it but the
// words for the cut.
func (r *request) headAndTail(v *candidate, share int) rendering {
	limit := int(float64(v.chars) * float64(share) / float64(max(1, v.tokens)))
	for {
		f := v.render(r.limits.middleCut(v.Content, v.chars, limit), r.c.remembered)
		if f.tokens <= share || limit == 0 {
			return f
		}
		limit = limit * 99 / 100 * share / max(1, f.tokens)
	}
}
