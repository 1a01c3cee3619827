package ui

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/llmtest"
	"winnow/session"
	"winnow/session/sessiontest"
	"winnow/session/store"
	"winnow/session/store/storetest"
	"winnow/ui/app"
	"winnow/ui/conversation"
	"winnow/ui/turn"
	"winnow/ui/uitest"
)

// live is a root model with a server. Its commands run as under Bubble Tea, but their messages are handled only while a
// test waits for something.
type live struct {
	*Model
	t       *testing.T
	msgs    chan tea.Msg
	working atomic.Int32 // running commands, except for ticks
	quit    bool         // winnow has quit
	mu      sync.Mutex
	bodies  []string // of the requests, in order
	broken  bool     // the server refuses
	refusal string   // its message, "" for "no"

	about map[string]http.HandlerFunc // what the server says about itself, by path

	*llmtest.Ledger
	takes func(turn any, e session.Event) // counts the requests that events announce
}

// onStage returns a live model before its first message. The server answers the n-th request with "Answer n. …".
func onStage(t *testing.T, w, h int) *live {
	t.Helper()
	return onStageWith(t, w, h, nil)
}

// onStageWith is onStage with handlers for paths at which the server describes itself.
func onStageWith(t *testing.T, w, h int, about map[string]http.HandlerFunc) *live {
	t.Helper()
	l := &live{t: t, msgs: make(chan tea.Msg, 1024), Ledger: new(llmtest.Ledger), about: about}
	l.takes = sessiontest.RecordAnnouncements(l.Ledger)
	server := httptest.NewServer(http.HandlerFunc(l.answer))
	t.Cleanup(server.Close)
	l.Model = fresh(t, w, h)
	l.upkeep.BackupDelay = time.Hour // a backup would outlive a test that does not wait for it
	say := l.Context.Say
	l.Context.Say = func(text string) tea.Cmd {
		l.Ledger.Say(nil, text)
		return say(text)
	}
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	l.Deps.Policy = policy
	l.Deps.Count, l.Deps.Tokenizer = func(text string) int { return (len(text) + 3) / 4 }, "quarters"
	l.Deps.Models = new(llm.Catalog).With(
		llm.Endpoint{Name: "here", BaseURL: server.URL + "/v1", Default: "small", Window: 4096},
		llm.Endpoint{Name: "there", BaseURL: server.URL + "/v1", Default: "large", Window: 32_768},
	)
	l.begins()
	l.run(l.Init())
	db := l.Deps.Store // a test may replace it
	t.Cleanup(func() { l.checkRequests(db) })
	return l
}

// checkRequests fails unless the server received, the store recorded and the screen was told of the same number of
// requests. It waits, because a test may end in the middle of a turn.
func (l *live) checkRequests(db *store.Store) {
	over := time.After(time.Minute)
	for {
		err := l.Compare(storetest.RecordedAttempts(db.Path()))
		if err == nil {
			return
		}
		select {
		case msg := <-l.msgs:
			l.handle(msg)
		case <-time.After(time.Millisecond):
		case <-over:
			l.t.Error(err)
			return
		}
	}
}

// turnOf reads the events of a turn that is not on the screen to its end.
func (l *live) turnOf(events <-chan session.Event) {
	l.t.Helper()
	for e := range events {
		l.takes(events, e)
		if over, ok := e.(session.Finished); ok && over.Err != nil {
			l.t.Fatal(over.Err)
		}
	}
}

func (l *live) answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	l.Came(body)
	chat := strings.HasSuffix(r.URL.Path, "/chat/completions")
	l.mu.Lock()
	about := l.about[r.URL.Path]
	if chat {
		l.bodies = append(l.bodies, string(body))
	}
	n, broken, refusal := len(l.bodies), l.broken, cmp.Or(l.refusal, "no")
	l.mu.Unlock()
	if about != nil {
		r.Body = io.NopCloser(bytes.NewReader(body))
		about(w, r)
		return
	}
	if !chat {
		http.NotFound(w, r)
		return
	}
	if broken {
		words, _ := json.Marshal(refusal)
		http.Error(w, fmt.Sprintf(`{"error":{"message":%s}}`, words), http.StatusBadRequest)
		return
	}
	text, _ := json.Marshal(fmt.Sprintf("Answer %d. %s", n, strings.Repeat("It goes on for a while. ", 12)))
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w,
		`data: {"choices":[{"index":0,"delta":{"role":"assistant","content":%s},"finish_reason":"stop"}]}`+
			"\n\ndata: [DONE]\n\n", text)
}

// says sets the handlers for paths at which the server describes itself.
func (l *live) says(about map[string]http.HandlerFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.about = about
}

// run runs a command, and the commands of a batch, each in its own goroutine.
func (l *live) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	works := int32(1)
	if name := runtime.FuncForPC(reflect.ValueOf(cmd).Pointer()).Name(); strings.Contains(name, "bubbletea/v2.Tick.") {
		works = 0
	}
	l.working.Add(works)
	go func() {
		defer l.working.Add(-works)
		msg := cmd()
		if list, ok := commandsOf(msg); ok {
			for _, c := range list {
				l.run(c)
			}
			return
		}
		if msg != nil {
			l.msgs <- msg
		}
	}()
}

// commandsOf returns the commands of a batch or a sequence.
func commandsOf(msg tea.Msg) ([]tea.Cmd, bool) {
	v := reflect.ValueOf(msg)
	if !v.IsValid() || v.Kind() != reflect.Slice || v.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
		return nil, false
	}
	return v.Convert(reflect.TypeFor[[]tea.Cmd]()).Interface().([]tea.Cmd), true
}

// until handles messages until ok returns true.
func (l *live) until(what string, ok func() bool) {
	l.t.Helper()
	over := time.After(time.Minute)
	for !ok() {
		select {
		case msg := <-l.msgs:
			l.handle(msg)
		case <-time.After(10 * time.Millisecond): // a command may have ended without a message
		case <-over:
			l.t.Fatalf("waited in vain for %s; the screen is\n%s", what, plain(l.Model))
		}
	}
}

// handle handles one message.
func (l *live) handle(msg tea.Msg) {
	switch msg := msg.(type) {
	case turn.EventsMsg:
		for _, e := range msg.Events {
			l.takes(msg.Turn, e)
		}
	case tea.QuitMsg:
		l.quit = true
	}
	_, cmd := l.Update(msg)
	l.run(cmd)
}

// shows waits until the screen shows a text.
func (l *live) shows(text string) {
	l.t.Helper()
	l.until(fmt.Sprintf("%q", text), func() bool { return strings.Contains(plain(l.Model), text) })
}

// lacks fails if the screen shows a text.
func (l *live) lacks(text string) {
	l.t.Helper()
	if screen := plain(l.Model); strings.Contains(screen, text) {
		l.t.Fatalf("the screen holds %q:\n%s", text, screen)
	}
}

// press presses keys, named as bindings are: "a", "ctrl+x", "shift+tab".
func (l *live) press(keys ...string) {
	l.t.Helper()
	for _, name := range keys {
		_, cmd := l.Update(uitest.Key(name))
		l.run(cmd)
	}
}

// types types a text.
func (l *live) types(text string) {
	for _, r := range text {
		_, cmd := l.Update(char(r))
		l.run(cmd)
	}
}

// picks runs a command of the palette.
func (l *live) picks(name string) {
	l.press("ctrl+p")
	l.types(name)
	l.press("enter")
}

// say sends a message, and waits for the answer and the plan after it.
func (l *live) say(text string) {
	l.t.Helper()
	l.types(text)
	before := l.Chat.Messages.Len()
	l.press("enter")
	l.until("the answer", func() bool { return !l.Turn.Busy && l.Chat.Messages.Len() >= before+2 })
	l.planned()
}

// reopen opens the session again from the store, and waits until it is loaded and planned.
func (l *live) reopen() {
	l.t.Helper()
	l.open(l.Session.Info().ID)
}

// open opens a stored session, and waits until it is loaded and planned.
func (l *live) open(id string) {
	l.t.Helper()
	s, err := session.Open(l.t.Context(), l.Deps, id, l.Ref)
	if err != nil {
		l.t.Fatal(err)
	}
	l.arrives(s)
	l.until("the chat", func() bool { return l.Session == s && s.State().Loaded })
	l.atRest()
}

// arrives shows a session that was opened.
func (l *live) arrives(s *session.Session) {
	_, cmd := l.Update(app.Then(func() tea.Cmd {
		return l.opened(s, conversation.Opening{})
	}))
	l.run(cmd)
}

// planned waits for the plan of the current draft.
func (l *live) planned() {
	l.t.Helper()
	l.until("the plan of the draft", func() bool { return l.Planned })
}

// atRest waits until no command runs and the draft is planned.
func (l *live) atRest() {
	l.t.Helper()
	l.until("the end of all commands", func() bool { return l.Planned && l.working.Load() == 0 && len(l.msgs) == 0 })
}

// begins shows a new session, as at the start of winnow.
func (l *live) begins() {
	l.t.Helper()
	s, err := session.New(l.Deps, session.StartOptions{Model: "here/small"})
	if err != nil {
		l.t.Fatal(err)
	}
	l.show(conversation.New(l.Shared, s, conversationScreen(l.Model)))
}
