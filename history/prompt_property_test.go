package history

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestPromptHoldsTheRequest finds every text of a request in its text form, in order, and the numbers
// of the form in the verdicts.
func TestPromptHoldsTheRequest(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		plan, err := Build(s.past, s.o)
		if err != nil {
			return
		}
		p := NewPrompt(plan, nil)
		text, err := RenderPrompt(p, "{{range .Messages}}{{.Text}}\n{{end}}")
		if err != nil {
			t.Fatal(err)
		}
		rest := text
		for _, m := range plan.Messages {
			_, after, there := strings.Cut(rest, m.Content)
			if !there {
				t.Fatalf("the text form does not hold %q in its place:\n%s", m.Content, text)
			}
			rest = after
		}
		if p.Sent+p.Left != p.Stored || p.Stored != len(plan.Entries) {
			t.Errorf("%d sent and %d left are not %d", p.Sent, p.Left, p.Stored)
		}
		for _, m := range p.Messages {
			if m.Number > 0 && !plan.Entries[m.Number-1].Sent() {
				t.Errorf("message %d is shown, and is %s", m.Number, plan.Entries[m.Number-1].Disposition)
			}
		}
	})
}

func TestPromptTimesAreOfTheZone(t *testing.T) {
	past := []Message{
		{ID: 1, Role: User, Content: "late", CreatedMS: time.Date(2025, 12, 31, 23, 30, 0, 0, time.UTC).UnixMilli()},
		{ID: 2, Role: Assistant, Content: "unknown"},
		{ID: 3, Role: User, Content: "early", CreatedMS: time.Date(2025, 12, 30, 12, 0, 5, 0, time.UTC).UnixMilli()},
	}
	policy, _ := Preset("balanced")
	plan, err := Build(past, Options{Policy: policy})
	if err != nil {
		t.Fatal(err)
	}
	p := NewPrompt(plan, time.FixedZone("", 3600))
	got := ""
	for _, m := range p.Messages {
		got += m.Date + " " + m.Time + "|"
	}
	if want := "2026-01-01 00:30:00| |2025-12-30 13:00:05|"; got != want {
		t.Errorf("the times are %q, want %q", got, want)
	}
	if p.Oldest != "2025-12-30T13:00:05+01:00" || p.Newest != "2026-01-01T00:30:00+01:00" {
		t.Errorf("from %s to %s", p.Oldest, p.Newest)
	}
}

// TestJoinedMessagesAreCountedAsStored marks a joined message where one of those in it is cut.
func TestJoinedMessagesAreCountedAsStored(t *testing.T) {
	past := []Message{
		{ID: 1, Role: User, Content: "one"},
		{ID: 2, Role: User, Content: "two"},
		{ID: 3, Role: Assistant, Content: strings.Repeat("long ", 100)},
		{ID: 4, Role: Assistant, Content: "short"},
		{ID: 5, Role: User, Content: "three"},
		{ID: 6, Role: Assistant, Content: "end"},
	}
	policy, _ := Preset("classic")
	plan, err := Build(past, Options{Policy: policy, Profile: Profile{MergeSameRole: true}, Turn: []Message{{Role: User, Content: "now"}}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range NewPrompt(plan, nil).Messages {
		mark := ""
		if m.Truncated {
			mark = " cut"
		}
		got = append(got, strings.Repeat("#", m.Number)+m.Role+mark)
	}
	if want := "#user|###assistant cut|#####user|######assistant|user"; strings.Join(got, "|") != want {
		t.Errorf("the messages are %s, want %s", strings.Join(got, "|"), want)
	}
}
