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

// script is a server that answers one request after another as its steps say. A request beyond the
// last step is a failure of the test.
type script struct {
	t     testing.TB
	steps []step
	info  map[string]func() string // what the server says about itself, by path

	*llmtest.Ledger

	mu     sync.Mutex
	bodies []string
	keys   []string // the Authorization of each request
}

// observing counts what the events of turns and titles announce. It is sessiontest.Observe, which imports this package.
func observing(l *llmtest.Ledger) func(turn any, e Event) {
	return func(turn any, e Event) {
		switch e := e.(type) {
		case Planned:
			l.NotePlan(turn, e.Request.Endpoint)
		case Waiting:
			if e.Change == "" { // A notice says the rest.
				l.NoteRepeat(turn)
			}
		case Notice:
			l.NoteSentence(turn, e.Text)
		}
	}
}

// wantAnnounced wants that every request for an answer that came was announced and is recorded, and no other.
func wantAnnounced(t testing.TB, l *llmtest.Ledger, st *store.Store) {
	t.Helper()
	if err := l.Compare(storetest.Attempts(st.Path())); err != nil {
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

// body is what the nth request held, from 1.
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
	fmt.Fprintf(w, "data: %s\n\n", text)
	w.(http.Flusher).Flush()
}

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
		w.Header().Set("Content-Type", "text/event-stream")
		for _, p := range pieces {
			delta(w, map[string]any{"content": p})
		}
		finish(w, "stop", promptOf(r), len(pieces))
	}
}

// promptOf is about what a server counts of a request: 12 for a small one.
func promptOf(r *http.Request) int {
	if r.ContentLength < 900 {
		return 12
	}
	return int(r.ContentLength / 4)
}

// calls asks for a tool.
func calls(id, name, arguments string) step {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		delta(w, map[string]any{"tool_calls": []any{map[string]any{
			"index": 0, "id": id, "type": "function", "function": map[string]any{"name": name, "arguments": arguments},
		}}})
		finish(w, "tool_calls", promptOf(r), 3)
	}
}

// hangs sends some pieces, says so, and then nothing until the client leaves.
func hangs(sent chan<- struct{}, pieces ...string) step {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, p := range pieces {
			delta(w, map[string]any{"content": p})
		}
		w.(http.Flusher).Flush()
		close(sent)
		<-r.Context().Done()
	}
}

// reports answers with a text and a usage of the server's own, "" for none.
func reports(text, usage string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
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

// thinks calls a tool after reasoning, or answers after it.
func thinks(reasoning string, then step) step {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		delta(w, map[string]any{"reasoning_content": reasoning})
		then(w, r)
	}
}

// breaks sends some pieces and then breaks the connection.
func breaks(pieces ...string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
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

// bench is what a test talks through: a store in a folder of its own and a scripted server.
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
		Base:   settings.Base{Policy: policy},
		System: "Be brief.",
		Count:  func(text string) int { return (len(text) + 3) / 4 },

		Observe: observing(s.Ledger),
	}}
}

// configure changes the scripted server's endpoint, and has nothing known of any endpoint, as in a new run.
func (b *bench) configure(change func(e *llm.Endpoint)) {
	all := b.deps.Models.Endpoints()
	change(&all[0])
	b.deps.Models = new(llm.Catalog).With(all...)
}

// offer gives the scripted server's models tools to call.
func (b *bench) offer(box *tool.Toolbox) { b.configure(func(e *llm.Endpoint) { e.Tools = box }) }

// believing makes the endpoint one whose window is configured as this; 0 is to be found out. Each request is tried
// once.
func (b *bench) believing(window int) {
	b.configure(func(e *llm.Endpoint) { e.Window, e.MaxAttempts = window, 1 })
}

// hosted makes the scripted server one of somebody else's, as far as its address tells, with prices.
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

// perMillion are prices in dollars for a million tokens.
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
	s, err := New(b.deps, Start{Ref: "test/m"})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// open opens the conversation again, as the next start of the program would.
func (b *bench) open(id string) *Session {
	b.t.Helper()
	s, err := Open(context.Background(), b.deps, id, "test/m")
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// loaded is open with all that is stored read.
func (b *bench) loaded(id string) *Session {
	b.t.Helper()
	s := b.open(id)
	if err := s.LoadRest(context.Background()); err != nil {
		b.t.Fatal(err)
	}
	return s
}

// written is when the conversations of some tests are held.
var written = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// emptyStore is another history, as on another machine.
func emptyStore(t testing.TB) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "winnow.db"), store.Options{})
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// beside opens the history once more, as another process does.
func (b *bench) beside() *store.Store {
	b.t.Helper()
	db, err := store.Open(context.Background(), b.deps.Store.Path(), store.Options{})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { db.Close() })
	return db
}

// stored is the session's row in the store.
func (b *bench) stored(s *Session) store.Session {
	b.t.Helper()
	row, err := b.deps.Store.Session(context.Background(), s.Info().ID)
	if err != nil {
		b.t.Fatalf("read the session: %v", err)
	}
	return row
}

// say is a message of the user's.
func say(text string, files ...history.Part) Draft { return Draft{Text: text, Files: files} }

// flagged gives messages a flag.
func flagged(f history.Flag, messages ...int64) map[int64]history.Flag {
	flags := map[int64]history.Flag{}
	for _, id := range messages {
		flags[id] = f
	}
	return flags
}

// drain reads a turn to its end and returns its events and its error. A call runs once, and no limit is exceeded.
func drain(events <-chan Event) ([]Event, error) {
	return drainAnswering(events, func(Question) approval.Answer { return approval.Answer{Choice: approval.Once} })
}

// completed is drain of a turn that must not fail.
func completed(t testing.TB, events <-chan Event) []Event {
	t.Helper()
	all, err := drain(events)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// drainAnswering is drain with other answers.
func drainAnswering(events <-chan Event, answer func(Question) approval.Answer) ([]Event, error) {
	var all []Event
	for e := range events {
		all = append(all, e)
		if asked, ok := e.(Asked); ok {
			asked.Answer(answer(asked.Question))
		}
		if over, ok := e.(OverLimit); ok {
			over.Answer(limits.No)
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

// notices are the sentences that a turn said by itself.
func notices(events []Event) []string {
	var all []string
	for _, n := range only[Notice](events) {
		all = append(all, n.Text)
	}
	return all
}

// transcript shows a branch as lines a person reads.
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

// adder is a toolbox with one tool.
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

// writer is a toolbox with a tool that says what it was run with.
func writer(t tool.Tool) *tool.Toolbox {
	box := &tool.Toolbox{}
	box.Register(t, func(_ context.Context, arguments json.RawMessage) (string, error) {
		return "wrote " + string(arguments), nil
	})
	return box
}
