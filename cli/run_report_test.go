package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"winnow/cli/report"
	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/session/store"
)

// TestEveryFurtherRequestOfATurnIsSaid follows a turn with a retry, a request that was planned again and a
// round of tool calls.
func TestEveryFurtherRequestOfATurnIsSaid(t *testing.T) {
	t.Parallel()
	busy := llm.Waiting{
		Attempt: 2, Of: 3, After: 1500 * time.Millisecond, Err: &llm.Error{
			Kind: llm.Server, Endpoint: "test", Status: 503,
		},
	}
	called := store.Message{Message: history.Message{ToolCalls: []history.ToolCall{{Name: "read"}, {Name: "look"}}}}
	damaged := session.Planned{Plan: history.Plan{Entries: []history.Entry{
		{Index: 0, Disposition: history.Kept, Repairs: []history.Repair{{Kind: "C1"}, {Kind: "C9"}}},
		{Index: 1, Disposition: history.Dropped},
		{Index: 2, Disposition: history.Dropped},
		{Index: 4, Disposition: history.Dropped},
	}}}
	events := []session.Event{
		damaged,
		session.Waiting{Waiting: busy},
		session.Notice{Text: "too long; asking once more with less"},
		damaged,
		session.Delta{Text: "I look."},
		session.Answered{Message: called},
		damaged,
		session.Delta{Text: "Pears."},
		session.Answered{},
		session.Finished{},
	}
	follow := func(quiet, json bool) (answer, said string, o report.Turn) {
		stream := make(chan session.Event, len(events))
		for _, e := range events {
			stream <- e
		}
		close(stream)
		var out, errs bytes.Buffer
		w := answerWriter{out: &out, err: &errs, quiet: quiet, json: json, saved: true}
		if err := w.follow(stream); err != nil {
			t.Fatal(err)
		}
		return out.String(), errs.String(), w.turn
	}
	answer, said, o := follow(false, false)
	want := `winnow: sending 1 message repaired: number 1; see winnow repair 0195
winnow: not sending 3 messages: numbers 2–3, 5; see winnow context 0195
winnow: test failed (503). Try 2 of 3 in 1.5s
winnow: too long; asking once more with less
`
	if said != want || answer != "I look.\nPears.\n" {
		t.Errorf("the answer %q, and said\n%swant\n%s", answer, said, want)
	}
	if len(o.Repaired) != 1 || len(o.Dropped) != 3 {
		t.Errorf("reported %+v", o)
	}
	if r := o.Retries; len(r) != 2 || r[0].Wait != 1500*time.Millisecond || r[0].Changed || !r[1].Changed ||
		!strings.Contains(r[1].Reason, "too long") {
		t.Errorf("retries %+v", r)
	}
	if o.Requests != 2 {
		t.Errorf("%d requests, want the first and one after the calls", o.Requests)
	}
	if answer, said, _ := follow(true, false); said != "" || answer != "I look.\nPears.\n" {
		t.Errorf("quietly the answer is %q, and said\n%s", answer, said)
	}
	if answer, said, o := follow(false, true); said != "" || answer != "" || o.Requests != 2 {
		t.Errorf("for --json %q and %q were written, %+v", answer, said, o)
	}
}
