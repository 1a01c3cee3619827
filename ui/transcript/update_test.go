package transcript

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/event"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// grammar is a transcript of five messages, of which the model does not see the first.
func grammar(w, h int) Model {
	run := func(func(context.Context) tea.Msg) tea.Cmd { return nil } // there is no session to ask
	newContext := func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) }
	c := New(Deps{
		Keys: keymap.Default(), Run: run, NewContext: newContext, Draft: func() func() (history.Plan, error) {
			return nil
		},
	})
	c.Restyle(theme.New(theme.None, theme.Palette{}, 0))
	c.Resize(w, h, 1, 1)
	var plan history.Plan
	for i, text := range []string{
		"How do I parse this?", "Rewrite the rule.", "Which rule?", "The first rule of the grammar.", "Thanks.",
	} {
		role := []history.Role{history.User, history.Assistant}[i%2]
		c.Add(store.Message{
			Message: history.Message{ID: int64(i + 1), Role: role, Content: text, Status: history.Complete},
			Model:   "gpt-5.2",
		}, record.Receipt{})
		e := history.Entry{
			ID: int64(i + 1), Index: i, Role: role, Disposition: history.Kept, TokensBefore: 10, TokensAfter: 10,
		}
		if i == 0 {
			e.Disposition, e.TokensAfter = history.Dropped, 0
		}
		plan.Entries = append(plan.Entries, e)
	}
	c.Judge(plan)
	c.Next = plan
	c.Enter()
	return c
}

// press presses keys and runs their commands.
func press(c Model, keys ...string) (Model, []event.Event) {
	var events []event.Event
	for _, name := range keys {
		var cmd tea.Cmd
		c, cmd = c.Update(uitest.Key(name))
		events = c.Events()
		for cmd != nil {
			msg := cmd()
			c, cmd = c.Update(msg)
			events = append(events, c.Events()...)
		}
	}
	return c, events
}

func TestTheTranscriptSaysWhatConcernsOthers(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want event.Event
	}{
		{[]string{"enter"}, Wanted{keymap.Inspect}},
		{[]string{"c"}, Wanted{keymap.Seen}},
		{[]string{"?"}, Wanted{keymap.Ask}},
		{[]string{"n"}, event.Notice{Text: "There is no search: / starts a search."}},
		{[]string{"ctrl+o"}, event.Notice{Text: "This message has nothing to expand."}},
		{[]string{"q"}, event.Notice{
			Text: "q does nothing in the transcript; esc goes to the draft, ? lists the keys.",
		}},
		{[]string{"u"}, event.Notice{
			Text: "There is nothing to undo: no message was pinned or excluded since the chat was opened.",
		}},
		{[]string{"/"}, Hushed{}},
		{[]string{"/", "esc"}, SearchEnded{}},
		{[]string{"/", "f1"}, Wanted{keymap.Help}},
	} {
		if _, got := press(grammar(60, 12), c.keys...); !slices.Equal(got, []event.Event{c.want}) {
			t.Errorf("%v: got %#v, want %#v", c.keys, got, c.want)
		}
	}
}

func TestASelectionGrowsWithTheCursor(t *testing.T) {
	for _, c := range []struct {
		keys string
		want []int64
	}{
		{"gvJJ", []int64{1, 2, 3}},
		{"GvK", []int64{4, 5}},
		{"gvJvG ", []int64{1, 2, 5}},
		{"gvJJ ", []int64{1, 2}},
		{"g ", []int64{1}},
		{"g  ", nil},
	} {
		m := grammar(60, 12)
		for _, r := range c.keys {
			m, _ = press(m, strings.ReplaceAll(string(r), " ", "space"))
		}
		if got := m.Picked(); !slices.Equal(got, c.want) || m.Selecting() != (c.want != nil) {
			t.Errorf("%q selects %v, want %v", c.keys, got, c.want)
		}
	}
	m, _ := press(grammar(60, 12), "g", "v", "J")
	if got, want := m.SelectionTitle(), "2 selected · 10 of 20 tokens"; got != want {
		t.Errorf("the title is %q, want %q", got, want)
	}
}

func TestASearchCountsWhatTheModelSees(t *testing.T) {
	m, events := press(grammar(70, 12), "g", "/", "r", "u")
	if got, want := m.SearchTitle(), "3 matches: 3 sent"; got != want {
		t.Errorf("the title is %q, want %q", got, want)
	}
	if !slices.Contains(events, event.Event(Moved{})) {
		t.Errorf("the cursor went to a hit, and the events are %#v", events)
	}
	m, _ = press(m, "enter", "n", "n", "n")
	if line, _ := m.SearchLine(70, ""); !strings.Contains(ansi.Strip(line), "match 1 of 3, from the top · ● sent") {
		t.Errorf("behind the last hit the line is %q", ansi.Strip(line))
	}
	if message, _ := m.Selected(); message.ID != 2 {
		t.Errorf("the cursor is on message %d, want 2", message.ID)
	}
}

func TestTheBoundaryIsWhereTheModelSeesFrom(t *testing.T) {
	m, _ := press(grammar(60, 12), "'")
	if message, _ := m.Selected(); message.ID != 2 {
		t.Errorf("the cursor is on message %d, want 2", message.ID)
	}
}

func TestActionsAreStoredOneByOne(t *testing.T) {
	var s undoStack
	pin := Action{Flag: history.Pin, IDs: []int64{1}}
	if _, now := s.begin(pin); !now {
		t.Fatal("the first action waits")
	}
	if _, now := s.begin(Action{Undo: true}); now || s.empty() {
		t.Fatal("an undo does not wait for what it undoes")
	}
	pin.Before = map[int64]history.Flag{1: history.Exclude}
	s.end(pin, false)
	next, _ := s.next()
	undo, now := s.begin(next)
	if !now || !undo.Undo || undo.flagNow() != history.Exclude {
		t.Fatalf("undone is %+v", undo)
	}
	s.end(undo, false)
	if _, now := s.begin(Action{Undo: true}); now || !s.empty() {
		t.Error("there is something left to undo")
	}
}

func TestWhatWasAskedForOnTopOfAFailureIsForgotten(t *testing.T) {
	var s undoStack
	s.begin(Action{Flag: history.Pin, IDs: []int64{1}})
	s.begin(Action{Flag: history.Exclude, IDs: []int64{1}})
	s.end(Action{Flag: history.Pin, IDs: []int64{1}}, true)
	if next, ok := s.next(); ok || !s.empty() {
		t.Errorf("after a failure %+v is next", next)
	}
}

func TestAnActionSaysWhatItDid(t *testing.T) {
	c := grammar(60, 12)
	pin := Action{Flag: history.Pin, IDs: []int64{1}, Before: map[int64]history.Flag{1: ""}}
	was := c.Plan
	now := was
	now.Entries = was.Entries
	now.Entries = edited(now.Entries, func(list []history.Entry) {
		list[0].Disposition, list[0].TokensAfter = history.Kept, 10
	})
	now.Entries = edited(now.Entries, func(list []history.Entry) {
		list[2].Disposition, list[2].TokensAfter = history.Dropped, 0
	})
	for _, x := range []struct {
		msg  FlaggedMsg
		want string
	}{
		{FlaggedMsg{Action: pin, Was: was, Now: now, Planned: true}, "Pinned message 1: +10 tokens; 1 message " +
			"dropped (3 you) to make room."},
		{FlaggedMsg{Action: pin, Rest: []int64{2}}, "Pinned message 1; its result goes with it. It applies to the " +
			"next request; the current one is already sent."},
		{FlaggedMsg{Action: Action{Flag: history.Exclude, IDs: []int64{2}}}, "Message 2 is excluded already; o " +
			"returns to automatic."},
		{FlaggedMsg{Err: errors.New("the disk is full")}, "the disk is full."},
	} {
		m, _ := c.Update(x.msg)
		events := m.Events()
		if said, ok := events[len(events)-1].(event.Notice); !ok || said.Text != x.want || m.Flagging() {
			t.Errorf("got %#v, want %q", events, x.want)
		}
	}
}

func TestScreens(t *testing.T) {
	var screens uitest.Screens
	for _, c := range []struct {
		name string
		w, h int
		keys []string
	}{
		{"a chat", 60, 12, nil},
		{"a narrow one", 30, 12, nil},
		{"a range", 60, 12, []string{"g", "v", "J"}},
		{"a search", 60, 12, []string{"g", "/", "r", "u", "l", "e"}},
	} {
		m, _ := press(grammar(c.w, c.h), c.keys...)
		line, _ := m.SearchLine(c.w, "")
		screens.Add(c.name, append(m.View(), line))
	}
	screens.Golden(t)
}

// The sentence about a conversation that nothing fell out of says what the model does not see of it all the same.
func TestTheStartOfTheConversationIsSeen(t *testing.T) {
	m := grammar(70, 12)
	whole := history.Entry{Disposition: history.Kept}
	cut := history.Entry{Disposition: history.Cut}
	out := history.Entry{Disposition: history.Excluded}
	for _, test := range []struct {
		entries []history.Entry
		want    string
	}{
		{[]history.Entry{whole, whole}, "Nothing is dropped: the model sees the whole chat."},
		{[]history.Entry{whole, cut, cut}, "The model sees the chat from its start; 2 messages are cut."},
		{[]history.Entry{out, cut, whole}, "The model sees the chat from its start; 1 message is not sent " +
			"and 1 message is cut."},
	} {
		m.Plan.Entries = test.entries
		if got := m.fromStart(); got != test.want {
			t.Errorf("%+v: %q, want %q", test.entries, got, test.want)
		}
	}
}
