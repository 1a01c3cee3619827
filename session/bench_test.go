package session

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/llmtest"
	"winnow/llm/pricing"
	"winnow/llm/tool"
	"winnow/session/approval"
	"winnow/session/limits"
	"winnow/session/settings"
	"winnow/session/store"
	"winnow/session/store/storetest"
)

// script is a server that answers requests with its steps, one after the other. A request after the last step fails the
// test.
type script struct {
	t     testing.TB
	steps []step
	info  map[string]func() string // what the server states about itself, by path

	*llmtest.Ledger

	mu     sync.Mutex
	bodies []string
	keys   []string // the Authorization header of each request
}

// observing records the announced requests. It is a copy of sessiontest.RecordAnnouncements, which imports this
// package.
func observing(l *llmtest.Ledger) func(turn any, e Event) {
	return func(turn any, e Event) {
		switch e := e.(type) {
		case Planned:
			l.NotePlan(turn, e.Request.Endpoint)
		case Retrying:
			if e.Change == "" { // otherwise a notice follows
				l.NoteRepeat(turn)
			}
		case Notice:
			l.NoteSentence(turn, e.Text)
		}
	}
}

// wantAnnounced reports an error unless the requests for answers that arrived were all announced and recorded.
func wantAnnounced(t testing.TB, l *llmtest.Ledger, st *store.Store) {
	t.Helper()
	if err := l.Compare(storetest.RecordedAttempts(st.Path())); err != nil {
		t.Error(err)
	}
}

// step answers one request.
type step func(w http.ResponseWriter, r *http.Request)

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if shown, ok := s.info[r.URL.Path]; ok {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, shown())
		return
	}
	if strings.HasSuffix(r.URL.Path, "/models") || r.URL.Path == "/api/show" || r.Method == http.MethodGet {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("read the request: %v", err)
	}
	s.CountBody(body)
	s.mu.Lock()
	n := len(s.bodies)
	s.bodies, s.keys = append(s.bodies, string(body)), append(s.keys, r.Header.Get("Authorization"))
	s.mu.Unlock()
	if n >= len(s.steps) {
		s.t.Errorf("request %d has no step in the script: %s", n+1, body)
		http.Error(w, "no step", http.StatusInternalServerError)
		return
	}
	s.steps[n](w, r)
}

// body returns the body of the nth request, from 1.
func (s *script) body(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > len(s.bodies) {
		s.t.Fatalf("there were %d requests, want at least %d", len(s.bodies), n)
	}
	return s.bodies[n-1]
}

func (s *script) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

// event writes one server-sent event.
func event(w http.ResponseWriter, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: %s\n\n", text)
	w.(http.Flusher).Flush()
}

// delta writes a piece of an answer.
func delta(w http.ResponseWriter, fields map[string]any) {
	event(w, map[string]any{"choices": []any{map[string]any{"index": 0, "delta": fields}}})
}

func finish(w http.ResponseWriter, reason string, prompt, answer int) {
	event(w, map[string]any{
		"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": reason}},
	})
	event(w, map[string]any{
		"choices": []any{}, "usage": map[string]any{"prompt_tokens": prompt, "completion_tokens": answer},
	})
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// says answers with these pieces.
func says(pieces ...string) step {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, p := range pieces {
			delta(w, map[string]any{"content": p})
		}
		finish(w, "stop", promptOf(r), len(pieces))
	}
}

// promptOf returns the number of tokens that a server counts for a request, roughly: 12 for a small one.
func promptOf(r *http.Request) int {
	if r.ContentLength < 900 {
		return 12
	}
	return int(r.ContentLength / 4)
}

// calls answers with a tool call.
func calls(id, name, arguments string) step {
	return func(w http.ResponseWriter, r *http.Request) {
		delta(w, map[string]any{"tool_calls": []any{map[string]any{
			"index": 0, "id": id, "type": "function", "function": map[string]any{"name": name, "arguments": arguments},
		}}})
		finish(w, "tool_calls", promptOf(r), 3)
	}
}

// hangs sends some pieces, closes sent, and then sends nothing until the client disconnects.
func hangs(sent chan<- struct{}, pieces ...string) step {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, p := range pieces {
			delta(w, map[string]any{"content": p})
		}
		w.(http.Flusher).Flush()
		close(sent)
		<-r.Context().Done()
	}
}

// reports answers with a text and this usage, "" for none.
func reports(text, usage string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		delta(w, map[string]any{"content": text})
		event(w, map[string]any{
			"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": "stop"}},
		})
		if usage != "" {
			fmt.Fprintf(w, "data: {\"choices\": [], \"usage\": %s}\n\n", usage)
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

// thinks sends reasoning before the answer of another step.
func thinks(reasoning string, then step) step {
	return func(w http.ResponseWriter, r *http.Request) {
		delta(w, map[string]any{"reasoning_content": reasoning})
		then(w, r)
	}
}

// breaks sends some pieces and then breaks the connection.
func breaks(pieces ...string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, p := range pieces {
			delta(w, map[string]any{"content": p})
		}
		panic(http.ErrAbortHandler)
	}
}

// refuses answers with a status and a body.
func refuses(status int, body string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// bench is what a test needs for conversations: a store in a folder of its own and a scripted server.
type bench struct {
	*script
	deps Deps
}

func newBench(t testing.TB, steps ...step) *bench {
	t.Helper()
	s := &script{t: t, steps: steps, Ledger: new(llmtest.Ledger)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	st := emptyStore(t)
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { wantAnnounced(t, s.Ledger, st) })
	return &bench{script: s, deps: Deps{
		Store: st,
		Models: new(llm.Catalog).With(llm.Endpoint{
			Name: "test", BaseURL: server.URL + "/v1", Key: "sk-test", DefaultModel: "m", Window: 8192,
		}),
		Global: settings.Global{Policy: policy},
		System: "Be brief.",
		Count:  func(text string) int { return (len(text) + 3) / 4 },

		Observe: observing(s.Ledger),
	}}
}

// configure changes the endpoint of the scripted server and forgets what was learned of endpoints, like a restart.
func (b *bench) configure(change func(e *llm.Endpoint)) {
	all := b.deps.Models.Endpoints()
	change(&all[0])
	b.deps.Models = new(llm.Catalog).With(all...)
}

// offer gives tools to the models of the scripted server.
func (b *bench) offer(box *tool.Toolbox) { b.configure(func(e *llm.Endpoint) { e.Tools = box }) }

// believing sets the configured window of the endpoint, 0 for none, and lets each request be tried only once.
func (b *bench) believing(window int) {
	b.configure(func(e *llm.Endpoint) { e.Window, e.MaxAttempts = window, 1 })
}

// hosted moves the endpoint to an address that is not the user's own machine, with these prices.
func (b *bench) hosted(prices map[string]pricing.Prices) {
	b.configure(func(e *llm.Endpoint) {
		if e.Doer == nil {
			server, err := url.Parse(e.BaseURL)
			if err != nil {
				b.t.Fatal(err)
			}
			e.BaseURL, e.Doer = "http://llm.example.com/v1", otherHost{server.Host}
		}
		e.Prices = prices
	})
}

// otherHost sends every request to one host.
type otherHost struct{ host string }

func (e otherHost) Do(req *http.Request) (*http.Response, error) {
	req.URL.Host = e.host
	return http.DefaultTransport.RoundTrip(req)
}

// perMillion returns prices in dollars per million tokens.
func perMillion(in, out pricing.Money) map[string]pricing.Prices {
	return map[string]pricing.Prices{
		pricing.AnyModel: {
			Rates:  pricing.Rates{In: in * pricing.Dollar, Cached: in * pricing.Dollar / 10, Out: out * pricing.Dollar},
			Source: "the test",
		},
	}
}

// begin starts a conversation with the scripted server.
func (b *bench) begin() *Session {
	b.t.Helper()
	s, err := New(b.deps, StartOptions{Model: "test/m"})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// open opens the conversation again, as a restart would.
func (b *bench) open(id string) *Session {
	b.t.Helper()
	s, err := Open(context.Background(), b.deps, id, "test/m")
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// loaded opens the conversation and loads the older messages.
func (b *bench) loaded(id string) *Session {
	b.t.Helper()
	s := b.open(id)
	if err := s.LoadOlder(context.Background()); err != nil {
		b.t.Fatal(err)
	}
	return s
}

// written is the time at which some tests hold their conversations.
var written = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// emptyStore returns a store in a folder of its own.
func emptyStore(t testing.TB) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "winnow.db"), store.Options{})
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// beside opens the store once more, as another process would.
func (b *bench) beside() *store.Store {
	b.t.Helper()
	db, err := store.Open(context.Background(), b.deps.Store.Path(), store.Options{})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { db.Close() })
	return db
}

// stored returns the row of the session in the store.
func (b *bench) stored(s *Session) store.Session {
	b.t.Helper()
	row, err := b.deps.Store.Session(context.Background(), s.Info().ID)
	if err != nil {
		b.t.Fatalf("read the session: %v", err)
	}
	return row
}

// say returns a draft.
func say(text string, files ...history.Part) Draft { return Draft{Text: text, Files: files} }

// flagged returns one flag for several messages.
func flagged(f history.Flag, messages ...int64) map[int64]history.Flag {
	flags := map[int64]history.Flag{}
	for _, id := range messages {
		flags[id] = f
	}
	return flags
}

// drain reads a turn to its end and returns its events and its error. It allows every tool call once and no request
// above a limit.
func drain(events <-chan Event) ([]Event, error) {
	return drainAnswering(events, func(ToolQuestion) approval.Answer { return approval.Answer{Choice: approval.AllowOnce} })
}

// completed is drain for a turn that must not fail.
func completed(t testing.TB, events <-chan Event) []Event {
	t.Helper()
	all, err := drain(events)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// drainAnswering is drain with other answers about tool calls.
func drainAnswering(events <-chan Event, answer func(ToolQuestion) approval.Answer) ([]Event, error) {
	var all []Event
	for e := range events {
		all = append(all, e)
		if asked, ok := e.(ApprovalNeeded); ok {
			asked.Answer(answer(asked.ToolQuestion))
		}
		if over, ok := e.(LimitExceeded); ok {
			over.Answer(limits.DoNotSend)
		}
		if f, ok := e.(Finished); ok {
			return all, f.Err
		}
	}
	return all, fmt.Errorf("the events ended without Finished")
}

// until reads a turn up to the first event of a type.
func until[E Event](events <-chan Event) {
	for e := range events {
		if _, ok := e.(E); ok {
			return
		}
	}
}

// only returns the events of one type.
func only[E Event](events []Event) []E {
	var of []E
	for _, e := range events {
		if e, ok := e.(E); ok {
			of = append(of, e)
		}
	}
	return of
}

// notices returns the sentences in the notices of a turn.
func notices(events []Event) []string {
	var all []string
	for _, n := range only[Notice](events) {
		all = append(all, n.Text)
	}
	return all
}

// transcript returns a branch as readable lines.
func transcript(messages []store.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s: %s", m.Role, m.Content)
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, " [%s %s]", c.Name, c.Arguments)
		}
		if m.Status != history.Complete {
			fmt.Fprintf(&b, " (%s)", m.Status)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func wantTranscript(t *testing.T, messages []store.Message, want string) {
	t.Helper()
	if got := transcript(messages); got != want {
		t.Errorf("the conversation is\n%swant\n%s", got, want)
	}
}

// addTool adds two numbers.
var addTool = tool.Tool{Name: "add", Description: "adds", Parameters: json.RawMessage(`{"type":"object"}`)}

func add(_ context.Context, arguments json.RawMessage) (string, error) {
	var n struct{ A, B int }
	err := json.Unmarshal(arguments, &n)
	return fmt.Sprint(n.A + n.B), err
}

// adder returns a toolbox with addTool.
func adder() *tool.Toolbox {
	box := &tool.Toolbox{}
	box.Register(addTool, add)
	return box
}

// remote is a tool of an MCP server.
var remote = tool.Tool{
	Name: "files__write", Server: "files", Description: "Writes a file.",
	Parameters: json.RawMessage(`{"type":"object"}`),
}

// writer returns a toolbox with a tool that returns its arguments.
func writer(t tool.Tool) *tool.Toolbox {
	box := &tool.Toolbox{}
	box.Register(t, func(_ context.Context, arguments json.RawMessage) (string, error) {
		return "wrote " + string(arguments), nil
	})
	return box
}
