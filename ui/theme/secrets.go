package theme

import "strings"

// Redacted replaces a secret.
const Redacted = "[redacted]"

// Secrets redacts secrets in titles, lists and views of requests. The transcript does not use it. Known keys are always
// redacted; Revealed shows text that merely looks like a secret.
type Secrets struct {
	// Find returns the byte ranges of the known keys in a text, with shapes also those of text that looks like a
	// secret. They are in order and do not overlap. A nil Find finds none.
	Find     func(text string, shapes bool) [][2]int
	Revealed bool
}

// Spans returns the byte ranges of the secrets in a text, in order and without overlap.
func (s Secrets) Spans(text string) [][2]int {
	if s.Find == nil {
		return nil
	}
	return s.Find(text, !s.Revealed)
}

// RedactAndCount redacts a text and returns the number of secrets.
func (s Secrets) RedactAndCount(text string) (string, int) {
	spans := s.Spans(text)
	return RedactRange(spans, text, 0, len(text)), len(spans)
}

// Redact redacts a text.
func (s Secrets) Redact(text string) string {
	hidden, _ := s.RedactAndCount(text)
	return hidden
}

// RedactRange redacts the bytes from..to of a text whose secrets are given. A secret is replaced in the range where it
// begins.
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

// RedactLine redacts the beginning of a text that is shown on one line. It reads only the first kilobyte.
func (s Secrets) RedactLine(text string) string {
	const limit = 1 << 10
	text = text[:min(len(text), 2*limit)] // enough to find a secret that begins within the limit
	return RedactRange(s.Spans(text), text, 0, min(len(text), limit))
}
