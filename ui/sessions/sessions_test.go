package sessions

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"winnow/ui/event"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

var begun = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// listOf is an open list of three sessions. Its commands are never run.
func listOf(w, h int) Model {
	var stored []store.Session
	for i, title := range []string{"Parser rewrite", "Bread with rye", "Trip to Oslo"} {
		stored = append(stored, store.Session{
			ID: fmt.Sprintf("%08x-0000-7000-8000-000000000000", i), Title: title, Model: "gpt-5.2", Turns: 4 - i,
			Messages: 8 - 2*i,
			Created:  begun.Add(-48 * time.Hour), Updated: begun.Add(-time.Duration(i) * time.Hour), Pinned: i == 0,
			Tags: []string{"work"}[:i%2],
		})
	}
	var l Model
	l.Open(Deps{Keys: keymap.Default(), Run: noCommand}, Around{Shown: true, Here: stored[2].ID, W: w, H: h},
		theme.Secrets{}, "")
	l, _ = l.Update(ListedMsg{Asked: l.Asked, Lines: SessionLines(theme.Secrets{}, stored), At: begun, Whole: true})
	return l
}

func noCommand(func(context.Context) tea.Msg) tea.Cmd { return nil }

func press(l Model, keys ...string) (Model, []event.Event) {
	var events []event.Event
	for _, name := range keys {
		l, _ = l.Update(uitest.Key(name))
		events = l.Events()
	}
	return l, events
}

func TestTheListSaysWhatConcernsOthers(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want event.Event
	}{
		{[]string{"enter"}, Chosen{"00000000-0000-7000-8000-000000000000"}},
		{[]string{"down", "down", "enter"}, Left{}},
		{[]string{"esc"}, Closed{}},
		{[]string{"ctrl+s"}, Closed{}},
		{[]string{"ctrl+n"}, NewSession{}},
		{[]string{"down", "ctrl+f"}, Forked{"00000001-0000-7000-8000-000000000000", "Bread with rye"}},
		{[]string{"ctrl+r"}, event.Notice{Text: "It is not in the trash."}},
		{[]string{"down", "down", "ctrl+d"}, event.Notice{
			Text: "This session is open; open another one first.", Error: true,
		}},
	} {
		if _, got := press(listOf(80, 12), c.keys...); !slices.Equal(got, []event.Event{c.want}) {
			t.Errorf("%v: got %#v, want %#v", c.keys, got, c.want)
		}
	}
}

func TestScreens(t *testing.T) {
	st := theme.New(theme.None, theme.Palette{}, 0)
	var screens uitest.Screens
	for _, c := range []struct {
		name string
		w, h int
		keys []string
	}{
		{"the list", 90, 10, nil},
		{"a narrow list", 34, 6, nil},
		{"a filter", 90, 10, []string{"r", "e"}},
		{"a filter that leaves nothing", 90, 6, []string{"q"}},
		{"a title that is typed", 90, 8, []string{"ctrl+e"}},
		{"tags that are typed", 90, 8, []string{"down", "ctrl+t"}},
		{"the archive that is being read", 90, 6, []string{"shift+tab"}},
	} {
		l := listOf(c.w, c.h)
		l, _ = press(l, c.keys...)
		lines, _ := l.View(st)
		screens.Add(c.name, lines)
	}
	screens.Golden(t)
}
