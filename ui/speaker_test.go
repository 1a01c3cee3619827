package ui

import (
	"testing"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

func TestSpeakerIsSafeAndShort(t *testing.T) {
	for role, want := range map[history.Role]string{
		history.User: "you", history.Assistant: "model", history.System: "system", history.Tool: "tool",
		"": "?", "narrator": "narrator", "a\x1b]0;x\x07b": "a␛]0;x␇b", "two\nlines": "two lines",
		"a very long role indeed": "a very long…",
	} {
		if got := theme.Speaker(role); got != want {
			t.Errorf("the speaker of %q is %q, want %q", role, got, want)
		}
	}
}

func TestQuarantinedMessageSaysWhy(t *testing.T) {
	for _, c := range []struct {
		damaged bool
		remains string
		want    string
	}{
		{false, "", "unknown role"},
		{true, "", "damaged and unreadable"},
		{true, "Hel?o", "damaged"},
	} {
		m := store.Message{
			Message: history.Message{Role: "narrator", Status: history.Quarantined},
			Damaged: c.damaged, Remains: c.remains,
		}
		chat := transcript.New(transcript.Deps{})
		if got := chat.Item(m).Note.What; got != c.want {
			t.Errorf("a quarantined message, damaged %v, readable %q, has the note %q, want %q", c.damaged,
				c.remains, got, c.want)
		}
	}
}
