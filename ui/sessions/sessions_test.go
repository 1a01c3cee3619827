package sessions

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

var begun = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// fixture is a list whose screen notes what the list has it do. Its commands are never run.
type fixture struct {
	*Model
	did string
}

// empty is an open list without sessions, in so many cells and lines.
func empty(w, h int, filter string) *fixture {
	f := new(fixture)
	note := func(what string) tea.Cmd { f.did = what; return nil }
	f.Model = &Model{
		Context: &app.Context{Shared: &app.Shared{
			ProgramContext: context.Background, Keys: keymap.Default(), Say: note, Fail: note,
			Themes: &theme.Selection{Styles: theme.New(theme.None, theme.Palette{}, 0)},
			Deps:   session.Deps{Now: func() time.Time { return begun }},
		}},
		Hooks: Hooks{
			Close: func() { f.did = "close" },
			New:   func() tea.Cmd { return note("new") },
			Open: func(id string, message int64, found string) tea.Cmd {
				return note(strings.TrimSuffix(fmt.Sprint("open ", id, " ", message, " ", found), " 0 "))
			},
			StatusOf: func(string) (string, bool) { return "", false },
		},
	}
	f.Open(filter)
	f.Resize(w, h)
	return f
}

// lists answers what the list asked last.
func (f *fixture) lists(stored ...store.Session) {
	f.ShowListing(Listing{Sessions: stored, ReadAt: begun})
}

// listOf is an open list of three sessions, of which the last one is on the screen.
func listOf(w, h int) *fixture {
	var stored []store.Session
	for i, title := range []string{"Parser rewrite", "Bread with rye", "Trip to Oslo"} {
		stored = append(stored, store.Session{
			ID: fmt.Sprintf("%08x-0000-7000-8000-000000000000", i), Title: title, Model: "gpt-5.2", Turns: 4 - i,
			Messages: 8 - 2*i,
			Created:  begun.Add(-48 * time.Hour), Updated: begun.Add(-time.Duration(i) * time.Hour), Pinned: i == 0,
			Tags: []string{"work"}[:i%2],
		})
	}
	f := empty(w, h, "")
	f.Info.ID = stored[2].ID
	f.lists(stored...)
	return f
}

func (f *fixture) press(keys ...string) *fixture {
	for _, name := range keys {
		f.Update(uitest.Key(name))
		f.Resize(f.w, f.h)
	}
	return f
}

func (f *fixture) drawn() string {
	lines, _ := f.View()
	return uitest.Plain(lines)
}

func TestWhatAKeyHasTheScreenDo(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"enter", "open 00000000-0000-7000-8000-000000000000"},
		{"esc", "close"},
		{"ctrl+s", "close"},
		{"ctrl+n", "new"},
		{"down down ctrl+d", "new"},
		{"ctrl+u", "There is nothing to undo here."},
		{"f2", "f2 does nothing here; esc closes the list."},
	} {
		if got := listOf(80, 12).press(strings.Fields(c.keys)...).did; got != c.want {
			t.Errorf("%s: got %q, want %q", c.keys, got, c.want)
		}
	}
}

// come does what a command leads to.
func come(cmd tea.Cmd) {
	for cmd != nil {
		cmd = cmd().(app.Then)()
	}
}

func TestWhatComesLateIsDropped(t *testing.T) {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "winnow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	walrus := said(history.User, "A walrus sleeps.").Message
	kept, _, err := db.BeginSession(t.Context(), store.Session{Title: "Whales"}, walrus)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		filter string
		ask    func(f *fixture) tea.Cmd
		key    string // of what is done before the answer comes
		late   string // a part of the answer
	}{
		{"", (*fixture).readShelf, "shift+tab", "Whales"},
		{"walrus", (*fixture).find, "x", "A walrus"},
		{"", func(f *fixture) tea.Cmd {
			return f.ShowListing(Listing{Sessions: []store.Session{kept}, ReadAt: begun})
		}, "x", "A walrus"},
	} {
		for _, key := range []string{"", c.key} {
			f := empty(80, 24, c.filter)
			f.Deps.Store = db
			answer := c.ask(f)
			if key != "" {
				f.press(key)
			}
			come(answer)
			if got := f.drawn(); strings.Contains(got, c.late) != (key == "") {
				t.Errorf("%q, then the key %q:\n%s", c.filter, key, got)
			}
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
		{"the list", 90, 16, nil},
		{"a narrow list", 34, 6, nil},
		{"a filter", 90, 10, []string{"r", "e"}},
		{"a filter that leaves nothing", 90, 6, []string{"q"}},
		{"a title that is typed", 90, 8, []string{"ctrl+e"}},
		{"tags that are typed", 90, 8, []string{"down", "ctrl+t"}},
		{"the archive that is being read", 90, 6, []string{"shift+tab"}},
	} {
		lines, _ := listOf(c.w, c.h).press(c.keys...).View()
		screens.Add(c.name, lines)
	}
	screens.Golden(t)
}

// searched is a list in which a search has found one message, with its preview.
func searched(w, h int, text string, messages ...PreviewMessage) *fixture {
	f := empty(w, h, text)
	f.lists()
	f.ShowFound(SearchResult{Text: text, Hits: []store.SearchHit{{
		Session: store.Session{ID: "1", Title: "Whales", Updated: begun}, Message: 7, Role: history.User, At: begun,
		Snippet: text, Marks: [][2]int{{0, len(text)}},
	}}})
	f.Resize(w, h)
	f.ShowPreview(messages, nil)
	return f
}

// unchanged hides nothing.
func unchanged(text string) string { return text }

// said is a message.
func said(r history.Role, text string) PreviewMessage {
	return PreviewMessage{Message: store.Message{Message: history.Message{Role: r, Content: text}}}
}

// Wherever in a message something was found, the preview shows the line that holds it, and no more lines than fit.
func TestAPreviewShowsWhatWasFound(t *testing.T) {
	for _, before := range []int{0, 30, 300, 3000} {
		for _, h := range []int{24, 40, 90} {
			stored := strings.Repeat("Nothing is said here. ", before) + "There swims a walrus." +
				strings.Repeat(" Nothing more.", 1000)
			part := said(history.User, previewText(said(history.User, stored).Message, "walrus", unchanged))
			l := searched(100, h, "walrus", part, said(history.Assistant, "An answer."))
			got := l.drawn()
			if preview := got[strings.LastIndex(got, "───"):]; !strings.Contains(preview, "walrus") {
				t.Errorf("%d sentences before it, in %d lines, what was found is not shown:\n%s", before, h, got)
			}
			if n := strings.Count(got, "\n"); n > h {
				t.Errorf("%d lines are drawn in a height of %d", n, h)
			}
		}
	}
}

// What a search found in a file or a tool call is previewed from there, since the message itself does not say it.
func TestAPreviewShowsFilesWhereTheyMatch(t *testing.T) {
	m := store.Message{
		Message: history.Message{
			Role: history.User, Content: "What is this?", Parts: []history.Part{
				{Kind: history.TextPart, Name: "notes.md", Text: "A walrus sleeps."},
			},
		},
	}
	for query, want := range map[string]string{
		"walrus": "What is this?\nnotes.md\nA walrus sleeps.", "what": "What is this?", "": "What is this?",
	} {
		if got := previewText(m, query, unchanged); got != want {
			t.Errorf("%q previews %q, want %q", query, got, want)
		}
	}
}

// A secret at the beginning of what a preview shows is redacted as a whole.
func TestAPreviewShowsNoPartOfASecret(t *testing.T) {
	const secret = "sk-0123456789"
	l := empty(100, 24, "walrus")
	l.Secrets.Find = func(text string, _ bool) (spans [][2]int) {
		if at := strings.Index(text, secret); at >= 0 {
			spans = append(spans, [2]int{at, at + len(secret)})
		}
		return spans
	}
	for gap := range 2 * beforeHit {
		text := strings.Repeat("word ", 99) + secret + strings.Repeat(" ", gap) + "walrus"
		got := previewText(said(history.User, text).Message, "walrus", l.Secrets.Redact)
		if strings.Contains(got, secret[len(secret)-3:]) {
			t.Fatalf("a secret %d bytes before the match shows as %q", gap, got[:20])
		}
	}
}

func TestTheAgeOfASession(t *testing.T) {
	zone := time.FixedZone("here", 3600)
	at := time.Date(2026, 3, 1, 9, 30, 0, 0, zone)
	for want, then := range map[string]time.Time{
		"now":         at.Add(-30 * time.Second),
		"59 min ago":  at.Add(-59*time.Minute - time.Second),
		"8 h ago":     at.Add(-8*time.Hour - time.Minute),
		"yesterday":   time.Date(2026, 2, 28, 0, 5, 0, 0, zone),
		"27 Feb":      time.Date(2026, 2, 27, 23, 59, 0, 0, zone),
		"31 Dec 2025": time.Date(2025, 12, 31, 23, 59, 0, 0, zone),
	} {
		if got := age(at, then.UTC()); got != want {
			t.Errorf("%s at %s is %q, want %q", then, at, got, want)
		}
	}
}
