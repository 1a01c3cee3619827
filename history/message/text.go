package message

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/dustin/go-humanize"
)

// Clean is a text with U+FFFD for every byte that is not UTF-8 and for every null character.
func ToValidUTF8(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	// One for each byte, as runes are counted: positions in code points stay the same.
	return strings.Map(func(r rune) rune {
		if r == 0 {
			return utf8.RuneError
		}
		return r
	}, s)
}

// IsBlank reports whether a text has nothing but white space.
func IsBlank(s string) bool { return strings.TrimSpace(s) == "" }

// TextWithCalls is a message's text with its calls written out.
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

// AsText is the assistant's message that has only this text: without calls, parts and what they need.
func (m Message) TextOnly(text string) Message {
	if text != m.Content {
		m.Tokens = 0
	}
	return Message{ID: m.ID, Role: Assistant, Content: text, Status: m.Status, CreatedMS: m.CreatedMS, Tokens: m.Tokens}
}

// InterruptedSuffix stands behind the text of an answer that broke off.
const InterruptedSuffix = " [interrupted]"

// BrokeOff reports whether a message is an answer that ended early, or whose program died while it arrived.
func (m Message) WasInterrupted() bool {
	return m.Role == Assistant && (m.Status == Interrupted || m.Status == Streaming)
}

// Unreadable reports whether the row of a message could not be read, or its role is unknown.
func (m Message) Unreadable() bool {
	return m.Status == Quarantined || m.Role != System && m.Role != User && m.Role != Assistant && m.Role != Tool
}

// Prefix is the longest run of whole grapheme clusters from the start with at most n code points.
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

// Grouped is a number with its thousands apart.
func WithCommas(n int) string { return humanize.Comma(int64(n)) }

// Redacted is a message without the secrets that clean takes out of its texts. Its tokens are to be counted anew
// where that changed it. The caller's message stays as it is.
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
