// Package redact takes secrets out of texts: those that it knows, and what looks like one. It does not know
// where a text goes.
package redact

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"winnow/llm/keys"
)

// Redactor removes secrets from text on its way to a log, to the screen or to a file for others. Its zero
// value knows the rules and no secret. It is safe for concurrent use.
type Redactor struct {
	mu           sync.RWMutex
	known        []string // all of them, the longest first
	unmistakable secrets  // those of it that can be no ordinary word
}

// Know adds secrets that no rule would recognise, such as a configured key. Shorter than four bytes it is
// no secret, and removing it would tear other words apart.
func (r *Redactor) AddSecrets(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range secrets {
		if len(secret) < 4 || slices.Contains(r.known, secret) {
			continue
		}
		r.known = append(r.known, secret)
		if isUnmistakable(secret) {
			r.unmistakable = append(r.unmistakable, secret)
		}
	}
	longestFirst := func(a, b string) int { return cmp.Compare(len(b), len(a)) }
	slices.SortStableFunc(r.known, longestFirst)
	slices.SortStableFunc(r.unmistakable, longestFirst)
}

// certain says that a known secret cannot be an ordinary word. Servers on one's own machine are often given
// a word such as "ollama" or "not-needed" in place of a key, and a conversation about them must not be torn
// apart.
func isUnmistakable(secret string) bool {
	lower := strings.ContainsFunc(secret, unicode.IsLower)
	upper := strings.ContainsFunc(secret, unicode.IsUpper)
	digit := strings.ContainsFunc(secret, unicode.IsDigit)
	return len(secret) >= 20 || len(secret) >= 8 && (digit || lower && upper)
}

// Text is text without its secrets: those that are known, and what looks like one.
func (r *Redactor) Redact(text string) string { return replaceSpans(text, r.FindSecrets(text, true)) }

// FindIn returns where secrets stand in a text, known ones and, with patterns, those that look like one, as bytes from
// and to, in order and apart.
func (r *Redactor) FindSecrets(text string, patterns bool) [][2]int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var spans [][2]int
	for _, secret := range r.known {
		for from := 0; ; {
			at := strings.Index(text[from:], secret)
			if at < 0 {
				break
			}
			spans = append(spans, [2]int{from + at, from + at + len(secret)})
			from += at + 1
		}
	}
	if patterns {
		spans = append(spans, findPatterns(text)...)
	}
	return disjoint(spans)
}

// disjoint joins spans that overlap and puts them in order.
func disjoint(spans [][2]int) [][2]int {
	slices.SortFunc(spans, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	var apart [][2]int
	for _, span := range spans {
		if last := len(apart) - 1; last >= 0 && span[0] < apart[last][1] {
			apart[last][1] = max(apart[last][1], span[1])
			continue
		}
		apart = append(apart, span)
	}
	return apart
}

func replaceSpans(text string, spans [][2]int) string {
	var out strings.Builder
	last := 0
	for _, span := range spans {
		out.WriteString(text[last:span[0]] + keys.Redacted)
		last = span[1]
	}
	return out.String() + text[last:]
}

// Known is text without the secrets that are known, the longest first. It is for what is said: patterns are
// left alone, and so is a known secret that is an ordinary word.
func (r *Redactor) RedactKnown(text string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	text, _ = r.unmistakable.replace(text, false)
	return text
}

// Stream is Known for a text that arrives in pieces.
func (r *Redactor) Stream() *Stream {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return &Stream{known: slices.Clone(r.unmistakable)}
}

// Stream is a text that arrives in pieces, one of which may end inside a secret.
type Stream struct {
	known secrets
	held  string
}

// Pass is a piece without the secrets. What is held back comes with a later piece, or with Rest.
func (s *Stream) Redact(piece string) (clean string) {
	clean, s.held = s.known.replace(s.held+piece, true)
	return clean
}

// Rest is what is still held back when the text is over. The greater part of a secret is as bad as all of it.
func (s *Stream) Flush() string {
	held := s.held
	s.held = ""
	for _, secret := range s.known {
		if 2*len(held) >= len(secret) && strings.HasPrefix(secret, held) {
			return keys.Redacted
		}
	}
	return held
}

// secrets are texts to replace, the longest first.
type secrets []string

// replace is text with each secret replaced, from left to right and the longest that stands at a place.
// Where more of the text may follow, its end is held back as far as it may be the beginning of a secret.
func (s secrets) replace(text string, more bool) (clean, held string) {
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
				return out.String() + text[last:at], rest
			}
			if strings.HasPrefix(rest, secret) {
				out.WriteString(text[last:at] + keys.Redacted)
				last = at + len(secret)
				at = last - 1
				break
			}
		}
	}
	return out.String() + text[last:], ""
}
