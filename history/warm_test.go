package history

import "testing"

// A result may lose its call to a later one, and then belongs to a call that is long past. One that follows calls that
// the user had left out belongs to them, even where nothing in front of it is sent.
func TestAppendFindsTheCallOfAResult(t *testing.T) {
	for _, tt := range []struct {
		past string
		left map[int64]Remedy
	}{
		{past: `
assistant: | a=read({})
user: word
assistant: | b=read({}) | =read({})
tool a: for the first
tool: two
`},
		{left: map[int64]Remedy{1: LeaveOut}, past: `
assistant: | a=read({}) | a=({})
tool b: one
tool a: two
tool a: three
`},
	} {
		past := parseMessages(t, tt.past)
		whole := Read(past, words)
		whole.remedy(tt.left)
		for cut := range past {
			pieces := Read(past[:cut], words)
			pieces.remedy(tt.left)
			for _, m := range past[cut:] {
				pieces.mustAppend([]Message{m})
			}
			if len(pieces.candidates) != len(whole.candidates) {
				t.Fatalf("read %d at once, then one by one: there are %d candidates, want %d", cut, len(pieces.candidates), len(whole.candidates))
			}
			for i := range whole.candidates {
				if got, want := pieces.full(i), whole.full(i); got.from != want.from || got.group != want.group || got.Content != want.Content {
					t.Fatalf("read %d at once, then one by one: candidate %d is %+v, want %+v", cut, i, got.Message, want.Message)
				}
			}
		}
	}
}
