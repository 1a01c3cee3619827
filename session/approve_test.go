package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"winnow/llm/tool"
	"winnow/session/approval"
	"winnow/session/store"
)

// witness is a box with a tool that notes what it was run with.
type witness struct {
	mu  sync.Mutex
	ran []string
	box tool.Toolbox
}

func newWitness(t tool.Tool) *witness {
	w := &witness{}
	w.box.Register(t, func(_ context.Context, arguments json.RawMessage) (string, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ran = append(w.ran, string(arguments))
		return "done", nil
	})
	return w
}

var remote = tool.Tool{
	Name: "files__write", Server: "files", Description: "Writes a file.",
	Parameters: json.RawMessage(`{"type":"object"}`),
}

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
			w := newWitness(remote)
			b.offer(&w.box)
			b.deps.Approval.Mode, b.deps.Approval.Allow = approval.Always, []string{"*"}
			s := b.begin()
			events, err := drain(s.Send(t.Context(), say("Write.")))
			if asked := len(only[Asked](events)); len(w.ran) != c.runs || asked != c.asked {
				t.Errorf("it ran %d times after %d questions, want %d and %d", len(w.ran), asked, c.runs, c.asked)
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

// A repaired call runs with what the model is sent in its place, and never without a question. What was received stays.
func TestARepairedCallIsAskedAboutAndRunsAsItIsSent(t *testing.T) {
	const received = `{"name":"a\u001b", 'mode': "w"` + "\x1b"
	for _, allowed := range []bool{true, false} {
		t.Run(fmt.Sprint(allowed), func(t *testing.T) {
			b := newBench(t, calls("c1", remote.Name, received), says("Done."))
			w := newWitness(remote)
			b.offer(&w.box)
			b.deps.Approval.Mode, b.deps.Approval.Allow = approval.Always, []string{remote.Name}
			b.deps.Approval.Permissions = map[string]tool.Permission{remote.Name: tool.Allow}
			s := b.begin()
			var q Question
			events, err := drainAnswering(s.Send(t.Context(), say("Write.")), func(asked Question) approval.Answer {
				q = asked
				if allowed {
					return approval.Answer{Choice: approval.Once}
				}
				return approval.Answer{}
			})
			if err != nil {
				t.Fatal(err)
			}
			if q.Reason != approval.Repaired || len(q.Arguments.Repairs) != 1 || q.Call.Arguments != received ||
				!slices.Equal(q.Choices, []approval.Choice{approval.Once}) {
				t.Fatalf("the question is %+v", q)
			}
			sent := q.Arguments.Object
			message := s.Messages()[2]
			var kept struct{ Call approval.Record }
			if err := json.Unmarshal([]byte(message.Extra), &kept); err != nil {
				t.Fatal(err)
			}
			record := kept.Call
			want := approval.Record{Outcome: approval.Declined}
			if allowed {
				want = approval.Record{Outcome: approval.Ran, By: approval.ByAnswer, Arguments: sent}
			}
			if record != want || only[Ran](events)[0].Record != want {
				t.Errorf("the record is %+v, want %+v", record, want)
			}
			if allowed != slices.Equal(w.ran, []string{sent}) || !allowed && len(w.ran) > 0 {
				t.Errorf("it ran with %q, want with %q: %v", w.ran, sent, allowed)
			}
			if s.Messages()[1].ToolCalls[0].Arguments != received {
				t.Errorf("what is stored is %q, want the bytes as received", s.Messages()[1].ToolCalls[0].Arguments)
			}
			body, _ := json.Marshal(sent)
			if !strings.Contains(b.body(2), string(body)) {
				t.Errorf("the request after it is\n%s\nwant it with %s", b.body(2), body)
			}
			wantProven(t, s, 1, 2, b.body(2))
		})
	}
}

// Arguments of which nothing can be read are nothing that a user could allow.
func TestACallWithoutReadableArgumentsDoesNotRun(t *testing.T) {
	b := newBench(t, calls("c1", remote.Name, "write it somewhere"), says("Sorry."))
	w := newWitness(remote)
	b.offer(&w.box)
	s := b.begin()
	events, err := drain(s.Send(t.Context(), say("Write.")))
	if err != nil || len(only[Asked](events)) > 0 || len(w.ran) > 0 || s.Messages()[2].Content != unreadable {
		t.Errorf("ended with %v, ran with %q, the conversation is\n%s", err, w.ran, transcript(s.Messages()))
	}
}

// What is always allowed is so in later sessions, until the server changes the tool, or the user forgets it.
func TestAlwaysHoldsUntilTheToolChanges(t *testing.T) {
	call := calls("c1", remote.Name, `{"name":"a"}`)
	var steps []step
	for range 5 {
		steps = append(steps, call, says("Done."))
	}
	b := newBench(t, steps...)
	asked := func(of tool.Tool, choice approval.Choice) []Question {
		t.Helper()
		var all []Question
		w := newWitness(of)
		b.offer(&w.box)
		_, err := drainAnswering(b.begin().Send(t.Context(), say("Write.")), func(q Question) approval.Answer {
			all = append(all, q)
			return approval.Answer{Choice: choice}
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if q := asked(remote, approval.Forever); len(q) != 1 || q[0].Server != "files" || q[0].Reason != "" {
		t.Errorf("at first asked %+v", q)
	}
	if q := asked(remote, approval.No); len(q) != 0 {
		t.Errorf("asked %+v about a tool that is always allowed", q)
	}
	changed := remote
	changed.Description = "Writes a file, and sends it."
	if q := asked(changed, approval.No); len(q) != 1 || q[0].Reason != approval.Changed {
		t.Errorf("asked %+v about a changed tool", q)
	}
	if q := asked(remote, approval.No); len(q) != 0 {
		t.Errorf("asked %+v about the tool as it was allowed", q)
	}
}

// A tool that is off is not offered, and one that the user switches off in another window is off from the next turn on.
func TestAToolThatIsOffIsNotOffered(t *testing.T) {
	b := newBench(t, says("One."), says("Two."), calls("c1", remote.Name, "{}"), says("Three."))
	w := newWitness(remote)
	b.offer(&w.box)
	s := b.begin()
	send := func() []Event {
		t.Helper()
		events := completed(t, s.Send(t.Context(), say("Hello.")))
		return events
	}
	send()
	err := b.deps.Store.SetToolPermission(t.Context(), storedPermission(remote.Name, tool.Off))
	if err != nil {
		t.Fatal(err)
	}
	send()
	if !strings.Contains(b.body(1), remote.Name) || strings.Contains(b.body(2), remote.Name) {
		t.Errorf("the tool is offered: %v, and after it was switched off: %v", strings.Contains(b.body(1), remote.Name),
			strings.Contains(b.body(2), remote.Name))
	}
	events := send()
	if ran := only[Ran](events); len(w.ran) > 0 || len(only[Asked](events)) > 0 ||
		ran[0].Record.Outcome != approval.NoSuchTool {
		t.Errorf("a call of the tool that is off came to %+v", ran)
	}
}

// A temporary chat leaves nothing behind, and goes by what is remembered.
func TestATemporaryChatRemembersNoPermission(t *testing.T) {
	b := newBench(t, calls("c1", remote.Name, `{"name":"a"}`), says("Done."), calls("c1", remote.Name, `{"name":"a"}`),
		says("Done."))
	b.Unrecorded = 4
	w := newWitness(remote)
	b.offer(&w.box)
	s, err := Temporary(t.Context(), b.deps, Start{Ref: "test/m"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Store().Close()
	_, err = drainAnswering(s.Send(t.Context(), say("Write.")), func(q Question) approval.Answer {
		if slices.Contains(q.Choices, approval.Forever) {
			t.Errorf("the question offers %q", q.Choices)
		}
		return approval.Answer{Choice: approval.Forever}
	})
	if err != nil || len(w.ran) > 0 {
		t.Errorf("an answer that was not offered ran the tool with %q, %v", w.ran, err)
	}
	allow := storedPermission(remote.Name, tool.Allow)
	allow.Identity = approval.Identity(remote)
	if err := b.deps.Store.SetToolPermission(t.Context(), allow); err != nil {
		t.Fatal(err)
	}
	events, err := drain(s.Send(t.Context(), say("Write.")))
	if err != nil || len(only[Asked](events)) > 0 || len(w.ran) != 1 {
		t.Errorf("a tool that is always allowed: %v, %d questions, ran with %q", err, len(only[Asked](events)), w.ran)
	}
}

// The user's reason goes to the model in the user's words.
func TestARefusalCarriesTheUsersWords(t *testing.T) {
	b := newBench(t, calls("c1", remote.Name, `{"name":"a"}`), says("Then b."))
	w := newWitness(remote)
	b.offer(&w.box)
	s := b.begin()
	_, err := drainAnswering(s.Send(t.Context(), say("Write.")), func(Question) approval.Answer {
		return approval.Answer{Choice: approval.No, Reason: "not a, take \"b\""}
	})
	want := refused + ` The user says: not a, take "b"`
	if err != nil || s.Messages()[2].Content != want || len(w.ran) > 0 {
		t.Errorf("the result is %q, %v; want %q", s.Messages()[2].Content, err, want)
	}
	text, _ := json.Marshal(want)
	if !strings.Contains(b.body(2), string(text)) {
		t.Errorf("the next request is %s", b.body(2))
	}
}

// A stop ends a tool at once, and its result says so.
func TestAStoppedToolHasAResult(t *testing.T) {
	b := newBench(t, calls("c1", "hang", `{}`))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	box := &tool.Toolbox{}
	box.Register(tool.Tool{Name: "hang"}, func(ctx context.Context, _ json.RawMessage) (string, error) {
		stop()
		<-ctx.Done()
		return "", ctx.Err()
	})
	b.offer(box)
	b.deps.Approval.Mode = approval.Always
	s := b.begin()
	events, err := drain(s.Send(ctx, say("Hang.")))
	ran := only[Ran](events)
	text := "error: stopped before hang was done; it may have run in part"
	if err != nil || len(ran) != 1 || ran[0].Record.Outcome != approval.Stopped || s.Messages()[2].Content != text {
		t.Errorf("%v; the call came to %+v, want %q", err, ran, text)
	}
}

// storedPermission is what the user said of any tool of a name.
func storedPermission(name string, p tool.Permission) store.ToolPermission {
	return store.ToolPermission{Name: name, Permission: string(p)}
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
		tool.Progress(ctx, "50 %")
		late = context.WithoutCancel(ctx)
		return "done", nil
	})
	b.offer(box)
	b.deps.Approval.Mode = approval.Always
	events, err := drain(b.begin().Send(t.Context(), say("Go.")))
	tool.Progress(late, "after the turn")
	if got := only[Progress](events); err != nil || len(got) != 1 || got[0].Text != "50 %" {
		t.Errorf("the progress is %q, %v", got, err)
	}
}
