package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/llmtest"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
)

// TestEveryRequestOfALongConversationReplays holds one conversation of 100 turns in which everything
// happens that can decide a request: tools, damaged calls and other remedies for them, branches, edits, pins, exclusions, other
// presets, budgets, placements, system prompts and models, turns without the conversation before them,
// refusals and broken connections. Once it is closed and opened again, every request that ever left is put
// together again byte for byte.
func TestEveryRequestOfALongConversationReplays(t *testing.T) {
	t.Parallel()
	const turns = 100
	l := newLongConversation(t)
	for n := 0; l.s.Info().Turns < turns; n++ {
		l.change()
		l.turn(n)
	}
	id, path := l.s.Info().ID, l.deps.Store.Path()
	if err := l.s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.deps.Store.Close(); err != nil {
		t.Fatal(err)
	}

	// The next start of the program, with nothing configured but a stranger.
	again, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close() })
	l.deps.Store, l.deps.System, l.deps.Sampling = again, "Be silent.", record.Sampling{MaxTokens: 5}
	l.deps.Models = new(llm.Catalog).With(llm.Endpoint{Name: "other", BaseURL: "https://api.openai.com/v1", Window: 999_999})
	later, err := Open(t.Context(), l.deps, id, "other/m")
	if err != nil {
		t.Fatal(err)
	}
	keys, err := again.Requests(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	nth := map[int]int{}
	if len(keys) != l.left {
		t.Errorf("%d requests left, and there are %d records", l.left, len(keys))
	}
	repaired, dropped, cut := 0, 0, 0
	for _, k := range keys {
		nth[k.Turn]++
		r, err := later.Records().Find(t.Context(), k.Turn, nth[k.Turn])
		if err != nil {
			t.Fatal(err)
		}
		body, left := l.sent[r.Request.BodyHash]
		if !left {
			t.Fatalf("request %d of turn %d has the hash of nothing that left", nth[k.Turn], k.Turn)
		}
		got := wantProven(t, later, k.Turn, nth[k.Turn], body)
		c := record.CountsOf(got.Verdicts.Entries, nil, branch.Branch{})
		repaired, dropped, cut = repaired+c.Repaired, dropped+c.Dropped, cut+c.Cut
	}
	t.Logf("%d turns, %d requests proven, of %d messages; in them %d verdicts repaired, %d cut, %d dropped; among them %d requests for summaries; actions: %v",
		l.s.Info().Turns, len(keys), l.s.Info().Messages, repaired, cut, dropped, l.condensed, l.actions)
	for _, action := range longActions {
		if l.actions[action] == 0 {
			t.Errorf("nobody did this: %s", action)
		}
	}
	if repaired == 0 || dropped == 0 || cut == 0 || len(keys) < turns {
		t.Error("the conversation is not such that much could go wrong")
	}
}

// longActions are what happens in the long conversation.
var longActions = []string{
	"budget", "preset", "placement", "model", "system", "pin", "exclude", "undo", "remedy", "switch",
	"send", "call", "damaged call", "two calls", "alone", "edit", "regenerate", "reasoning", "broken", "refused", "stopped",
}

// longConversation is the long conversation: who holds it, and the server that hears it.
type longConversation struct {
	*llmtest.Ledger
	t    *testing.T
	deps Deps
	s    *Session
	dice *rand.Rand
	undo map[int64]history.Flag

	actions map[string]int

	mu        sync.Mutex
	sent      map[string]string // the bodies of the requests that left, by their hash
	left      int               // how many they were
	condensed int               // requests for summaries
	answers   []step            // what the server does next; it says something short when there is nothing
}

// newLongConversation begins with a conversation from a file, in which calls and results have got lost.
func newLongConversation(t *testing.T) *longConversation {
	b := newBench(t)
	l := &longConversation{Ledger: b.Ledger, t: t, deps: b.deps, dice: rand.New(rand.NewPCG(7, 11)), sent: map[string]string{}, actions: map[string]int{}}
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	tools := adder(t)
	l.deps.Approve, l.deps.Tokenizer, l.deps.MaxRounds = Always, "quarters", 4
	l.deps.Models = new(llm.Catalog).With(
		llm.Endpoint{Name: "large", BaseURL: server.URL + "/large", Window: 16_384, Tools: tools},
		llm.Endpoint{Name: "small", BaseURL: server.URL + "/small", Window: 4096, Tools: tools, Profile: history.Profile{MergeSameRole: true, ToolIDLength: 9, NoToolToUser: true}},
		llm.Endpoint{Name: "thinker", BaseURL: server.URL + "/thinker", Window: 8192, Profile: history.Profile{EchoReasoning: true, NoTools: true}},
	)
	row, err := l.deps.Store.ImportMessages(t.Context(), func(add func(store.Message) error) (store.Session, error) {
		for _, m := range []history.Message{
			{Role: history.User, Content: "Read both files."},
			{Role: history.Assistant, ToolCalls: []history.ToolCall{{ID: "a", Name: "read", Arguments: `{"path":"a.txt`}, {ID: "a", Name: "read", Arguments: `{'path': "b.txt",}`}}},
			{Role: history.Tool, ToolCallID: "a", Content: "the text of a"},
			{Role: history.User, Content: "And now?"},
			{Role: history.Tool, ToolCallID: "lost", Content: "nobody asked for this"},
			{Role: history.Assistant, Content: "I read a."},
		} {
			m.Status = history.Imported
			if err := add(store.Message{Message: m}); err != nil {
				return store.Session{}, err
			}
		}
		return store.Session{Title: "long", TitleFrom: "user", Endpoint: "large", Model: "m", Preset: "balanced"}, nil
	}, store.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if l.s, err = Open(t.Context(), l.deps, row.ID, "large/m"); err != nil {
		t.Fatal(err)
	}
	return l
}

// ServeHTTP keeps what it gets and does what comes next.
func (l *longConversation) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		l.t.Errorf("read a request: %v", err)
	}
	l.Came(body)
	l.mu.Lock()
	l.sent[hash(body)] = string(body)
	l.left++
	if strings.Contains(string(body), summaryPrompt) {
		l.condensed++
		l.mu.Unlock()
		says("They spoke of sums.")(w, r)
		return
	}
	next := says("Yes.")
	if len(l.answers) > 0 {
		next, l.answers = l.answers[0], l.answers[1:]
	}
	l.mu.Unlock()
	next(w, r)
}

func (l *longConversation) will(steps ...step) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers = steps
}

// one picks one of a list.
func one[T any](l *longConversation, list ...T) T { return list[l.dice.IntN(len(list))] }

// did counts a deed, and whatever it is it must not fail.
func (l *longConversation) did(action string, err error) {
	l.t.Helper()
	l.actions[action]++
	if err != nil {
		l.t.Fatalf("%s: %v", action, err)
	}
}

// change changes something that requests depend on, every other time.
func (l *longConversation) change() {
	ctx := l.t.Context()
	message := l.s.Messages()[l.dice.IntN(len(l.s.Messages()))].ID
	switch l.dice.IntN(20) {
	case 0:
		l.did("budget", l.s.Apply(ctx, Trial{Budget: new(one(l, 0, 1200, 2500, 5000))}))
	case 1:
		l.did("preset", l.s.Apply(ctx, Trial{Preset: one(l, history.Presets()...)}))
	case 2:
		l.did("placement", l.s.Apply(ctx, Trial{Placement: one(l, history.Steady, history.InOrder)}))
	case 3:
		l.did("model", l.s.SetModel(ctx, one(l, "large/m", "large/n", "small/m", "thinker/r1")))
	case 4:
		n := one(l, 0, 3000)
		l.did("model", l.s.Apply(ctx, Trial{Model: one(l, "large/m", "small/m", "thinker/r1"), Preset: one(l, "balanced", "classic"), Budget: &n}))
	case 5:
		l.did("system", l.s.SetSystem(ctx, one(l, "", "Be long.", "Größer <&>\u2028")))
	case 6:
		var err error
		l.undo, err = l.s.SetFlags(ctx, history.Pin, message, message+1)
		if errors.Is(err, store.ErrNotFound) {
			l.undo, err = l.s.SetFlags(ctx, history.Pin, message)
		}
		l.did("pin", err)
	case 7:
		var err error
		l.undo, err = l.s.SetFlags(ctx, history.Exclude, message)
		l.did("exclude", err)
	case 8, 9:
		if l.undo != nil {
			_, err := l.s.RestoreFlags(ctx, l.undo)
			l.did("undo", err)
			l.undo = nil
		}
	case 10, 11:
		l.did("remedy", l.s.SetRemedy(ctx, one(l, history.SendRepaired, history.SendAsText, history.LeaveOut), message))
	case 12:
		row := l.s.Info()
		if leaf := row.Leaf - int64(l.dice.IntN(40)); leaf > 0 {
			l.did("switch", l.s.Switch(ctx, leaf))
		}
	}
}

// turn has one turn of any kind. One that does not fit sends nothing, and the budget is set free again.
func (l *longConversation) turn(n int) {
	ctx, stop := context.WithCancel(l.t.Context())
	defer stop()
	draft := fmt.Sprintf("Question %d about %s? ", n, one(l, "sums", "größere Dinge", "猫", "<&>\u2028")) + strings.Repeat("Please. ", one(l, 0, 0, 10, 80))
	answer := says(strings.Repeat(one(l, "So it is. ", "größer ", "\x00x"), one(l, 1, 20, 300)))
	sum := fmt.Sprintf(`{"a":%d,"b":2}`, n)
	id := one(l, fmt.Sprintf("call-%d", n), "again", "", "ä b")
	l.will(answer)
	var events []Event
	var err error
	action := one(l, "send", "send", "send", "call", "damaged call", "two calls", "alone", "edit", "regenerate", "reasoning", "broken", "refused", "stopped")
	switch action {
	case "call":
		l.will(calls(id, "add", sum), answer)
	case "damaged call":
		l.will(calls(id, one(l, "add", "nothing", ""), one(l, `{"a":1`, ``, `nonsense`, `{'a': 1,}`, `{"a":1}{"b":2}`)), answer)
	case "two calls":
		l.will(twoCalls(id, sum, one(l, sum, `{"a":`)), answer)
	case "reasoning":
		l.will(carries)
	case "broken":
		l.will(breaks("half an ans"))
	case "refused":
		l.will(refuses(400, `{"error":{"message":"This model's maximum context length is 3000 tokens. Please reduce the length of the messages.","code":"context_length_exceeded"}}`), answer)
	}
	switch action {
	case "alone":
		events, err = drain(l.s.SendAs(ctx, SendOptions{Alone: true}, draft))
	case "edit":
		all := l.s.Messages()
		m := all[l.dice.IntN(len(all))]
		for m.Role != history.User {
			m = all[l.dice.IntN(len(all))]
		}
		events, err = drain(l.s.Edit(ctx, SendOptions{}, m.ID, draft))
	case "regenerate":
		all := l.s.Messages()
		events, err = drain(l.s.Regenerate(ctx, all[max(0, len(all)-1-l.dice.IntN(12))].ID))
	case "stopped":
		l.will(hangs(make(chan struct{}), "As I was s"))
		arriving := l.s.Send(ctx, draft)
		for e := range arriving {
			if _, ok := e.(Delta); ok {
				stop()
			}
			if f, ok := e.(Finished); ok {
				err = f.Err
			}
		}
	default:
		events, err = drain(l.s.Send(ctx, draft))
	}
	if over := (*history.OverBudgetError)(nil); errors.As(err, &over) {
		if err := l.s.Apply(l.t.Context(), Trial{Budget: new(0)}); err != nil {
			l.t.Fatal(err)
		}
		return
	}
	if tools := (*ToolError)(nil); errors.Is(err, ErrExcluded) || errors.As(err, &tools) {
		return // The message is not asked again, or the model asks again for a tool that it does not have.
	}
	if unknown := (*ToolError)(nil); errors.As(err, &unknown) {
		err = nil // The thinker has no tools, and a call of one ends the turn the second time.
	}
	if provider := (*llm.Error)(nil); err != nil && !(action == "broken" && errors.As(err, &provider)) {
		l.t.Fatalf("turn %d (%s) of %d events failed: %v", n, action, len(events), err)
	}
	l.actions[action]++
}

// twoCalls asks for two tools at once, under one id.
func twoCalls(id, first, second string) step {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		var list []any
		for i, arguments := range []string{first, second} {
			list = append(list, map[string]any{"index": i, "id": id, "type": "function", "function": map[string]any{"name": "add", "arguments": arguments}})
		}
		delta(w, map[string]any{"content": "I add twice.", "tool_calls": list})
		finish(w, "tool_calls", promptOf(r), 3)
	}
}
