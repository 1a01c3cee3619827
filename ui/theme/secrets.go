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

// In finds the secrets in a text: the bytes from and to of each, in order; none overlaps another.
func (s Secrets) In(text string) [][2]int {
	if s.Find == nil {
		return nil
	}
	return s.Find(text, !s.Revealed)
}

// Hide returns a text without its secrets, and how many they were.
func (s Secrets) Hide(text string) (string, int) {
	spans := s.In(text)
	if len(spans) == 0 {
		return text, 0
	}
	var b strings.Builder
	last := 0
	for _, span := range spans {
		b.WriteString(text[last:span[0]] + Redacted)
		last = span[1]
	}
	return b.String() + text[last:], len(spans)
}

// Line is Hide for the beginning of a text that is shown in one line: it looks no further than a line is
// long, however long the text is.
func (s Secrets) Line(text string) string {
	const limit = 1 << 10
	hidden, _ := s.Hide(text[:min(len(text), limit)])
	return hidden
}
