// Package redact removes secrets from text: registered ones, and text that looks like one. It does not know where the
// text is going.
package redact

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"winnow/llm/keys"
)

// Redactor removes secrets from text on its way to a log, to the screen or to an exported file. Its zero value detects
// secrets by pattern only. It is safe for concurrent use.
type Redactor struct {
	mu           sync.RWMutex
	known        []string // all registered secrets, the longest first
	unmistakable secrets  // those that cannot be an ordinary word
}

// AddSecrets registers secrets that no pattern would recognize, such as configured keys. Secrets of less than four
// bytes are ignored, because removing them would damage other words.
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

// isUnmistakable reports whether a secret cannot be an ordinary word. Local servers are often given a word such as
// "ollama" or "not-needed" as a key, and conversations about them must not be damaged.
func isUnmistakable(secret string) bool {
	lower := strings.ContainsFunc(secret, unicode.IsLower)
	upper := strings.ContainsFunc(secret, unicode.IsUpper)
	digit := strings.ContainsFunc(secret, unicode.IsDigit)
	return len(secret) >= 20 || len(secret) >= 8 && (digit || lower && upper)
}

// Redact returns text without secrets, both registered ones and those that match a pattern.
func (r *Redactor) Redact(text string) string { return replaceSpans(text, r.FindSecrets(text, true)) }

// FindSecrets returns the byte ranges [from, to) of the secrets in a text: registered ones and, with patterns, those
// that match a pattern. The ranges are sorted and do not overlap.
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

// disjoint sorts spans and merges those that overlap.
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

// RedactKnown returns text without registered secrets. It is for conversations: it does not apply patterns, and keeps
// secrets that could be ordinary words.
func (r *Redactor) RedactKnown(text string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	text, _ = r.unmistakable.replace(text, false)
	return text
}

// Stream returns a RedactKnown for text that arrives in pieces.
func (r *Redactor) Stream() *Stream {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return &Stream{known: slices.Clone(r.unmistakable)}
}

// Stream redacts text that arrives in pieces, one of which may end inside a secret.
type Stream struct {
	known secrets
	held  string
}

// Redact returns a piece without secrets. A possible beginning of a secret is held back until a later call, or Flush.
func (s *Stream) Redact(piece string) (clean string) {
	clean, s.held = s.known.replace(s.held+piece, true)
	return clean
}

// Flush returns the text that is still held back. Half of a secret or more is redacted too.
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

// secrets are strings to replace, the longest first.
type secrets []string

// replace replaces the secrets in a text from left to right, at each position the longest. With more, an end of the
// text that may be the beginning of a secret is returned as held.
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
