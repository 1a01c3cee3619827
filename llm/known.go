package llm

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"winnow/llm/keys"
)

// secrets are texts to replace, the longest first.
type secrets []string

// add adds texts that are not in the list yet.
func (s *secrets) add(more ...string) {
	for _, secret := range more {
		if secret != "" && !slices.Contains(*s, secret) {
			*s = append(*s, secret)
		}
	}
	slices.SortStableFunc(*s, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
}

// replace is text with each secret replaced, from left to right and the longest that stands at a place.
// Where more of the text may follow, its end is held back as far as it may be the beginning of a secret.
func (s secrets) replace(text string, more bool) (clean, held string) {
	if len(s) == 0 {
		return text, ""
	}
	var begins [256]bool
	for _, secret := range s {
		begins[secret[0]] = true
	}
	var out strings.Builder
	last := 0
	for at := 0; at < len(text); at++ {
		if !begins[text[at]] {
			continue
		}
		rest := text[at:]
		for _, secret := range s {
			if more && len(rest) < len(secret) && strings.HasPrefix(secret, rest) {
				out.WriteString(text[last:at])
				return out.String(), rest
			}
			if strings.HasPrefix(rest, secret) {
				out.WriteString(text[last:at])
				out.WriteString(keys.Redacted)
				last = at + len(secret)
				at = last - 1
				break
			}
		}
	}
	if last == 0 {
		return text, ""
	}
	out.WriteString(text[last:])
	return out.String(), ""
}

// remains is what was held back when nothing follows. The greater part of a secret is as bad as all of it.
func (s secrets) remains(held string) string {
	for _, secret := range s {
		if 2*len(held) >= len(secret) && strings.HasPrefix(secret, held) {
			return keys.Redacted
		}
	}
	return held
}

// certain says that a known secret cannot be an ordinary word. Servers on one's own machine are often given
// a word such as "ollama" or "not-needed" in place of a key, and a conversation about them must not be torn
// apart.
func certain(secret string) bool {
	if len(secret) < 8 {
		return false
	}
	lower := strings.ContainsFunc(secret, unicode.IsLower)
	upper := strings.ContainsFunc(secret, unicode.IsUpper)
	return len(secret) >= 20 || strings.ContainsFunc(secret, unicode.IsDigit) || lower && upper
}

// stream replaces known secrets in an answer as it arrives, one that is split between two pieces too.
type stream struct {
	known     secrets
	text      string         // held back of the answer
	reasoning string         // and of the reasoning
	arguments map[int]string // and of each call's arguments, by slot
}

// pass is an event without the secrets, nil where nothing is left of it. What is held back comes with a later
// piece, or with rest.
func (s *stream) pass(e Event) Event {
	switch e := e.(type) {
	case TextDelta:
		if e.Text, s.text = s.known.replace(s.text+e.Text, true); e.Text == "" {
			return nil
		}
		return e
	case ReasoningDelta:
		if e.Text, s.reasoning = s.known.replace(s.reasoning+e.Text, true); e.Text == "" {
			return nil
		}
		return e
	case ToolDelta:
		if s.arguments == nil {
			s.arguments = map[int]string{}
		}
		e.ID, _ = s.known.replace(e.ID, false)
		e.Name, _ = s.known.replace(e.Name, false)
		e.Arguments, s.arguments[e.Index] = s.known.replace(s.arguments[e.Index]+e.Arguments, true)
		return e
	case Finished:
		extra, _ := s.known.replace(string(e.Extra), false)
		if e.Extra != nil {
			e.Extra = []byte(extra)
		}
		return e
	}
	return e
}

// rest is what is still held back when the answer is over.
func (s *stream) rest() []Event {
	var events []Event
	if s.reasoning != "" {
		events = append(events, ReasoningDelta{s.known.remains(s.reasoning)})
	}
	if s.text != "" {
		events = append(events, TextDelta{s.known.remains(s.text)})
	}
	for slot, held := range s.arguments {
		if held != "" {
			events = append(events, ToolDelta{Index: slot, Arguments: s.known.remains(held)})
		}
	}
	s.text, s.reasoning, s.arguments = "", "", nil
	return events
}
