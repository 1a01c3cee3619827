package history

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// A conversation that grew, and that was asked for with other remedies and by another model in between, plans as one
// that was read at once. Its earlier plans stay as they were.
func TestAConversationThatGrewPlansAsOneReadAtOnce(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		c, rest := NewConversation(nil, s.o.Count), s.past
		type made struct{ plan, copied Plan }
		var plans []made
		for range rapid.IntRange(1, 4).Draw(t, "pieces") {
			n := rapid.IntRange(0, len(rest)).Draw(t, "appended")
			c.Append(rest[:n]...)
			rest = rest[n:]
			before := s.o
			before.Remedies = remedies(t, s.past)
			before.To = rapid.SampledFrom([]Origin{s.o.To, {Endpoint: "cloud", Model: "small"}}).Draw(t, "to")
			p, _ := c.Build(before)
			copied := p
			copied.Entries, copied.Messages = slices.Clone(p.Entries), cloned(p.Messages)
			plans = append(plans, made{p, copied})
		}
		c.Append(rest...)
		got, err := c.Build(s.o)
		want, wantErr := Build(s.past, s.o)
		if !reflect.DeepEqual(err, wantErr) || !reflect.DeepEqual(got, want) {
			t.Fatalf("grown (%v):\n%s%s\nat once (%v):\n%s%s\n%s",
				err, planText(got, nil), requestText(got), wantErr, planText(want, nil), requestText(want), s)
		}
		for _, p := range plans {
			if !reflect.DeepEqual(p.plan, p.copied) {
				t.Fatalf("a plan changed after it was made\n%s", s)
			}
		}
	})
}

// Builds of one conversation may run at the same time, each with its own draft.
func TestBuildsAtTheSameTime(t *testing.T) {
	past := chat(100)
	c := NewConversation(past, nil)
	var wait sync.WaitGroup
	got, want := make([]string, 8), make([]string, 8)
	for i := range got {
		o := benchOptions(t, Presets()[i%len(Presets())], 6000)
		o.Turn[0].Content = fmt.Sprintf("draft %d", i)
		p, _ := Build(past, o)
		want[i] = requestText(p)
		wait.Go(func() {
			p, _ := c.Build(o)
			got[i] = requestText(p)
		})
	}
	wait.Wait()
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("draft %d: got\n%s\nwant\n%s", i, got[i], want[i])
		}
	}
}
