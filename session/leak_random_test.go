package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/tool"
	"winnow/session/approval"
	"winnow/session/record"
	"winnow/session/store"
)

var (
	soak = flag.Int("soak", 0, "look for leaks in so many random conversations")
	seed = flag.Uint64("seed", 0, "the seed of the first random conversation; 0 takes a new one for a soak and "+
		"always the same otherwise")
)

// TestNothingExcludedIsInAnyRequest holds random conversations in which each message, call and result has a
// token that no other has. Nothing excluded is in any byte of a later request, for an answer, a summary or a
// title: not whole, cut, recalled or summarised. Under alone nothing is but the turn itself. Whoever is asked
// for a summary or a title repeats every token it was given. A stored message that is complete never changes, and at
// the end each request is made again.
func TestNothingExcludedIsInAnyRequest(t *testing.T) {
	t.Parallel()
	from, n := uint64(1), 60
	if *soak > 0 {
		from, n = uint64(time.Now().UnixNano()), *soak
	}
	if *seed > 0 {
		from = *seed
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && !t.Failed(); i = next.Add(1) - 1 {
				h := &heldConversation{t: t, seed: from + uint64(i)}
				h.hold()
			}
		})
	}
	workers.Wait()
	t.Logf("%d conversations from seed %d", n, from)
}

// tokenPattern finds the tokens in a text.
var tokenPattern = regexp.MustCompile(`tok[0-9a-f]{8}q`)

// heldConversation is one random conversation and the server that hears it.
type heldConversation struct {
	t     *testing.T
	seed  uint64
	dice  *rand.Rand
	deps  Deps
	s     *Session
	trace []string

	alone map[string]bool  // tokens of messages that were sent alone
	rows  map[int64]string // the stored messages that are complete, as they were first read

	mu        sync.Mutex
	tokens    int
	forbidden map[string]bool // tokens that no request may hold now
	allowed   map[string]bool // where it is set, the only older tokens that a request may hold
	known     map[string]bool // all tokens from before the running action
}

func (h *heldConversation) failf(format string, args ...any) {
	h.t.Errorf("seed %d (-soak 1 -seed %[1]d): %s\nafter %s", h.seed, fmt.Sprintf(format, args...),
		strings.Join(h.trace, "\n      "))
}

// token is a new token.
func (h *heldConversation) token() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tokens++
	return fmt.Sprintf("tok%08xq", uint32(h.seed)<<10+uint32(h.tokens))
}

var topics = []string{"garden", "engine", "violin", "harbour", "granite", "lantern"}

// text is a text with a token of its own at its beginning, in its middle and at its end.
func (h *heldConversation) text(words int) string {
	token, filler := h.token(), strings.Repeat(topics[h.dice.IntN(len(topics))]+" and ", words/2)
	return token + " " + filler + token + " " + filler + token
}

// Do answers a request within the process.
func (h *heldConversation) Do(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	if r.Method != http.MethodPost {
		http.NotFound(w, r)
		return w.Result(), nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	h.wantNothingHidden(body)
	h.reply(w, body)
	return w.Result(), nil
}

// wantNothingHidden checks what a request holds.
func (h *heldConversation) wantNothingHidden(body []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, token := range tokenPattern.FindAllString(string(body), -1) {
		switch {
		case h.forbidden[token]:
			h.failf("excluded %s is in the request %s", token, body)
			return
		case h.allowed != nil && h.known[token] && !h.allowed[token]:
			h.failf("%s is in the request of a message that was sent alone: %s", token, body)
			return
		}
	}
}

// reply says something, calls tools, breaks off or repeats the tokens that it was given.
func (h *heldConversation) reply(w http.ResponseWriter, body []byte) {
	var request struct {
		Tools    []json.RawMessage `json:"tools"`
		Messages []struct{ Role string }
	}
	if err := json.Unmarshal(body, &request); err != nil {
		h.failf("the request is no JSON: %v", err)
	}
	echo := func() string {
		list := tokenPattern.FindAllString(string(body), -1)
		slices.Sort(list)
		return strings.Join(slices.Compact(list), " ")
	}
	w.Header().Set("Content-Type", "text/event-stream")
	calls := 0
	switch {
	case bytes.Contains(body, []byte(summaryPrompt)):
		delta(w, map[string]any{"content": "Notes: " + echo()})
	case bytes.Contains(body, []byte(titlePrompt)):
		delta(w, map[string]any{"content": "Title " + echo()})
	case h.dice.IntN(12) == 0:
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":{"message":"no"}}`)
		return
	case len(request.Tools) > 0 && h.dice.IntN(3) == 0:
		calls = 1 + h.dice.IntN(2)
		var list []any
		for i := range calls {
			arguments := fmt.Sprintf(`{"a":"%s"}`, h.text(2))
			if h.dice.IntN(4) == 0 {
				arguments = arguments[:len(arguments)-1]
			}
			list = append(list, map[string]any{
				"index": i, "id": fmt.Sprintf("call%d_%d", h.tokens, i), "type": "function", "function": map[string]any{
					"name": "look", "arguments": arguments,
				},
			})
		}
		delta(w, map[string]any{"content": h.text(4), "tool_calls": list})
	default:
		delta(w, map[string]any{"content": h.text(2 + h.dice.IntN(60))})
		if h.dice.IntN(15) == 0 {
			return // it breaks off
		}
	}
	reason := "stop"
	if calls > 0 {
		reason = "tool_calls"
	}
	finish(w, reason, 0, 1)
}

// hold holds the conversation.
func (h *heldConversation) hold() {
	h.dice = rand.New(rand.NewPCG(h.seed, 18))
	h.alone, h.rows = map[string]bool{}, map[int64]string{}
	st, err := store.Open(h.t.Context(), store.Memory, store.Options{})
	if err != nil {
		h.t.Fatal(err)
	}
	defer st.Close()
	box := &tool.Toolbox{}
	box.Register(tool.Tool{Name: "look", Description: "looks", Parameters: json.RawMessage(`{"type":"object"}`)},
		func(_ context.Context, _ json.RawMessage) (string, error) {
			return h.text(1 + h.dice.IntN(300)), nil
		})
	policy, err := history.Preset("balanced")
	if err != nil {
		h.t.Fatal(err)
	}
	h.deps = Deps{
		Store: st, Policy: policy, System: "Be brief.", MaxRounds: 3,
		Approval:   approval.Rules{Mode: approval.AskFirst},
		TitleRef:   "test/titles",
		SummaryRef: []string{"", "test/notes", "gone/notes"}[h.dice.IntN(3)],
		Models: new(llm.Catalog).With(llm.Endpoint{
			Name: "test", BaseURL: "http://127.0.0.1:9/v1", Default: "m", Window: 8192, Doer: h, Tools: box, Tries: 1,
			Profile: history.Profile{MergeSameRole: h.dice.IntN(4) == 0, NoToolToUser: h.dice.IntN(4) == 0},
		}),
		Count: func(text string) int { return (len(text) + 3) / 4 },
	}
	if h.dice.IntN(4) == 0 {
		h.deps.Models.Endpoints() // the catalogue is read before the first turn
	}
	if h.begin(); h.t.Failed() {
		return
	}
	for range 6 + h.dice.IntN(14) {
		if h.act(); h.t.Failed() {
			return
		}
		h.checkRows()
	}
	h.replay()
}

// replay wants that every request of the conversation is made again byte for byte, unless its record says otherwise.
func (h *heldConversation) replay() {
	records := h.s.Records()
	for turn := 1; turn <= h.s.Info().Turns; turn++ {
		for nth := 1; ; nth++ {
			made, err := records.Replay(h.t.Context(), turn, nth)
			if missing := (*record.NoRequestError)(nil); errors.As(err, &missing) {
				break
			}
			if err != nil || !made.Proven && made.Doubt != "a stored message is damaged" {
				h.t.Errorf("seed %d: request %d of turn %d is not made again: %v, %s\n%s", h.seed, nth, turn, err,
					made.Doubt, strings.Join(h.trace, "\n"))
				return
			}
		}
	}
}

// checkRows wants that the stored messages are as they were.
func (h *heldConversation) checkRows() {
	for _, m := range h.stored() {
		if m.Status == history.Streaming {
			continue
		}
		// What is counted later, and how a turn behind it failed, is no part of what was said.
		m.Tokens, m.Tokenizer, m.Siblings, m.Sibling, m.Fault = 0, "", 0, 0, ""
		now := fmt.Sprintf("%+v", m)
		was, known := h.rows[m.ID]
		if known && now != was {
			h.failf("message %d was stored as\n%s\nand is\n%s", m.ID, was, now)
			return
		}
		h.rows[m.ID] = now
	}
}

// begin begins with nothing, or with an imported conversation in which calls and results have got lost.
func (h *heldConversation) begin() {
	var err error
	if h.dice.IntN(3) > 0 {
		if h.s, err = New(h.deps, Start{Ref: "test/m"}); err != nil {
			h.t.Fatal(err)
		}
		return
	}
	call := func(id string) history.ToolCall {
		return history.ToolCall{ID: id, Name: "look", Arguments: `{"a":"` + h.token() + `"`}
	}
	conversation := store.Conversation{Session: store.Session{}, Leaf: -1}
	same := h.text(3)
	for _, m := range []history.Message{
		{Role: history.System, Content: h.text(2)},
		{Role: history.User, Content: h.text(8)},
		{Role: history.Assistant, ToolCalls: []history.ToolCall{call("a"), call("a")}},
		{Role: history.Tool, ToolCallID: "a", Content: same},
		{Role: history.Tool, ToolCallID: "a", Content: h.text(3)},
		{Role: history.Tool, ToolCallID: "a", Content: h.text(3)},
		{Role: history.User, Content: h.text(30)},
		{Role: history.Tool, ToolCallID: "lost", Content: h.text(4)},
		{Role: history.System, Content: h.text(2)},
		{Role: history.Assistant, Content: h.text(40), ToolCalls: []history.ToolCall{call("b")}},
		{Role: history.User, Content: h.text(5)},
		{Role: history.Tool, ToolCallID: "b", Content: h.text(5)},
		{Role: history.Assistant, Content: h.text(50)},
	} {
		if h.dice.IntN(8) == 0 {
			continue
		}
		m.Status = history.Imported
		conversation.Add(store.Message{Message: m})
	}
	imported, err := h.deps.Store.Import(h.t.Context(), conversation, store.ImportOptions{})
	if err != nil {
		h.failf("import: %v", err)
		return
	}
	row := imported.Session
	h.open(row.ID)
}

func (h *heldConversation) open(id string) {
	s, err := Open(h.t.Context(), h.deps, id, "test/m")
	if err != nil {
		h.failf("open: %v", err)
		return
	}
	h.s = s
}

// stored is every message of the session, on every branch.
func (h *heldConversation) stored() []store.Message {
	id := h.s.Info().ID
	if id == "" {
		return nil
	}
	all, err := h.deps.Store.Messages(h.t.Context(), id)
	if err != nil {
		h.failf("read the messages: %v", err)
	}
	return all
}

// tokensOf is the tokens of a message and its calls.
func tokensOf(m store.Message) []string {
	text := m.Content
	for _, c := range m.ToolCalls {
		text += " " + c.Arguments
	}
	return tokenPattern.FindAllString(text, -1)
}

// watch sets what the requests from now on may hold. The question is the message that is asked alone, "" for no
// such turn.
func (h *heldConversation) watch(all []store.Message, alone bool, question []string) {
	forbidden, known := map[string]bool{}, map[string]bool{}
	for _, m := range all {
		for _, token := range tokensOf(m) {
			known[token] = true
		}
		excluded := h.s.Now().Flags[m.ID] == history.Exclude
		for _, id := range h.s.Group(m.ID) {
			excluded = excluded || h.s.Now().Flags[id] == history.Exclude
		}
		if !excluded {
			continue
		}
		for _, token := range tokensOf(m) {
			forbidden[token] = true
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forbidden, h.known, h.allowed = forbidden, known, nil
	if alone {
		h.allowed = map[string]bool{}
		for _, token := range question {
			h.allowed[token] = true
		}
	}
}

// act does one thing.
func (h *heldConversation) act() {
	all := h.stored()
	if len(all) == 0 {
		h.say(all, h.dice.IntN(6) == 0)
		return
	}
	picked := all[h.dice.IntN(len(all))]
	note := func(format string, args ...any) { h.trace = append(h.trace, fmt.Sprintf(format, args...)) }
	h.watch(all, false, nil)
	ctx := h.t.Context()
	var err error
	switch h.dice.IntN(20) {
	case 0, 1, 2, 3:
		h.say(all, false)
	case 4:
		h.say(all, true)
	case 5, 6, 7:
		flag := []history.Flag{history.Exclude, history.Exclude, history.Pin, ""}[h.dice.IntN(4)]
		branch := h.s.Messages() // what a window shows
		picked = branch[h.dice.IntN(len(branch))]
		note("flag %d %q", picked.ID, flag)
		_, err = h.s.SetFlags(ctx, flagged(flag, picked.ID))
	case 8:
		note("compact")
		h.run(h.s.Compact(ctx), false)
	case 9:
		h.again(all, picked)
	case 10:
		h.edit(all, picked)
	case 11:
		note("retry")
		h.again(all, store.Message{Message: history.Message{ID: h.s.Info().Leaf}})
	case 12:
		note("switch to %d", picked.ID)
		err = h.s.Switch(ctx, picked.ID)
	case 13:
		preset := history.Presets()[h.dice.IntN(len(history.Presets()))]
		note("preset %s", preset)
		err = h.s.Set(ctx, Settings{Preset: preset})
	case 14:
		budget := []int{0, 600, 900, 1500, 3000}[h.dice.IntN(5)]
		note("budget %d", budget)
		err = h.s.Set(ctx, Settings{Budget: new(budget)})
	case 15:
		note("title")
		if _, more := h.s.Retitle(ctx, true, func(Event) {}); more != nil && !errors.Is(more, ErrNothingToAnswer) {
			err = more
		}
	case 16:
		row, more := h.s.Fork(ctx, picked.ID)
		if note("fork at %d", picked.ID); more != nil {
			err = more
			break
		}
		h.open(row.ID)
	case 17:
		note("reopen")
		h.open(h.s.Info().ID)
	case 18:
		note("compact %t", h.dice.IntN(2) == 0)
		err = h.s.Set(ctx, Settings{SummaryAlways: new(h.dice.IntN(2) == 0)})
	case 19:
		remedy := history.Remedies()[h.dice.IntN(len(history.Remedies()))]
		note("remedy %d %q", picked.ID, remedy)
		err = h.s.SetRemedy(ctx, remedy, picked.ID)
	}
	if err != nil {
		h.failf("%v", err)
	}
}

// say sends a message. Its preview is watched as the request is.
func (h *heldConversation) say(all []store.Message, alone bool) {
	draft := h.text(2 + h.dice.IntN(80))
	h.trace = append(h.trace, fmt.Sprintf("send %.30s alone %t", draft, alone))
	if alone {
		for _, token := range tokenPattern.FindAllString(draft, -1) {
			h.alone[token] = true
		}
		h.watch(all, true, nil)
		h.run(h.s.Send(h.t.Context(), Draft{Alone: true, Text: draft}), true)
		return
	}
	h.watch(all, false, nil)
	if plan, err := h.s.Preview(say(draft)); err == nil {
		if body, err := h.s.Try(context.Background(), Settings{}).Body(plan); err == nil {
			h.wantNothingHidden(body)
		}
	}
	h.run(h.s.Send(h.t.Context(), say(draft)), true)
}

// question is the user's message of the turn that a message belongs to.
func (h *heldConversation) question(all []store.Message, id int64) (store.Message, bool) {
	byID := map[int64]store.Message{}
	for _, m := range all {
		byID[m.ID] = m
	}
	for m, there := byID[id]; there; m, there = byID[m.Parent] {
		if m.Role == history.User {
			return m, true
		}
	}
	return store.Message{}, false
}

func (h *heldConversation) isAlone(m store.Message) bool {
	return slices.ContainsFunc(tokensOf(m), func(token string) bool { return h.alone[token] })
}

// again asks for another answer.
func (h *heldConversation) again(all []store.Message, m store.Message) {
	h.trace = append(h.trace, fmt.Sprintf("regenerate %d", m.ID))
	user, there := h.question(all, m.ID)
	alone := there && h.isAlone(user)
	h.watch(all, alone, tokensOf(user))
	h.run(h.s.Regenerate(h.t.Context(), m.ID, ""), true)
}

// edit says something in the place of a message of the user's.
func (h *heldConversation) edit(all []store.Message, m store.Message) {
	user, there := h.question(all, m.ID)
	if !there {
		return
	}
	draft := h.text(2 + h.dice.IntN(40))
	h.trace = append(h.trace, fmt.Sprintf("edit %d", user.ID))
	alone := h.isAlone(user)
	if alone {
		for _, token := range tokenPattern.FindAllString(draft, -1) {
			h.alone[token] = true
		}
	}
	h.watch(all, alone, nil)
	if plan, err := h.s.Preview(Draft{Instead: user.ID, Text: draft}); err == nil {
		if body, err := h.s.Try(context.Background(), Settings{}).Body(plan); err == nil {
			h.wantNothingHidden(body)
		}
	}
	h.run(h.s.Send(h.t.Context(), Draft{Instead: user.ID, Text: draft}), true)
}

// run reads a turn to its end, answers its questions and excludes something while it runs, now and then.
func (h *heldConversation) run(events <-chan Event, meddles bool) {
	for e := range events {
		switch e := e.(type) {
		case Asked:
			if meddles && h.dice.IntN(3) == 0 {
				h.meddle()
			}
			answer := approval.Answer{}
			if h.dice.IntN(6) > 0 {
				answer.Choice = approval.Once
			}
			e.Answer(answer)
		}
	}
}

// meddle excludes a message of the branch while a turn waits for the user.
func (h *heldConversation) meddle() {
	branch := h.s.Messages()
	m := branch[max(0, len(branch)-1-h.dice.IntN(4))]
	h.trace = append(h.trace, fmt.Sprintf("exclude %d during the turn", m.ID))
	if _, err := h.s.SetFlags(h.t.Context(), flagged(history.Exclude, m.ID)); err != nil {
		h.failf("%v", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, token := range tokensOf(m) {
		h.forbidden[token] = true
	}
}
