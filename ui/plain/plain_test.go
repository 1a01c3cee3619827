package plain

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/llmtest"
	"winnow/llm/tool"
	"winnow/session"
	"winnow/session/sessiontest"
	"winnow/session/settings"
	"winnow/session/store"
)

// server answers each request with the next step.
type server struct {
	mu     sync.Mutex
	bodies []string
	steps  []string // data of one event each; "" hangs after a first piece
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.bodies = append(s.bodies, string(body))
	step := s.steps[min(len(s.bodies), len(s.steps))-1]
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	if step == "" {
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"Half an "}}]}`+"\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return
	}
	fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", step)
}

func says(text string) string {
	quoted, _ := json.Marshal(text)
	return `{"choices":[{"index":0,"delta":{"content":` + string(quoted) + `},"finish_reason":"stop"}]}`
}

const callsAdd = `{"choices":[{"index":0,"delta":{"tool_calls":[` +
	`{"index":0,"id":"c1","type":"function","function":{"name":"add","arguments":"{\"a\":1}"}}` +
	`]},"finish_reason":"tool_calls"}]}`

// options returns the options of a chat with a server that answers with these steps.
func options(t *testing.T, steps ...string) (Options, *server) {
	t.Helper()
	s := &server{steps: steps}
	requests := new(llmtest.Ledger)
	listening := httptest.NewServer(requests.CountRequests(s))
	t.Cleanup(listening.Close)
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "winnow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	t.Cleanup(func() { sessiontest.CheckAnnounced(t, requests, db.Path()) })
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	box := new(tool.Toolbox)
	box.Register(tool.Tool{Name: "add", Description: "adds", Parameters: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, json.RawMessage) (string, error) { return "3", nil })
	deps := session.Deps{
		Store: db, Global: settings.Global{Policy: policy}, Count: func(text string) int { return (len(text) + 3) / 4 }, Tokenizer: "quarters",
		Models: new(llm.Catalog).With(llm.Endpoint{
			Name: "here", BaseURL: listening.URL + "/v1", DefaultModel: "small", Window: 4096, Tools: box,
		}),
		Observe: sessiontest.RecordAnnouncements(requests),
	}
	start, err := session.New(deps, session.StartOptions{Model: "here/small"})
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Start: start, Reason: "you named it", Stoppable: context.WithCancel,
		Remember: func(string) error { return nil },
	}, s
}

// printed runs a chat on piped input, and returns what it prints.
func printed(t *testing.T, o Options, input string) string {
	t.Helper()
	var out bytes.Buffer
	o.In, o.Out = strings.NewReader(input), &out
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if i := strings.IndexAny(out.String(), "\x1b\r"); i >= 0 {
		t.Errorf("the output moves the cursor or has a colour: %q", out.String()[max(0, i-20):])
	}
	return out.String()
}

// wantInOrder fails unless the texts follow one another.
func wantInOrder(t *testing.T, text string, want ...string) {
	t.Helper()
	rest := text
	for _, w := range want {
		_, behind, ok := strings.Cut(rest, w)
		if !ok {
			t.Fatalf("there is no %q behind what came before it, in\n%s", w, text)
		}
		rest = behind
	}
}

func TestAConversationIsPrintedLineAfterLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("An answer that is long. ", 100)
	o, s := options(t, says(long), says("Two."), says("Other."))
	remembered := ""
	o.Remember = func(ref string) error {
		remembered = ref
		return nil
	}
	out := printed(t, o, "First\n<<END\nlast\n\nline\nEND\n/budget much\n/model here/small\n"+
		"/budget 400\n/context\n/pin 1\n/retry\n/history\n/pin 99\n/quit now\n/fly\n<<END\n/retry\nmore\nEND\n/quit\nnever\n")
	wantInOrder(
		t, out, "The model is here/small (you named it).", "you: First", "Sending 1 of 1 message",
		"small:\n"+long, " tokens · ",
		"you: last\n\nline", "Two.", "Write a number of tokens, or auto.",
		"Set for this session: model here/small, system none, budget 400", "The next request: ",
		"message 2, model: cut to 146 of 2,400", "The next request: ",
		"message 1, you: pinned", "Other.", "1, you:\nFirst\n2, small:\nAn answer", "4, small:\nOther.",
		"No message is numbered 99", "/quit takes no arguments.",
		"There is no command /fly;", "/retry takes one line. To send it as a message",
	)
	if len(s.bodies) != 3 || strings.Contains(out, "never") || remembered != "here/small" {
		t.Errorf("%d requests, %q is remembered, and the chat is\n%s", len(s.bodies), remembered, out)
	}
}

// Piped lines are messages, and never answer a question.
func TestAQuestionInAPipeHasTheSafeAnswer(t *testing.T) {
	t.Parallel()
	o, s := options(t, callsAdd, says("Done."), says("Bye too."))
	wantInOrder(t, printed(t, o, "Add.\nyes\n"), "The model wants to call the tool add with:", `{"a":1}`, "Run it?",
		"answer: no", "Done.", "you: yes")
	if strings.Contains(s.bodies[1], `"content":"3"`) {
		t.Errorf("the tool ran: %s", s.bodies[1])
	}
}

func TestAMessageThatIsTooLongIsNotSent(t *testing.T) {
	t.Parallel()
	o, s := options(t, says("Short."))
	wantInOrder(t, printed(t, o, strings.Repeat("word ", 6000)+"\n"), "tokens too many", "shorten it",
		"Nothing was sent or saved.")
	if len(s.bodies) != 0 {
		t.Errorf("%d requests, want none", len(s.bodies))
	}
}

// typist is a person who reads what is printed, and types.
type typist struct {
	*testing.T
	in    *io.PipeWriter
	out   *bufio.Reader
	ended chan error
}

// typed starts a chat with a person who types.
func typed(t *testing.T, o Options) typist {
	in, typing := io.Pipe()
	reading, out := io.Pipe()
	o.In, o.Out, o.Terminal = in, out, true
	p := typist{t, typing, bufio.NewReader(reading), make(chan error, 1)}
	go func() { p.ended <- Run(context.Background(), o) }()
	return p
}

// reads waits until a text is printed, and then types a reply.
func (p typist) reads(text, typing string) {
	p.Helper()
	var printed strings.Builder
	for !strings.HasSuffix(printed.String(), text) {
		b, err := p.out.ReadByte()
		if err != nil {
			p.Fatalf("%v before %q in\n%s", err, text, printed.String())
		}
		printed.WriteByte(b)
	}
	io.WriteString(p.in, typing)
}

// leaves ends the input, and waits until the chat has ended.
func (p typist) leaves() {
	p.Helper()
	p.in.Close()
	go io.Copy(io.Discard, p.out)
	if err := <-p.ended; err != nil {
		p.Fatal(err)
	}
}

// Input from before a question is a message, even if it looks like an answer.
func TestTypeAheadAnswersNoQuestion(t *testing.T) {
	t.Parallel()
	o, s := options(t, callsAdd, says("Done."), says("Yes what?"))
	p := typed(t, o)
	p.reads("you: ", "Add.\nyes\n") // in one write: the second line is there before the question
	p.reads("answer: ", "perhaps\n")
	p.reads("answer: ", "N\n")
	p.reads("a reason for the model, or enter: ", "I can add.\n")
	p.reads("Yes what?", "")
	p.leaves()
	if !strings.Contains(s.bodies[1], "I can add.") || !strings.Contains(s.bodies[2], `"content":"yes"`) {
		t.Errorf("what was typed ahead answered the question, or is no message: %s", s.bodies[2])
	}
}

func TestStopKeepsWhatArrived(t *testing.T) {
	t.Parallel()
	o, _ := options(t, "")
	stops := make(chan context.CancelFunc, 10)
	o.Stoppable = func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, stop := context.WithCancel(ctx)
		stops <- stop
		return ctx, stop
	}
	p := typed(t, o)
	p.reads("you: ", "Go on\n")
	p.reads("Half an ", "")
	(<-stops)()
	p.reads("Stopped; what arrived is kept.", "")
	p.reads("you: ", "")
	(<-stops)()
	p.reads("ctrl+d or /quit quits.", "")
	p.leaves()
	last := sessiontest.Messages(o.Start.Branch())
	if len(last) != 2 || last[1].Status != history.Interrupted || last[1].Content != "Half an " {
		t.Errorf("the messages are %+v", last)
	}
}

func TestEveryCommandIsHelpedWith(t *testing.T) {
	t.Parallel()
	o, _ := options(t, says(""))
	out := printed(t, o, "/help\n")
	for _, c := range commands() {
		wantInOrder(t, out, "\n"+c.Usage()+": "+c.Help)
	}
}
