package ui

import (
	"testing"

	"winnow/history"
	"winnow/session/store"
)

func TestSpeakerIsSafeAndShort(t *testing.T) {
	for role, want := range map[history.Role]string{
		history.User: "you", history.Assistant: "model", history.System: "system", history.Tool: "tool",
		"": "?", "narrator": "narrator", "a\x1b]0;x\x07b": "a␛]0;x␇b", "two\nlines": "two lines",
		"a very long role indeed": "a very long…",
	} {
		if got := speaker(role); got != want {
			t.Errorf("the speaker of %q is %q, want %q", role, got, want)
		}
	}
}

func TestQuarantinedMessageSaysWhy(t *testing.T) {
	for damaged, want := range map[bool]string{
		true:  "cannot be read; kept, never sent",
		false: "its role is unknown; kept, never sent",
	} {
		m := store.Message{Message: history.Message{Role: "narrator", Status: history.Quarantined}, Damaged: damaged}
		if got := new(chat).item(m).Note; got != want {
			t.Errorf("a quarantined message, damaged %v, has the note %q, want %q", damaged, got, want)
		}
	}
}
