package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/llmtest"
	"winnow/llm/tool"
	"winnow/session"
	"winnow/session/sessiontest"
	"winnow/session/store"
	"winnow/ui"
)

// agreeing are the endpoints of the agreement test: what their chat formats insist on, and one that
// reports its own count.
var agreeing = []string{"plain", "plain", "merging", "bridged", "short", "toolless", "counting"}

// house is a database and a server that records what it is asked.
type house struct {
	deps  session.Deps
	quiet *os.File       // nobody watches a count
	met   map[string]int // the lines of panels, by their glyph

	sent, refused int // conversations whose last message was sent, and was too large for that

	mu     sync.Mutex
	bodies [][]byte // of the requests, in order
	calls  bool     // the next request is answered by a tool call
	said   int      // answers and results so far, for their marks
}

func newHouse(t *testing.T) *house {
	t.Helper()
	quiet, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { quiet.Close() })
	h := &house{quiet: quiet, met: map[string]int{}}
	requests := new(llmtest.Ledger)
	server := httptest.NewServer(requests.Count(h))
	t.Cleanup(server.Close)
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
	h.deps = session.Deps{
		Store: db, Policy: policy, System: "Be brief, and say what you mean.", Approve: session.Always,
		Models: new(llm.Catalog).With(h.endpoints(server.URL)...),
		Count:  wordsIn, Tokenizer: "words", Observe: sessiontest.Observe(requests),
	}
	return h
}

func (h *house) endpoints(url string) []llm.Endpoint {
	profiles := map[string]history.Profile{
		"merging": {MergeSameRole: true}, "bridged": {NoToolToUser: true}, "short": {ToolIDLength: 9}, "toolless": {NoTools: true},
	}
	box := &tool.Toolbox{}
	box.Register(tool.Tool{Name: "look", Description: "looks", Parameters: json.RawMessage(`{"type":"object"}`)}, h.look)
	var list []llm.Endpoint
	for _, name := range agreeing[1:] {
		list = append(list, llm.Endpoint{Name: name, BaseURL: url + "/" + name + "/v1", Default: "m", Window: 6000, Profile: profiles[name], Tools: box})
	}
	return list
}

func (h *house) look(context.Context, json.RawMessage) (string, error) {
	return h.next() + strings.Repeat(" it is as it was", 20), nil
}

// next is the mark of the next text that is said here.
func (h *house) next() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said++
	return fmt.Sprintf("⟨r%d⟩", h.said)
}

// ServeHTTP answers a request, by a tool call where the conversation wants one and tools are offered.
func (h *house) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	sent, err := readWire(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h.mu.Lock()
	h.bodies = append(h.bodies, body)
	calls := h.calls && len(sent.Tools) > 0
	h.calls = h.calls && !calls
	h.mu.Unlock()
	delta := map[string]any{"content": h.next() + strings.Repeat(" It goes on for a while.", 14)}
	if calls {
		delta["tool_calls"] = []any{map[string]any{
			"index": 0, "id": "live", "type": "function",
			"function": map[string]any{"name": "look", "arguments": `{"at":"` + h.next() + `"}`},
		}}
	}
	usage := any(nil)
	if strings.HasPrefix(r.URL.Path, "/counting/") {
		usage = map[string]int{"prompt_tokens": int(math.Round(1.13 * float64(sent.cost()))), "completion_tokens": 9}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range []map[string]any{
		{"choices": []any{map[string]any{"index": 0, "delta": delta}}},
		{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": "stop"}}, "usage": usage},
	} {
		text, err := json.Marshal(event)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(w, "data: %s\n\n", text)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// expect forgets what was asked before; calls says that a tool is called next.
func (h *house) expect(calls bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bodies, h.calls = nil, calls
}

// asked are the bodies recorded since then.
func (h *house) asked() [][]byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bodies
}

// meet counts the lines of a panel.
func (h *house) meet(p panelText) {
	for _, r := range append(p.rows, p.added...) {
		h.met[r.glyph]++
	}
}

// stage is the application on a screen that nobody looks at. Its commands run as they do under Bubble
// Tea, but its messages are handled where somebody waits for something.
type stage struct {
	app  tea.Model
	msgs chan tea.Msg
	over chan struct{} // closed when nobody waits any more
}

const stageWidth = 200

// put shows a session. The screen is so high that the panel has a line for every message and every text
// that nobody said.
func put(deps session.Deps, s *session.Session) (*stage, error) {
	app, err := ui.New(ui.Options{Deps: deps, Start: s, Theme: "none", Panel: "open"})
	if err != nil {
		return nil, err
	}
	st := &stage{app: app, msgs: make(chan tea.Msg, 16), over: make(chan struct{})}
	st.run(app.Init())
	st.update(tea.WindowSizeMsg{Width: stageWidth, Height: 60 + 3*len(sessiontest.Messages(s.Branch()))/2})
	return st, nil
}

func (s *stage) close() { close(s.over) }

// run begins a command.
func (s *stage) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		select {
		case s.msgs <- msg:
		case <-s.over:
		}
	}()
}

// update gives a message to the application, or begins the commands that it is made of.
func (s *stage) update(msg tea.Msg) {
	if list := reflect.ValueOf(msg); list.IsValid() && list.Type().ConvertibleTo(reflect.TypeFor[[]tea.Cmd]()) {
		for _, cmd := range list.Convert(reflect.TypeFor[[]tea.Cmd]()).Interface().([]tea.Cmd) {
			s.run(cmd)
		}
		return
	}
	var cmd tea.Cmd
	s.app, cmd = s.app.Update(msg)
	s.run(cmd)
}

// until handles messages until there is no fault any more. It looks whenever a lull has come, because
// to draw the screen is most of the work, and ends with the last fault where that takes too long.
func (s *stage) until(fault func() error) error {
	late := time.NewTimer(patience)
	defer late.Stop()
	err := errors.New("messages never cease")
	for {
		select {
		case msg := <-s.msgs:
			s.update(msg)
		case <-time.After(lull):
			if err = fault(); err == nil {
				return nil
			}
		case <-late.C:
			return err
		}
	}
}

// lull is how long nothing happens before somebody looks at the screen.
const lull = 30 * time.Millisecond

// press presses the first of the keys that a binding has.
func (s *stage) press(keys []string) error {
	name := keys[0]
	for code, named := range map[rune]string{tea.KeyEnter: "enter", tea.KeyTab: "tab", tea.KeyLeft: "left"} {
		if name == named {
			s.update(tea.KeyPressMsg{Code: code})
			return nil
		}
	}
	return fmt.Errorf("the key %q is not known here", name)
}

// text is what a person sees.
func (s *stage) text() string { return ansi.Strip(s.app.View().Content) }
