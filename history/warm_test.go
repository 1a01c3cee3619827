package history

import "testing"

// A second Build of the same conversation counts no text again, whatever it cuts.
func TestWarmBuildCountsNothing(t *testing.T) {
	for _, preset := range Presets() {
		counted := 0
		c := Read(chat(300), func(s string) int { counted++; return len(s) / 4 })
		o := benchOptions(t, preset, 8000)
		first, _ := c.Build(o)
		counted = 0
		second, _ := c.Build(o)
		if counted != 0 || requestText(first) != requestText(second) {
			t.Errorf("preset %s: a second build counted %d texts, want 0, and the same request", preset, counted)
		}
	}
}

// A damaged history that was repaired needs no more repair.
func TestRepairingTwiceChangesNothing(t *testing.T) {
	past := parseMessages(t, damagedHistory)
	c := Read(past, words)
	var repaired []Message
	for i := range c.candidates {
		repaired = append(repaired, c.full(i).Message)
	}
	if len(repaired) == 0 || len(c.base.verdict(1).Repairs) == 0 {
		t.Fatalf("the history is not damaged: %+v", c.base)
	}
	again := Read(repaired, words).base
	for i := range again.n {
		if e := again.verdict(i); len(e.Repairs) > 0 {
			t.Errorf("message %d %q is mended again: %+v", i, repaired[i].Content, e.Repairs)
		}
	}
}

const damagedHistory = `
user: broken
assistant: | a=read({"path":"a.txt","li) | a=read(nonsense) | =list()
tool a: text of a
user: meanwhile
tool a: late
tool zzz: alone
assistant: half | k=({"a":1})
tool k: \x00\xff\x00\xff
assistant: | g=f({"a":1}{"a":2}) | h=f()
`

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
