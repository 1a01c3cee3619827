package plain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/llmtest"
	"winnow/llm/tool"
	"winnow/session"
	"winnow/session/sessiontest"
	"winnow/session/settings"
	"winnow/session/store"
)

// server answers with one step after the other.
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

// options are those of a chat with a scripted server.
func options(t *testing.T, steps ...string) (Options, *server) {
	t.Helper()
	s := &server{steps: steps}
	requests := new(llmtest.Ledger)
	listening := httptest.NewServer(requests.Count(s))
	t.Cleanup(listening.Close)
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "winnow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	t.Cleanup(func() { sessiontest.WantAnnounced(t, requests, db.Path()) })
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	box := new(tool.Toolbox)
	box.Register(tool.Tool{Name: "add", Description: "adds", Parameters: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, json.RawMessage) (string, error) { return "3", nil })
	deps := session.Deps{
		Store: db, Base: settings.Base{Policy: policy}, Count: func(text string) int { return (len(text) + 3) / 4 }, Tokenizer: "quarters",
		Models: new(llm.Catalog).With(llm.Endpoint{
			Name: "here", BaseURL: listening.URL + "/v1", Default: "small", Window: 4096, Tools: box,
		}),
		Observe: sessiontest.Observe(requests),
	}
	start, err := session.New(deps, session.Start{Ref: "here/small"})
	if err != nil {
		t.Fatal(err)
	}
	return Options{Deps: deps, Start: start, Choice: llm.Choice{Ref: "here/small", Reason: "you named it"}}, s
}

// printed runs a chat on an input from a pipe.
func printed(t *testing.T, o Options, input string) string {
	t.Helper()
	var out bytes.Buffer
	o.In, o.Out = strings.NewReader(input), &out
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if i := strings.IndexAny(out.String(), "\x1b\r"); i >= 0 {
		t.Errorf("the output moves the cursor or has a colour: %q", out.String()[max(0, i-20):])
	}
	return out.String()
}

// wantInOrder wants texts one behind the other.
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
	out := printed(t, o, "First\n<<END\nlast\n\nline\nEND\n/budget 400\n/context\n/pin "+
		"1\n/retry\n/pin 99\n/quit now\n/fly\n<<END\n/retry\nmore\nEND\n/quit\nnever\n")
	wantInOrder(
		t, out, "The model is here/small (you named it).", "you: First", "Sending 1 of 1 message",
		"small:\n"+long, " tokens · ",
		"you: last\n\nline", "Two.", "A request can have up to 400 tokens.", "The next request: ",
		"message 2, model: cut to 146 of 2,400",
		"1 message is pinned.", "Other.", "No message is numbered 99", "/quit takes no arguments.",
		"There is no command /fly.", "/retry takes one line. To send it as a message",
	)
	if len(s.bodies) != 3 || strings.Contains(out, "never") {
		t.Errorf("%d requests, and the chat is\n%s", len(s.bodies), out)
	}
}

// Nobody answers a question in a pipe: its lines are messages.
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

func TestChatsAreOpenedByTheirNumbers(t *testing.T) {
	t.Parallel()
	o, _ := options(t, says("One."), says("Two."))
	wantInOrder(t, printed(t, o, "Remember me\n"), "One.")
	next, err := session.New(o.Deps, session.Start{Ref: "here/small"})
	if err != nil {
		t.Fatal(err)
	}
	o.Start = next
	in, out, ended := typed(t, o)
	in.lines <- "Another\n"
	out.want(t, "Two.", 1)
	in.lines <- "/chats\n"
	out.want(t, "number, or enter", 1)
	in.lines <- "2\n"
	out.want(t, "This is \"Remember me\" with 2 messages.", 1)
	in.lines <- "/history\n"
	out.want(t, "1, you:\nRemember me\n2, small:\nOne.", 1)
	close(in.lines)
	<-ended
	wantInOrder(t, out.text.String(), "1. Another, 1 turn\n2. Remember me, 1 turn", "Left \"Another\"")
}

// terminalInput is what a person types, as it comes.
type terminalInput struct{ lines chan string }

func (in terminalInput) Read(p []byte) (int, error) {
	line, ok := <-in.lines
	if !ok {
		return 0, io.EOF
	}
	return copy(p, line), nil
}

// watched is an output that tells when a text has come.
type watched struct {
	mu   sync.Mutex
	text strings.Builder
	news chan struct{}
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	w.text.Write(p)
	w.mu.Unlock()
	select {
	case w.news <- struct{}{}:
	default:
	}
	return len(p), nil
}

// typed runs a chat with a person who types.
func typed(t *testing.T, o Options) (in terminalInput, out *watched, ended chan error) {
	in, out = terminalInput{make(chan string, 10)}, &watched{news: make(chan struct{}, 1)}
	ended = make(chan error, 1)
	o.In, o.Out, o.Terminal = in, out, true
	go func() {
		_, err := Run(context.Background(), o)
		ended <- err
	}()
	return in, out, ended
}

func (w *watched) want(t *testing.T, text string, times int) {
	t.Helper()
	over := time.After(time.Minute)
	for {
		w.mu.Lock()
		all := w.text.String()
		w.mu.Unlock()
		if strings.Count(all, text) >= times {
			return
		}
		select {
		case <-w.news:
		case <-over:
			t.Fatalf("there is no %q in\n%s", text, all)
		}
	}
}

// What is typed before a question comes is a message, even where it looks like an answer.
func TestTypeAheadAnswersNoQuestion(t *testing.T) {
	t.Parallel()
	o, s := options(t, callsAdd, says("Done."), says("Yes what?"))
	in, out, ended := typed(t, o)
	in.lines <- "Add.\nyes\n" // in one read: the second line is there before the question
	out.want(t, "answer: ", 1)
	in.lines <- "perhaps\n"
	out.want(t, "answer: ", 2)
	in.lines <- "r\n"
	out.want(t, "reason: ", 1)
	in.lines <- "I can add.\n"
	out.want(t, "Yes what?", 1)
	close(in.lines)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.bodies[1], "I can add.") || !strings.Contains(s.bodies[2], `"content":"yes"`) {
		t.Errorf("what was typed ahead answered the question, or is no message: %s", s.bodies[2])
	}
}

func TestStopKeepsWhatArrived(t *testing.T) {
	t.Parallel()
	o, _ := options(t, "")
	stop := make(chan os.Signal, 1)
	o.Stop = stop
	in, out, ended := typed(t, o)
	in.lines <- "Go on\n"
	out.want(t, "Half an ", 1)
	stop <- os.Interrupt
	out.want(t, "Stopped; what arrived is kept.", 1)
	out.want(t, "you: ", 2)
	stop <- os.Interrupt
	out.want(t, "ctrl+d or /quit quits.", 1)
	close(in.lines)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	last := sessiontest.Messages(o.Start.Branch())
	if len(last) != 2 || last[1].Status != history.Interrupted || last[1].Content != "Half an " {
		t.Errorf("the messages are %+v", last)
	}
}

func TestEveryCommandIsHelpedWith(t *testing.T) {
	t.Parallel()
	o, _ := options(t, says(""))
	out := printed(t, o, "/help\n")
	var names []string
	for _, c := range commands() {
		if slices.Contains(names, c.Name) || c.Help == "" {
			t.Errorf("/%s is there twice, or has no help", c.Name)
		}
		names = append(names, c.Name)
		wantInOrder(t, out, "\n"+c.Usage()+": "+c.Help)
	}
}

// The lists of the screen are lists of lines here, and what a person types chooses from them.
func TestAListIsChosenFromByANumber(t *testing.T) {
	t.Parallel()
	o, _ := options(t)
	in, out, ended := typed(t, o)
	in.lines <- "/tools\n"
	out.want(t, "1. add adds", 1)
	out.want(t, "number, or enter to leave it: ", 1)
	in.lines <- "1\n"
	in.lines <- "/tools\n"
	out.want(t, "number, or enter to leave it: ", 2)
	close(in.lines)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if list, _ := o.Start.ToolStates(); list[0].Permission != tool.Allow {
		t.Errorf("the tool may be called %s, want allow", list[0].Permission)
	}
}

// A key would be readable while it is typed in lines, so the way to add a provider is a command.
func TestAProviderIsAddedByACommand(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:") // no keyring
	o, _ := options(t)
	in, out, ended := typed(t, o)
	in.lines <- "/model\n"
	out.want(t, "2. Add a provider…", 1)
	in.lines <- "2\n"
	out.want(t, "1. OpenAI needs an API key", 1)
	in.lines <- "1\n"
	out.want(t, "The key of a provider is stored by winnow keys set.", 1)
	close(in.lines)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}
