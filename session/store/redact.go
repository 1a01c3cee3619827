package store

import (
	"bytes"
	"slices"

	"winnow/history"
)

// clean is a text without the secrets that must not be stored.
func (s *Store) clean(text string) string {
	if s.redact == nil {
		return text
	}
	return s.redact(text)
}

// cleanMessage is a message without the secrets that must not be stored. Its tokens are to be counted anew
// where that changed it. The caller's message stays as it is.
func (s *Store) cleanMessage(m Message) Message {
	if s.redact == nil {
		return m
	}
	changed := false
	clean := func(text *string) {
		if now := s.redact(*text); now != *text {
			*text, changed = now, true
		}
	}
	clean(&m.Content)
	clean(&m.Reasoning)
	clean(&m.Name)
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for i := range m.ToolCalls {
		clean(&m.ToolCalls[i].Name)
		clean(&m.ToolCalls[i].Arguments)
	}
	m.Parts = slices.Clone(m.Parts)
	for i := range m.Parts {
		clean(&m.Parts[i].Name)
		if m.Parts[i].Kind == history.TextPart {
			clean(&m.Parts[i].Text)
		}
	}
	if extra := s.redact(string(m.Extra)); !bytes.Equal([]byte(extra), m.Extra) {
		m.Extra = []byte(extra)
	}
	if changed {
		m.Tokens = 0
	}
	return m
}

// cleanDraft is a draft without the secrets that must not be stored. What is folded has its place in the
// text: where that changed, the draft stands unfolded.
func (s *Store) cleanDraft(text string, folds []Fold) (string, []Fold) {
	now := s.clean(text)
	if now != text {
		folds = nil
	}
	return now, folds
}
