package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/keys"
	"winnow/llm/llmtest"
	"winnow/llm/tool"
	"winnow/session"
	"winnow/session/approval"
	"winnow/session/record"
	"winnow/session/store"
)

// cell is one fault at one stage of a turn, in a chat or in run.
type cell struct {
	fault llmtest.Fault
	stage llmtest.Stage
	run   bool
}

func (c cell) String() string {
	where := "chat"
	if c.run {
		where = "run"
	}
	return fmt.Sprintf("%s at %s in %s", c.fault.Name, c.stage, where)
}

// outcome is what came of a cell.
type outcome struct {
	seen  []string // sentences, in their order
	shown string   // the answer as run prints it
	exit  Exit     // of run
}

// What the user says in each cell.
const (
	faultQuestion = "When does the harbour close?"
	faultNext     = "And the harbour on Sunday?"
)

// bench is where cells are acted out: one file of conversations, and a number for each cell, by which its server
// is another one than those of all cells before.
type faultBench struct {
	t     *testing.T
	dir   string
	store *store.Store
	cells int
	valid *validShapes
}

func newFaultBench(t *testing.T, valid *validShapes) *faultBench {
	t.Helper()
	b := &faultBench{t: t, dir: t.TempDir(), valid: valid}
	kept, err := store.Open(t.Context(), filepath.Join(b.dir, "winnow.db"), store.Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	b.store = kept
	return b
}

// close waits for what still tries to connect in the background, in the bubble's own time.
func (b *faultBench) close() {
	b.store.Close()
	time.Sleep(time.Minute)
}

// actor is one cell that is being acted out.
type actor struct {
	*faultBench
	cell
	server  *llmtest.Faulty
	base    string // the address of the server
	session string // where the conversation is, "" before it began
}

func (b *faultBench) actor(c cell) *actor {
	b.cells++
	a := &actor{faultBench: b, cell: c}
	scheme, host := "http", "api.example.com"
	if c.fault.TLS {
		scheme = "https"
	}
	if c.fault.Own {
		host = "127.0.0.1:8080"
	}
	a.base = fmt.Sprintf("%s://%s/cell%d/v1", scheme, host, b.cells)
	a.server = &llmtest.Faulty{Fault: c.fault, Stage: c.stage, Asks: purposeOf, Over: overPipes}
	return a
}

// overPipes is winnow's own client over connections in memory.
func overPipes(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Client {
	client := llm.OverNetwork()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy, transport.DialContext = nil, dial
	client.Transport = transport
	return client
}

// purposeOf tells requests apart by what they say.
func purposeOf(body string) llmtest.Stage {
	switch {
	case strings.Contains(body, "You give conversations their titles."):
		return llmtest.Title
	case strings.Contains(body, "You condense conversations."):
		return llmtest.Summary
	}
	return llmtest.Text
}

// past reports whether a long conversation comes before the turn.
func (c cell) past() bool { return c.fault.Past || c.stage == llmtest.Summary }

// begin stores the conversation before the turn, where there is one.
func (a *actor) begin() {
	a.t.Helper()
	if !a.past() {
		return
	}
	conversation := store.Conversation{Session: store.Session{
		Origin: fmt.Sprint(a.cell), Endpoint: "example", Model: "m",
		Title: "The harbour", TitleFrom: store.TitleUser,
	}, Leaf: -1}
	for n := range 12 {
		for _, m := range []history.Message{
			{Role: history.User, Content: fmt.Sprintf("Question %d about the harbour?", n+1)},
			{Role: history.Assistant, Content: fmt.Sprintf("Answer %d. ", n+1) +
				strings.Repeat("The harbour has a wall, a light and a crane. ", 9)},
		} {
			m.Status = history.Complete
			conversation.Add(store.Message{Message: m})
		}
	}
	imported, err := a.store.Import(a.t.Context(), conversation, store.ImportOptions{})
	if err != nil {
		a.t.Fatalf("%v: %v", a.cell, err)
	}
	row := imported.Session
	a.session = row.ID
}

// act acts the cell out and checks what came of it.
func (a *actor) act() {
	a.begin()
	var o outcome
	if a.run {
		o = a.inRun()
	} else {
		o = a.inChat()
	}
	a.check(&o)
}

// deps is what a chat of the cell needs.
func (a *actor) deps() session.Deps {
	preset := "balanced"
	if a.stage == llmtest.Summary {
		preset = "summary"
	}
	policy, err := history.Preset(preset)
	if err != nil {
		a.t.Fatal(err)
	}
	if a.stage == llmtest.Summary {
		policy.Budget = 1200
	}
	e := llm.Endpoint{
		Name: "example", BaseURL: a.base, Key: "sk-not-a-real-key-0000", KeyFrom: keys.Origin{Kind: keys.Config},
		Doer: a.server, Tools: a.tools(),
	}
	if a.stage == llmtest.Prices {
		e.Window = 8192
	}
	e.Exact = a.stage == llmtest.Plan
	d := session.Deps{
		Store: a.store, Models: new(llm.Catalog).With(e), Policy: policy, System: "Be brief.",
		Approval: approval.Rules{Mode: approval.Always},
		Now:      time.Now,
		Count:    func(text string) int { return (len(text) + 3) / 4 },
	}
	if a.stage == llmtest.Title {
		d.TitleRef = "example/m"
	}
	if sampled(a.fault) {
		d.Sampling = record.Sampling{Temperature: new(0.7), TopP: new(0.9), Effort: "minimal", MaxTokens: 4000}
	}
	return d
}

// sampled says that a fault is about what is asked of a model beside the messages.
func sampled(f llmtest.Fault) bool {
	switch f.Name {
	case "no-temperature", "wrong-temperature", "no-top-p", "not-both", "no-effort", "other-effort", "max-tokens",
		"completion-tokens":
		return true
	}
	return false
}

// tools is the one tool of a cell.
func (a *actor) tools() *tool.Toolbox {
	box := new(tool.Toolbox)
	box.Register(tool.Tool{
		Name: llmtest.Tool, Description: "says what is known of a place",
		Parameters: []byte(`{"type":"object","properties":{"place":{"type":"string"}}}`),
	},
		func(context.Context, json.RawMessage) (string, error) {
			return llmtest.Result, nil
		})
	return box
}

// inChat sends the question in a chat.
func (a *actor) inChat() (o outcome) {
	d := a.deps()
	s := a.open(d)
	defer s.Close(a.t.Context())
	if a.stage == llmtest.Plan {
		plan, err := s.Preview(session.Draft{Text: faultQuestion})
		if err == nil {
			_, err = s.Model().CountExactly(a.t.Context(), plan)
		}
		if err != nil {
			o.seen = append(o.seen, err.Error())
		}
	}
	o.seen = append(o.seen, a.follow(s.Send(a.t.Context(), session.Draft{Text: faultQuestion}))...)
	if row := s.Info(); s.Now().Row.TitleFrom == store.TitleAuto && row.Turns == 1 {
		if _, err := s.Retitle(a.t.Context(), false,
			func(e session.Event) { o.seen = append(o.seen, sentences(e)...) }); err != nil {
			o.seen = append(o.seen, err.Error())
		}
	}
	a.session = s.Info().ID
	return o
}

// open opens the conversation of the cell.
func (a *actor) open(d session.Deps) *session.Session {
	a.t.Helper()
	if a.session == "" {
		s, err := session.New(d, session.Start{Ref: "example/m"})
		if err != nil {
			a.t.Fatalf("%v: %v", a.cell, err)
		}
		return s
	}
	s, err := session.Open(a.t.Context(), d, a.session, "example/m")
	if err == nil {
		err = s.LoadRest(a.t.Context())
	}
	if err != nil {
		a.t.Fatalf("%v: %v", a.cell, err)
	}
	return s
}

// follow reads a turn to its end and gives the sentences that a person reads.
func (a *actor) follow(events <-chan session.Event) (seen []string) {
	for event := range events {
		seen = append(seen, sentences(event)...)
		if asked, ok := event.(session.Asked); ok {
			asked.Answer(approval.Answer{})
		}
	}
	return seen
}

// sentences are what a person reads of an event.
func sentences(event session.Event) []string {
	switch e := event.(type) {
	case session.Notice:
		return []string{e.Text}
	case session.Asked:
		if e.Reason == approval.Repaired {
			return []string{"You are asked whether the tool may run with repaired arguments."}
		}
		return []string{"You are asked whether the tool may run."}
	case session.Waiting:
		if e.Changed == "" {
			return []string{waitingText(e.Waiting)}
		}
	case session.Finished:
		if e.Err != nil {
			return []string{e.Err.Error()}
		}
	}
	return nil
}

// inRun sends the question with winnow run.
func (a *actor) inRun() (o outcome) {
	var c strings.Builder
	if a.stage == llmtest.Summary {
		c.WriteString("[context]\npreset = \"summary\"\nbudget = 1200\n")
	}
	if sampled(a.fault) {
		c.WriteString("[sampling]\ntemperature = 0.7\ntop_p = 0.9\neffort = \"minimal\"\nmax_tokens = 4000\n")
	}
	fmt.Fprintf(&c, "[endpoints.example]\nbase_url = %q\nkey = \"sk-not-a-real-key-0000\"\n", a.base)
	if a.stage == llmtest.Prices {
		c.WriteString("window = 8192\n")
	}
	args := []string{"run", "-m", "example/m", faultQuestion}
	if a.session != "" {
		args = append(args, "-s", a.session)
	}
	out, said, exit := a.winnow(a.server, c.String(), args...)
	o.shown, o.exit = out, exit
	for line := range strings.Lines(said) {
		o.seen = append(o.seen, strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "winnow: "))
	}
	if a.session == "" {
		last, err := a.store.Sessions(a.t.Context(), store.Filter{LastUsed: true, Limit: 1})
		if err == nil && len(last) > 0 {
			a.session = last[0].ID
		}
	}
	return o
}

// winnow runs a command of winnow in this process, with a configuration and whoever does the HTTP.
func (b *faultBench) winnow(network llm.Doer, config string, args ...string) (out, said string, exit Exit) {
	b.t.Helper()
	path := filepath.Join(b.dir, "config.toml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		b.t.Fatal(err)
	}
	files := map[string]*os.File{}
	for _, name := range []string{"in", "out", "err"} {
		f, err := os.Create(filepath.Join(b.dir, name))
		if err != nil {
			b.t.Fatal(err)
		}
		defer f.Close()
		files[name] = f
	}
	env := map[string]string{"HOME": b.dir, "WINNOW_CONFIG": path, "WINNOW_DB": filepath.Join(b.dir, "winnow.db")}
	p := &program{
		in: files["in"], out: &printer{file: files["out"]}, err: files["err"],
		env: func(name string) string { return env[name] }, now: time.Now, build: "test", network: network,
	}
	exit = p.main(b.t.Context(), args)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(b.dir, name))
		if err != nil {
			b.t.Fatal(err)
		}
		return string(text)
	}
	return read("out"), read("err"), exit
}
