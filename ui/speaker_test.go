package ui

import (
	"testing"

	"winnow/history"
	"winnow/ui/theme"
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
