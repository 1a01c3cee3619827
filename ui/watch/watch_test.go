package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/llm/pricing"
	sent "winnow/llm/watch"
	"winnow/session/watch"
	"winnow/ui/app"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// stage is a screen with the store that it shows.
type stage struct {
	*model
	t      testing.TB
	copied string
	quit   bool
	client client
}

// newStage returns a screen of so many cells on an empty store.
func newStage(t testing.TB, w, h int) *stage {
	t.Helper()
	store, err := watch.Open(t.Context(), filepath.Join(t.TempDir(), "watch.db"), watch.Options{
		Count:  func(text string) int { return len(text) / 4 },
		Prices: func(string, string) pricing.Prices { return pricing.Prices{Source: "a test", Rates: rates} },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s := &stage{t: t, client: newClient(store)}
	s.model = newModel(t.Context(), Options{
		Store:   store,
		Keys:    keymap.Default(),
		Themes:  &theme.Selection{Wanted: theme.None},
		Secrets: theme.Secrets{Find: findSecret},
	})
	s.Say = func(string) tea.Cmd { return nil } // the real one waits
	s.Copy = func(_, text string) tea.Cmd {
		s.copied = text
		return nil
	}
	s.resize(w, h)
	return s
}

var rates = pricing.Rates{In: 3 * pricing.Dollar, Cached: pricing.Dollar / 4, CacheWrite: 4 * pricing.Dollar, Out: 15 * pricing.Dollar}

const secret = "sk-live-1234567890"

// findSecret finds the secret wherever it is in a text.
func findSecret(text string, _ bool) (spans [][2]int) {
	for from := 0; ; {
		at := strings.Index(text[from:], secret)
		if at < 0 {
			return spans
		}
		spans = append(spans, [2]int{from + at, from + at + len(secret)})
		from += at + len(secret)
	}
}

// send handles a message, and then what its command returns. Commands that wait for something are not run.
func (s *stage) send(msg tea.Msg) {
	_, cmd := s.Update(msg)
	s.run(cmd)
}

// run runs a command.
func (s *stage) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.QuitMsg:
		s.quit = true
	case app.Then:
		s.run(msg())
		s.arrange()
	}
}

// resize sets the size of the terminal.
func (s *stage) resize(w, h int) *stage {
	s.send(tea.WindowSizeMsg{Width: w, Height: h})
	return s
}

// sync shows what the store holds now.
func (s *stage) sync(n int) *stage {
	s.t.Helper()
	all := s.client.wait(s.t, n)
	s.run(s.put(all))
	s.arrange()
	return s
}

// press presses keys.
func (s *stage) press(keys ...string) *stage {
	for _, name := range keys {
		s.send(uitest.Key(name))
	}
	return s
}

// lines returns the lines of the screen.
func (s *stage) lines() []string { return strings.Split(s.View().Content, "\n") }

// shows reports whether a text is on the screen.
func (s *stage) shows(text string) bool { return strings.Contains(uitest.Plain(s.lines()), text) }

// client is a program whose requests are recorded.
type client struct {
	store    *watch.Store
	id       int64
	at       time.Time
	name     string
	thread   string
	tools    []object
	messages []object
}

type object = map[string]any

func newClient(store *watch.Store) client {
	c := client{store: store, name: "claude", thread: "7f3a", at: time.Date(2026, 11, 21, 9, 0, 0, 0, time.Local)}
	for _, name := range []string{"Bash", "Edit", "Glob", "Read"} {
		about := strings.Repeat("Works on the files of the project. ", 30)
		c.tools = append(c.tools, object{"name": name, "description": about, "input_schema": object{"type": "object"}})
	}
	c.say("user", "Make the parser recover from errors.")
	return c
}

// say adds a message.
func (c *client) say(role, text string) {
	for _, m := range c.messages {
		delete(m["content"].([]object)[0], "cache_control")
	}
	text = strings.Repeat(text+"\n", 12)
	part := object{"type": "text", "text": text, "cache_control": object{"type": "ephemeral"}}
	c.messages = append(c.messages, object{"role": role, "content": []object{part}})
}

// exchange returns a request with all messages and its answer.
func (c *client) exchange() sent.Exchange {
	c.id++
	c.at = c.at.Add(20 * time.Second)
	body, _ := json.Marshal(object{"model": "claude-x", "tools": c.tools, "messages": c.messages})
	return sent.Exchange{
		ID: c.id, Client: c.name, Thread: c.thread, Upstream: "anthropic", Method: "POST", Path: "/v1/messages",
		At: c.at, Body: body, Status: 200, AnswerType: "application/json", Took: 2 * time.Second,
	}
}

// ask sends a request, whose answer reports how many of its tokens came from the cache.
func (c *client) ask(cached, written int) {
	e := c.exchange()
	e.Answer = fmt.Appendf(nil, `{"id":"m%d","content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn","usage":`+
		`{"input_tokens":10,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"output_tokens":20}}`,
		c.id, cached, written)
	c.store.Sent(e)
	c.store.Answered(e)
}

// wait waits until n requests are recorded, of which all but a streaming last one are answered.
func (c *client) wait(t testing.TB, n int) []watch.Request {
	t.Helper()
	for {
		all, err := c.store.Requests(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		open := slices.IndexFunc(all, func(r watch.Request) bool { return !r.Answered })
		if len(all) == n && (open < 0 || open == n-1 && c.thread == "streaming") {
			return all
		}
		time.Sleep(time.Millisecond)
	}
}

// session records a conversation with a planted break in its third request, and a streaming request of another one.
func (s *stage) session() *stage {
	c := &s.client
	c.ask(0, 1400)
	c.say("assistant", "I read parser.go with the key "+secret+".")
	c.say("user", "Now the lexer.")
	c.ask(1400, 200)
	c.tools[1]["description"] = strings.Repeat("Works on the files of the project. ", 30) + "It is Monday."
	c.say("assistant", "The lexer is clean.")
	c.say("user", "And the printer?")
	c.ask(0, 1800)
	c.messages = slices.Delete(c.messages, 1, 3)
	c.ask(1200, 300)
	s.sync(4)
	c.name, c.thread, c.messages = "codex", "streaming", c.messages[:1]
	c.store.Sent(c.exchange())
	return s.sync(5)
}

func TestScreens(t *testing.T) {
	t.Parallel()
	var screens uitest.Screens
	s := newStage(t, 80, 24)
	s.run(s.put(nil))
	screens.Add("nothing recorded", s.lines())
	for _, size := range [][2]int{{80, 24}, {120, 30}, {200, 32}, {30, 8}} {
		s = newStage(t, size[0], size[1]).session()
		name := fmt.Sprintf("%d×%d, ", size[0], size[1])
		screens.Add(name+"following", s.lines())
		if size[0] < 80 {
			break
		}
		screens.Add(name+"the request with the break", s.press("k", "k", "enter").lines())
		screens.Add(name+"the block with the difference", s.press("enter").lines())
		screens.Add(name+"compared with the first", s.press("esc", "d", "g", "enter").lines())
		screens.Add(name+"help", s.press("?").lines())
	}
	screens.Golden(t)
}

// A changed tool is named as the cause, in the list, in the head and in the foot, and the cursor is on it.
func TestPlantedBreakIsNamed(t *testing.T) {
	t.Parallel()
	s := newStage(t, 120, 40).session().press("k", "k")
	for _, want := range []string{"~❄", "same up to tools[1]", "❄ client: tools[1] (Edit)"} {
		if !s.shows(want) {
			t.Errorf("the screen does not show %q:\n%s", want, uitest.Plain(s.lines()))
		}
	}
	if s.press("enter", "enter"); !s.shows("✚ It is Monday.") {
		t.Errorf("the difference is not shown:\n%s", uitest.Plain(s.lines()))
	}
}

func TestNewRequestsAreFollowed(t *testing.T) {
	t.Parallel()
	s := newStage(t, 120, 40)
	s.client.ask(0, 1400)
	s.client.wait(t, 1)
	msg := s.follow(-1)().(app.Then) // returns at the first change
	if s.run(s.put(s.client.wait(t, 1))); s.selected().ID != 1 || msg == nil {
		t.Fatal("the first request is not selected")
	}
	s.client.say("user", "Next.")
	s.client.ask(1400, 10)
	if s.sync(2); s.selected().ID != 2 {
		t.Error("the cursor does not follow the newest request")
	}
	s.press("k")
	s.client.ask(1400, 10)
	if s.sync(3).resize(80, 24).resize(120, 40); s.selected().ID != 1 {
		t.Error("the cursor does not stay on the request that the user chose")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.ProgramContext = func() context.Context { return ctx }
	known, err := s.store.Changed(t.Context())
	if msg := s.follow(known)(); msg != nil || err != nil {
		t.Errorf("without a change there is the message %v, %v", msg, err)
	}
}

func TestSecretsAreHidden(t *testing.T) {
	t.Parallel()
	s := newStage(t, 200, 60).session().press("k", "k", "k", "tab")
	if s.press("enter"); s.pager == nil || s.shows(secret) || !s.shows(theme.Redacted) {
		t.Errorf("the secret of a block is not hidden:\n%s", uitest.Plain(s.lines()))
	}
	if s.press("esc"); s.shows(secret) || !s.shows(theme.Redacted) {
		t.Errorf("the secret of a row is not hidden:\n%s", uitest.Plain(s.lines()))
	}
}

func TestWhatKeysDo(t *testing.T) {
	t.Parallel()
	s := newStage(t, 120, 40).session()
	if s.press("/", "l", "e", "x", "e", "r", "enter"); !s.inside || !s.shows("match ") {
		t.Errorf("the search finds nothing:\n%s", uitest.Plain(s.lines()))
	}
	first := s.selected().ID
	if s.press("n"); s.hit != 0 || len(s.hits) < 1 || first == 0 {
		t.Errorf("n goes to match %d of %d", s.hit, len(s.hits))
	}
	s.press("esc", "g", "y")
	raw, err := s.store.Raw(t.Context(), s.selected().ID)
	if s.copied != string(raw) || err != nil || len(raw) == 0 {
		t.Errorf("y copies %q", s.copied)
	}
	if s.press("p").sync(5); !s.selected().Pinned || !s.shows("◆") {
		t.Error("p does not pin")
	}
	if s.press("["); s.selected().ID != 1 {
		t.Error("[ leaves the conversation")
	}
	if s.press("]", "]", "]", "]", "]"); s.selected().ID != 4 || s.selected().Client != "claude" {
		t.Errorf("] goes to request %d", s.selected().ID)
	}
	if s.press("tab", "esc"); s.inside || s.quit {
		t.Error("esc does not go back")
	}
	if s.press("o"); !s.quit || s.opened != s.selected().ID {
		t.Error("o does not open the request")
	}
}

// Whatever two texts are, what is marked as sent or added is the new one, and what is marked as sent or not sent is the
// old one.
func TestDifferenceKeepsBothTexts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab \n")), 0, 40, -1)
		was, now := text.Draw(t, "was"), text.Draw(t, "now")
		var texts [2]string
		for _, p := range difference(strings.SplitAfter(was, "\n"), strings.SplitAfter(now, "\n"), false) {
			if p.Kind != inspector.KindAdded {
				texts[0] += p.Text
			}
			if p.Kind != inspector.KindUnsent {
				texts[1] += p.Text
			}
		}
		if !reflect.DeepEqual(texts, [2]string{was, now}) {
			t.Fatalf("%q and %q became %q", was, now, texts)
		}
	})
}

// Each line is as wide as the screen, at any size and with any keys, and there are as many as it is high.
func TestTheScreenIsFilled(t *testing.T) {
	t.Parallel()
	s := newStage(t, 80, 24).session()
	keys := []string{"j", "k", "enter", "esc", "tab", "d", "[", "]", "?", "/", "g", "G", "pgdown", "n"}
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(40, 210).Draw(t, "width"), rapid.IntRange(10, 60).Draw(t, "height")
		s.resize(w, h)
		key := rapid.SampledFrom(keys).Draw(t, "key")
		if key != "esc" || s.inside || s.search != nil {
			s.press(key)
		}
		lines := s.lines()
		for _, line := range lines {
			if len(lines) != h || ansi.StringWidth(line) > w {
				t.Fatalf("%d lines on %d×%d:\n%s", len(lines), w, h, uitest.Plain(lines))
			}
		}
	})
}
