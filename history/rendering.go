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
	short           // cut to the limits of the policy
	brief           // like short, but answers that are not long stay whole
	headTail        // head and tail of messages in a newest turn that is too long to stay whole
	whole
)

// levels are the detail levels of an Entry for the values of detail.
var levels = [...]DetailLevel{LevelOut, LevelShortened, LevelBrief, LevelShortened, LevelWhole}

// rendering is a candidate at a detail level.
type rendering struct {
	text     string
	cut      CharRange // code points of the candidate's text that are left out
	note     string    // what replaces the cut
	parts    []Part    // with a note in place of each image that is not sent
	chars    int       // code points of the candidate's text that are sent
	tokens   int       // cost without the frame
	reserved int       // tokens that the selection reserves for it, if more than tokens
	cause    Cause     // why text or an image is left out, without the numbers of characters
}

// whole reports whether no text is left out.
func (f rendering) whole() bool { return f.cut == CharRange{} }

// length returns how many code points are sent.
func (f rendering) length() int { return f.chars + runes(f.note) }

// more reports whether f shows more of a message than another rendering of it.
func (f rendering) more(than rendering) bool {
	return f.chars > than.chars || images(f.parts) > images(than.parts)
}

// whole returns the complete candidate.
func (v *candidate) whole() rendering {
	return rendering{text: v.Content, tokens: v.tokens, chars: v.chars, parts: v.Parts}
}

// rendering returns candidate i at a detail level.
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
	case d <= brief && !s.allows(v):
		return s.short(i)
	}
	return v.whole()
}

// allows reports whether the limits of the policy leave a candidate whole.
func (s *selection) allows(v *candidate) bool {
	_, limit := s.limit(v)
	return v.chars <= limit && !(s.o.Policy.ImageNotes && images(v.Parts) > 0)
}

// limit returns how many characters of a candidate the policy allows, and the code that names the limit.
func (s *selection) limit(v *candidate) (cause.Code, int) {
	switch v.kind() {
	case User:
		return cause.UserLimit, s.o.Policy.UserMaxChars
	case Tool:
		return cause.ToolLimit, s.o.Policy.ToolMaxChars
	case Assistant:
		return cause.AssistantLimit, s.o.Policy.AssistantMaxChars
	}
	return cause.None, NoLimit
}

// leastSaved is how many tokens cutting an answer must save.
const leastSaved = 30

// short returns candidate i cut to the limits of the policy.
func (s *selection) short(i int) rendering {
	f, known := s.shortened[i]
	if known {
		return f
	}
	v := &s.candidates[i]
	f = s.shorten(v)
	if v.kind() == Assistant && !s.exact() && v.tokens-f.tokens < leastSaved {
		f = v.whole()
	}
	f.cause.Code, f.cause.Limit = s.limit(v)
	if s.o.Policy.ImageNotes {
		s.writeNotes(&f, v)
	}
	s.shortened[i] = f
	return f
}

// writeNotes replaces each image that costs more than a note.
func (s *selection) writeNotes(f *rendering, v *candidate) {
	f.parts = slices.Clone(v.Parts)
	for k, p := range v.Parts {
		note := p.AsNote()
		saved := partCost(p, s.c.countCached) - partCost(note, s.c.countCached)
		if p.Kind != ImagePart || saved <= 0 {
			continue
		}
		f.parts[k] = note
		f.tokens -= saved
		if f.whole() {
			f.cause = Cause{Code: cause.ImageNote}
		}
	}
}

// How many characters of its limit a cut user message leaves for the suffix, and the smallest limit that does so.
const (
	userReserve     = 100
	userReserveFrom = 1000
)

// shorten cuts a candidate's text to the limits of the policy.
func (s *selection) shorten(v *candidate) rendering {
	p := &s.o.Policy
	_, keep := s.limit(v)
	switch v.kind() {
	case User:
		// Leading markers are not the user's words. A request that is imported as a history keeps them.
		text, marker := v.Content, p.Marker+separator
		for strings.HasPrefix(text, marker) {
			text = text[len(marker):]
		}
		lead := strings.TrimSuffix(v.Content, text)
		if v.chars-runes(lead) <= keep {
			return v.whole()
		}
		if keep >= userReserveFrom {
			keep -= userReserve
		}
		return s.prefixCut(v, lead, keep, p.UserSuffix)
	case Assistant:
		said := v.chars // The limit does not include the suffix.
		if strings.HasSuffix(v.Content, message.InterruptedSuffix) {
			said -= len(message.InterruptedSuffix)
		}
		if said <= keep {
			return v.whole()
		}
		return s.prefixCut(v, "", keep, p.AssistantSuffix)
	case Tool:
		// The caption of a result that is sent as text does not count.
		return s.middleCut(v, v.Content[:v.Caption], keep)
	}
	return v.whole()
}

// newestCuts returns the messages of the newest turn that are cut to head and tail, by candidate. Together they take
// about the tokens that the policy allows. User messages keep their own limit, and no answer gets less than an older
// one would.
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
				f.cause = Cause{Code: cause.NewestLimit, Limit: s.budget.Tokens(s.lastWhole)}
			}
		}
		// The share grows evenly with the budget, but the text that fits into it does not. The whole share is charged,
		// so that a larger budget never leaves less for what follows.
		f.reserved = share
		s.headTails[i] = f
	}
	return s.headTails
}

// headAndTail cuts the middle out of a text until it costs no more than share tokens, or only the note is left.
func (s *selection) headAndTail(v *candidate, share int) rendering {
	limit := int(float64(v.chars) * float64(share) / float64(max(1, v.tokens)))
	for {
		f := s.middleCut(v, "", limit)
		if f.tokens <= share || limit == 0 {
			return f
		}
		limit = limit * 99 / 100 * share / max(1, f.tokens)
	}
}
