package theme

import "strings"

// Redacted replaces a secret.
const Redacted = "[redacted]"

// Secrets hides secrets in titles, lists and views of requests. The transcript shows what was said as it
// was said. A known key stays hidden, and what looks like a secret is shown while revealed.
type Secrets struct {
	// Where they stand in a text, with what looks like one where shapes are asked for; nil finds none.
	Find     func(text string, shapes bool) [][2]int
	Revealed bool
}

// Spans finds the secrets in a text: the bytes from and to of each, in order; none overlaps another.
func (s Secrets) Spans(text string) [][2]int {
	if s.Find == nil {
		return nil
	}
	return s.Find(text, !s.Revealed)
}

// RedactAndCount returns a text without its secrets, and how many they were.
func (s Secrets) RedactAndCount(text string) (string, int) {
	spans := s.Spans(text)
	return RedactRange(spans, text, 0, len(text)), len(spans)
}

// Redact returns a text without its secrets.
func (s Secrets) Redact(text string) string {
	hidden, _ := s.RedactAndCount(text)
	return hidden
}

// RedactRange is a part of a text without its secrets, each of which is replaced in the part where it begins.
func RedactRange(secrets [][2]int, text string, from, to int) string {
	var b strings.Builder
	for _, s := range secrets {
		if s[0] >= to {
			break
		}
		if s[0] >= from {
			b.WriteString(text[from:s[0]] + Redacted)
		}
		from = max(from, min(s[1], to))
	}
	return b.String() + text[from:to]
}

// RedactLine is Hide for the beginning of a text that is shown in one line: it looks no further than a line is
// long, however long the text is.
func (s Secrets) RedactLine(text string) string {
	const limit = 1 << 10
	return s.Redact(text[:min(len(text), limit)])
}
