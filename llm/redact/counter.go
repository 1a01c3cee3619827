package redact

import (
	"strings"

	"winnow/llm/keys"
)

// Counter redacts texts and counts the secrets in them.
type Counter struct {
	Redact func(text string) string
	Count  int
}

// Text redacts a text.
func (c *Counter) Text(text string) string {
	clean := c.Redact(text)
	c.Count += strings.Count(clean, keys.Redacted) - strings.Count(text, keys.Redacted)
	return clean
}
