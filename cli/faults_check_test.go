package cli

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/llmtest"
	"winnow/session"
	"winnow/session/store"
)

// raw matches what a person should never have to read: texts of parsers and of the Go runtime.
var raw = regexp.MustCompile(
	`\bEOF\b|invalid character '|unexpected end of JSON|json: |strconv|%!|malformed HTTP|goroutine|nil ` +
		`pointer|net/http: |x509: |tls: |\bPost "|\bGet "|read tcp|context deadline|io: |syscall|NaN`)

// check holds what is true of every cell.
func (a *actor) check(o *outcome) {
	a.t.Helper()
	for _, text := range o.seen {
		if raw.MatchString(text) || strings.TrimSpace(text) == "" {
			a.failf("a person reads %q", text)
		}
	}
	if a.session == "" {
		a.failf("nothing is stored; a person reads %q", o.seen)
		return
	}
	rows := a.rows()
	a.checkAttempts(o)
	a.checkRows(o, rows)
	if a.run && !soak() {
		return // What is stored is the same as in a chat, where the next turn is tried.
	}
	a.server.Heal()
	a.nextTurn(rows)
}

func (a *actor) failf(format string, args ...any) {
	a.t.Helper()
	a.t.Errorf("%v: %s", a.cell, fmt.Sprintf(format, args...))
}

// rows are the messages of the turn.
func (a *actor) rows() []store.Message {
	a.t.Helper()
	row, err := a.store.Session(a.t.Context(), a.session)
	if err != nil {
		a.t.Fatalf("%v: %v", a.cell, err)
	}
	rows, err := a.store.Branch(a.t.Context(), row.Leaf, 0)
	if err != nil {
		a.t.Fatalf("%v: %v", a.cell, err)
	}
	if a.past() {
		rows = rows[24:]
	}
	return rows
}

// carriesConversation says that a request that left holds a part of the conversation and wants an answer.
func carriesConversation(h llmtest.Heard) bool {
	return h.Asks != llmtest.Plan && h.Asks != llmtest.Window && strings.Contains(h.Body, "harbour")
}

// checkAttempts wants that what left, what is recorded and what a person read of it are as many requests.
func (a *actor) checkAttempts(o *outcome) {
	var requests llmtest.Ledger
	for _, h := range a.server.Heard() {
		if carriesConversation(h) {
			requests.Came([]byte(h.Body))
		}
		if h.Asks == llmtest.Window && strings.Contains(h.Path+h.Body, "harbour") {
			a.failf("a question about the server carries a part of the conversation: %+v", h)
		}
	}
	requests.Plan(a, "example")
	for _, text := range o.seen {
		requests.Say(a, text)
	}
	records, err := a.store.Requests(a.t.Context(), a.session, store.RequestFilter{})
	if err != nil {
		a.t.Fatalf("%v: %v", a.cell, err)
	}
	recorded := 0
	for _, r := range records {
		recorded += 1 + r.Retries
	}
	if err := requests.Compare(recorded, true); err != nil {
		a.failf("%v; a person reads %q", err, o.seen)
	}
}

// checkRows wants the user's message once and whole, every byte that came, and a word about an answer that is not
// whole.
func (a *actor) checkRows(o *outcome, rows []store.Message) {
	if len(rows) == 0 || rows[0].Role != history.User || rows[0].Content != faultQuestion ||
		rows[0].Status != history.Complete {
		a.failf("the turn is stored as %s", transcriptOf(rows))
		return
	}
	last := rows[len(rows)-1]
	whole := last.Role == history.Assistant && last.Status == history.Complete
	if !whole && len(o.seen) == 0 {
		a.failf("there is no whole answer, and nothing says so: %s", transcriptOf(rows))
	}
	if a.run && whole != (o.exit == OK) {
		a.failf("run ended with %d after %s, and said %q", o.exit, transcriptOf(rows), o.seen)
	}
	if a.run && last.Role == history.Assistant && strings.TrimSpace(o.shown) != strings.TrimSpace(last.Content) {
		a.failf("run printed %q of the answer %q", o.shown, last.Content)
	}
	f := a.fault
	if f.Status != 0 || f.Dial != nil || f.Conn != nil || f.Whole || f.End == llmtest.GoesOn {
		return
	}
	var got, want string
	switch a.stage {
	case llmtest.Text, llmtest.AfterTool:
		got, want = last.Content, llmtest.FirstHalf
	case llmtest.Reasoning:
		got, want = last.Reasoning, llmtest.Thought
	case llmtest.End:
		got, want = last.Content, llmtest.FirstHalf+llmtest.SecondHalf
	case llmtest.Calls:
		want = llmtest.FirstArgument
		if len(last.ToolCalls) == 1 {
			got = last.ToolCalls[0].Arguments
		}
	}
	if got != want {
		a.failf("of the answer %q is stored, and %q came", got, want)
	}
}

func transcriptOf(rows []store.Message) string {
	var b strings.Builder
	for _, m := range rows {
		fmt.Fprintf(&b, "[%s %s %q %q %v]", m.Role, m.Status, m.Content, m.Reasoning, m.ToolCalls)
	}
	return b.String()
}

// nextTurn says something more to the server, which is sound now, and wants both messages of the user in a request that
// every strict server takes.
func (a *actor) nextTurn(rows []store.Message) {
	a.t.Helper()
	d := a.deps()
	d.Policy.SummarizeRatio = 0
	d.TitleRef = ""
	a.valid.register(d.Models)
	s := a.open(d)
	defer s.Close(a.t.Context())
	if err := a.valid.check(a, s, rows); err != nil {
		a.failf("%v", err)
	}
	before := len(a.server.Heard())
	for event := range s.Send(a.t.Context(), session.Draft{Text: faultNext}) {
		if e, ok := event.(session.Finished); ok && e.Err != nil {
			a.failf("the next turn fails: %v", e.Err)
		}
	}
	var body string
	for _, h := range a.server.Heard()[before:] {
		if carriesConversation(h) {
			body = h.Body
		}
	}
	if !strings.Contains(body, faultQuestion) || !strings.Contains(body, faultNext) {
		a.failf("the next request lacks a message of the user's: %s", body)
	}
	if strings.Contains(body, `"input":`) {
		return // The strict servers know Chat Completions alone.
	}
	profile := llmtest.Strictest
	if a.fault.Name == "echo-reasoning" {
		profile = llmtest.Thinking // It gets what no other server wants.
	}
	if err := llmtest.Check(profile, []byte(body)); err != nil {
		a.failf("the next request is not valid: %v\n%s", err, body)
	}
}

// validShapes checks conversations against every strict server, each form of one once.
type validShapes struct {
	mu        sync.Mutex
	seen      map[string]bool
	endpoints []*strictEndpoint
}

func newValidShapes() *validShapes {
	v := &validShapes{seen: map[string]bool{}}
	for i, x := range strictEndpoints() {
		e := &x.endpoint
		e.Name = fmt.Sprintf("strict%d", i)
		e.BaseURL, e.Window = "http://"+e.Name+".example.com/v1", 128_000
		if x.knows != nil {
			e.Known = *x.knows
		}
		e.Doer = nobody{}
		v.endpoints = append(v.endpoints, x)
	}
	return v
}

// nobody is a server that says nothing about itself.
type nobody struct{}

func (nobody) Do(*http.Request) (*http.Response, error) { return nil, errors.New("nobody is there") }

// register makes the strict servers known to a catalog.
func (v *validShapes) register(c *llm.Catalog) {
	for _, x := range v.endpoints {
		e := x.endpoint
		e.Tools = c.Endpoints()[0].Tools
		c.Add(e)
	}
}

// check plans the next request for every strict server and wants that it takes it.
func (v *validShapes) check(a *actor, s *session.Session, rows []store.Message) error {
	shape := transcriptOf(rows)
	v.mu.Lock()
	seen := v.seen[shape]
	v.seen[shape] = true
	v.mu.Unlock()
	if seen {
		return nil
	}
	return v.accepted(a, s)
}

func (v *validShapes) accepted(a *actor, s *session.Session) error {
	for _, x := range v.endpoints {
		ref := x.endpoint.Name + "/m"
		plan, err := s.Try(a.t.Context(), session.Settings{Model: ref}).Preview(session.Draft{Text: faultNext})
		if err != nil {
			return fmt.Errorf("plan for %s: %w", string(x.profile), err)
		}
		client := llm.NewClient(x.endpoint)
		r := llm.Request{Model: "m", Messages: plan.Messages}
		if !client.Profile("m").NoTools {
			r.Tools = a.tools().Tools()
		}
		body, err := client.Body(r)
		if err == nil {
			err = llmtest.Check(x.profile, body)
		}
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", string(x.profile), err, body)
		}
	}
	return nil
}
