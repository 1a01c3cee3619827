package redact

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

// Stream is a text that arrives in pieces, one of which may end inside a secret.
type Stream struct {
	known secrets
	held  string
}

// Pass is a piece without the secrets. What is held back comes with a later piece, or with Rest.
func (s *Stream) Pass(piece string) (clean string) {
	clean, s.held = s.known.replace(s.held+piece, true)
	return clean
}

// Rest is what is still held back when the text is over.
func (s *Stream) Rest() string {
	held := s.held
	s.held = ""
	return s.known.remains(held)
}
