package message

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/dustin/go-humanize"
)

// ToValidUTF8 returns a text with U+FFFD in place of every byte that is not valid UTF-8 and every null character.
func ToValidUTF8(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	// Each invalid byte counts as one rune, so positions in code points stay the same.
	return strings.Map(func(r rune) rune {
		if r == 0 {
			return utf8.RuneError
		}
		return r
	}, s)
}

// IsBlank reports whether a text has only white space.
func IsBlank(s string) bool { return strings.TrimSpace(s) == "" }

// TextWithCalls returns a message's text with its tool calls written out after it.
func (m Message) TextWithCalls() string {
	text := m.Content
	for _, c := range m.ToolCalls {
		name := c.Name
		if strings.TrimSpace(name) == "" {
			name = "a tool without a name"
		}
		text = strings.TrimLeft(text+"\n[called "+ToValidUTF8(name)+" with "+ToValidUTF8(c.Arguments)+"]", "\n")
	}
	return text
}

// TextOnly returns an assistant message with the given text and no calls, parts, reasoning or keys.
func (m Message) TextOnly(text string) Message {
	if text != m.Content {
		m.Tokens = 0
	}
	return Message{ID: m.ID, Role: Assistant, Content: text, Status: m.Status, CreatedMS: m.CreatedMS, Tokens: m.Tokens}
}

// InterruptedSuffix is added to the text of an interrupted answer.
const InterruptedSuffix = " [interrupted]"

// WasInterrupted reports whether a message is an answer that ended early, or whose program died while it arrived.
func (m Message) WasInterrupted() bool {
	return m.Role == Assistant && (m.Status == Interrupted || m.Status == Streaming)
}

// Unreadable reports whether the row of a message cannot be read, or its role is unknown.
func (m Message) Unreadable() bool {
	return m.Status == Quarantined || m.Role != System && m.Role != User && m.Role != Assistant && m.Role != Tool
}

// GraphemePrefix returns the longest prefix of whole grapheme clusters with at most n code points.
func GraphemePrefix(text string, n int) string {
	if n <= 0 {
		return ""
	}
	g := graphemes.FromString(text)
	end := 0
	for g.Next() {
		n -= utf8.RuneCountInString(g.Value())
		if n < 0 {
			break
		}
		end = g.End()
	}
	return text[:end]
}

// WithCommas formats a number with commas between its thousands.
func WithCommas(n int) string { return humanize.Comma(int64(n)) }

// Redacted returns a copy of a message with clean applied to all its texts. Tokens is reset to 0 if that changed one.
// The caller's message is not modified.
func (m Message) Redacted(clean func(string) string) Message {
	m.ToolCalls, m.Parts = slices.Clone(m.ToolCalls), slices.Clone(m.Parts)
	texts := []*string{&m.Content, &m.Reasoning, &m.Name}
	for i := range m.ToolCalls {
		texts = append(texts, &m.ToolCalls[i].Name, &m.ToolCalls[i].Arguments)
	}
	for i := range m.Parts {
		texts = append(texts, &m.Parts[i].Name, &m.Parts[i].Text)
	}
	for _, text := range texts {
		if now := clean(*text); now != *text {
			*text, m.Tokens = now, 0
		}
	}
	return m
}
