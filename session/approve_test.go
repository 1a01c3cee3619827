package session

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"winnow/llm/tool"
	"winnow/session/approval"
	"winnow/session/store"
)

// A temporary chat stores no permissions, but follows the stored ones.
func TestATemporaryChatRemembersNoPermission(t *testing.T) {
	b := newBench(t, calls("c1", remote.Name, `{"name":"a"}`), says("Done."), calls("c1", remote.Name, `{"name":"a"}`),
		says("Done."))
	b.Unrecorded = 4
	b.offer(writer(remote))
	s, err := NewTemporary(t.Context(), b.deps, StartOptions{Model: "test/m"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Store().Close()
	events, err := drainAnswering(s.Send(t.Context(), say("Write.")), func(q ToolQuestion) approval.Answer {
		if slices.Contains(q.Choices, approval.AllowAlways) {
			t.Errorf("the question offers %q", q.Choices)
		}
		return approval.Answer{Choice: approval.AllowAlways}
	})
	if n := ranIn(events); err != nil || n > 0 {
		t.Errorf("an answer that was not offered ran the tool %d times, %v", n, err)
	}
	allow := store.ToolPermission{
		Name: remote.Name, Permission: string(tool.Allow), Identity: approval.ToolIdentity(remote),
	}
	if err := b.deps.Store.SetToolPermission(t.Context(), allow); err != nil {
		t.Fatal(err)
	}
	events, err = drain(s.Send(t.Context(), say("Write.")))
	if n := ranIn(events); err != nil || len(only[ApprovalNeeded](events)) > 0 || n != 1 {
		t.Errorf("a tool that is always allowed: %v, %d questions, ran %d times", err, len(only[ApprovalNeeded](events)), n)
	}
}

// ranIn returns the number of calls that ran in a turn.
func ranIn(events []Event) (n int) {
	for _, r := range only[ToolFinished](events) {
		if r.Record.Outcome == approval.OutcomeRan {
			n++
		}
	}
	return n
}

// A call of a tool whose server is gone cannot run, so the user is not asked about it.
func TestNobodyIsAskedAboutAToolThatIsGone(t *testing.T) {
	b := newBench(t, calls("c1", remote.Name, `{}`), says("Too bad."))
	box := &tool.Toolbox{}
	gone := errors.New("the MCP server files is not in use")
	box.Replace([]tool.Entry{{Tool: remote, Ready: func(context.Context) error { return gone }}})
	b.offer(box)
	events, err := drain(b.begin().Send(t.Context(), say("Write.")))
	if err != nil || len(only[ApprovalNeeded](events)) > 0 {
		t.Fatalf("%d questions, %v", len(only[ApprovalNeeded](events)), err)
	}
	ran := only[ToolFinished](events)
	want := "error: the MCP server files is not in use; this call did not run"
	if len(ran) != 1 || ran[0].Message.Content != want || ran[0].Record.Outcome != approval.OutcomeNoSuchTool {
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
	b.deps.Approval.Mode = approval.ModeAlways
	events, err := drain(b.begin().Send(t.Context(), say("Go.")))
	tool.ReportProgress(late, "after the turn")
	if got := only[ToolProgress](events); err != nil || len(got) != 1 || got[0].Text != "50 %" {
		t.Errorf("the progress is %q, %v", got, err)
	}
}
