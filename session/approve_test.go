package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"winnow/llm/tool"
	"winnow/session/approval"
	"winnow/session/store"
)

// endsWith answers with a call, and ends with a finish_reason, without one where it is "", or without any end.
func endsWith(reason string, done bool) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		delta(w, map[string]any{"tool_calls": []any{map[string]any{
			"index": 0, "id": "c1", "type": "function", "function": map[string]any{
				"name": remote.Name, "arguments": `{"name":"a"}`,
			},
		}}})
		if reason != "" {
			event(w, map[string]any{
				"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": reason}},
			})
		}
		if done {
			fmt.Fprint(w, "data: [DONE]\n\n")
		}
	}
}

// Nothing runs from an answer that is not whole, whatever the rules say, and nobody is asked about it.
func TestNothingRunsFromAnAnswerThatIsNotWhole(t *testing.T) {
	for _, c := range []struct {
		name  string
		step  step
		runs  int
		asked int
		ends  string // the turn's error
	}{
		{"stop", endsWith("stop", true), 1, 0, ""},
		{"tool_calls", endsWith("tool_calls", false), 1, 0, ""},
		{"length", endsWith("length", true), 0, 0, `the answer was cut off (finish_reason "length")`},
		{"content_filter", endsWith("content_filter", true), 0, 0, `(finish_reason "content_filter")`},
		{"MAX_TOKENS", endsWith("MAX_TOKENS", true), 0, 0, `(finish_reason "MAX_TOKENS")`},
		{"nobody said that it is over", endsWith("", false), 0, 0, ""},
		{"nobody said why it is over", endsWith("", true), 1, 1, ""},
		{"an unknown reason", endsWith("because", true), 1, 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c.step, says("Done."))
			b.offer(writer(remote))
			b.deps.Approval.Mode, b.deps.Approval.Allow = approval.Always, []string{"*"}
			s := b.begin()
			events, err := drain(s.Send(t.Context(), say("Write.")))
			if ran, asked := ranIn(events), len(only[Asked](events)); ran != c.runs || asked != c.asked {
				t.Errorf("it ran %d times after %d questions, want %d and %d", ran, asked, c.runs, c.asked)
			}
			if c.ends == "" && err != nil || c.ends != "" && (err == nil || !strings.Contains(err.Error(), c.ends)) {
				t.Errorf("the turn ended with %v, want %q", err, c.ends)
			}
			if c.ends == "" {
				return
			}
			if m := s.Messages()[2]; m.Content != answerCut || b.requests() != 1 {
				t.Errorf("the result is %q after %d requests, want %q after 1", m.Content, b.requests(), answerCut)
			}
		})
	}
}

// A temporary chat leaves nothing behind, and goes by what is remembered.
func TestATemporaryChatRemembersNoPermission(t *testing.T) {
	b := newBench(t, calls("c1", remote.Name, `{"name":"a"}`), says("Done."), calls("c1", remote.Name, `{"name":"a"}`),
		says("Done."))
	b.Unrecorded = 4
	b.offer(writer(remote))
	s, err := Temporary(t.Context(), b.deps, Start{Ref: "test/m"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Store().Close()
	events, err := drainAnswering(s.Send(t.Context(), say("Write.")), func(q Question) approval.Answer {
		if slices.Contains(q.Choices, approval.Forever) {
			t.Errorf("the question offers %q", q.Choices)
		}
		return approval.Answer{Choice: approval.Forever}
	})
	if n := ranIn(events); err != nil || n > 0 {
		t.Errorf("an answer that was not offered ran the tool %d times, %v", n, err)
	}
	allow := store.ToolPermission{
		Name: remote.Name, Permission: string(tool.Allow), Identity: approval.Identity(remote),
	}
	if err := b.deps.Store.SetToolPermission(t.Context(), allow); err != nil {
		t.Fatal(err)
	}
	events, err = drain(s.Send(t.Context(), say("Write.")))
	if n := ranIn(events); err != nil || len(only[Asked](events)) > 0 || n != 1 {
		t.Errorf("a tool that is always allowed: %v, %d questions, ran %d times", err, len(only[Asked](events)), n)
	}
}

// ranIn is how many calls ran in a turn.
func ranIn(events []Event) (n int) {
	for _, r := range only[Ran](events) {
		if r.Record.Outcome == approval.Ran {
			n++
		}
	}
	return n
}

// Nobody is asked about a call of a tool whose server is gone: it cannot run, whatever the answer is.
func TestNobodyIsAskedAboutAToolThatIsGone(t *testing.T) {
	b := newBench(t, calls("c1", remote.Name, `{}`), says("Too bad."))
	box := &tool.Toolbox{}
	gone := errors.New("the MCP server files is not in use")
	box.Replace([]tool.Entry{{Tool: remote, Ready: func(context.Context) error { return gone }}})
	b.offer(box)
	events, err := drain(b.begin().Send(t.Context(), say("Write.")))
	if err != nil || len(only[Asked](events)) > 0 {
		t.Fatalf("%d questions, %v", len(only[Asked](events)), err)
	}
	ran := only[Ran](events)
	want := "error: the MCP server files is not in use; this call did not run"
	if len(ran) != 1 || ran[0].Message.Content != want || ran[0].Record.Outcome != approval.NoSuchTool {
		t.Errorf("the call came to %+v, want %q", ran, want)
	}
}

func TestALongCallSaysHowFarItIs(t *testing.T) {
	b := newBench(t, calls("c1", "long", `{}`), says("Done."))
	box := &tool.Toolbox{}
	var late context.Context
	box.Register(tool.Tool{Name: "long"}, func(ctx context.Context, _ json.RawMessage) (string, error) {
		tool.ReportProgress(ctx, "50 %")
		late = context.WithoutCancel(ctx)
		return "done", nil
	})
	b.offer(box)
	b.deps.Approval.Mode = approval.Always
	events, err := drain(b.begin().Send(t.Context(), say("Go.")))
	tool.ReportProgress(late, "after the turn")
	if got := only[Progress](events); err != nil || len(got) != 1 || got[0].Text != "50 %" {
		t.Errorf("the progress is %q, %v", got, err)
	}
}
