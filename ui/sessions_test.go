package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/list"
	"winnow/ui/sessions"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// listItems returns the items of the list of sessions.
func listItems(m *Model) (items []list.Item) {
	l := m.sessions.List
	if l == nil {
		return nil
	}
	at, _ := l.SelectedItem()
	l.MoveCursor(-l.Len())
	for range l.ShownCount() {
		item, _ := l.SelectedItem()
		items = append(items, item)
		l.MoveCursor(1)
	}
	l.Select(at.Value)
	return items
}

// nameIn returns the title in the label of an item.
func nameIn(item list.Item) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(item.Label, theme.ForkMark+" "), " #")
	return name
}

// titles returns the titles in the list of sessions.
func titles(m *Model) []string {
	var out []string
	for _, item := range listItems(m) {
		if item.Group == "" {
			out = append(out, nameIn(item))
		}
	}
	return out
}

// atCursor returns the value of the item under the cursor: the id of a session, or "message ID".
func atCursor(m *Model) string {
	item, _ := m.sessions.List.SelectedItem()
	return item.Value
}

// keep stores sessions with one message each, the most recent last.
func (l *live) keep(titles ...string) map[string]store.Session {
	l.t.Helper()
	kept := map[string]store.Session{}
	for _, title := range titles {
		s, _, err := l.Deps.Store.BeginSession(l.t.Context(), store.Session{
			Title: title, Endpoint: "here", Model: "small",
		},
			store.Message{
				Message: history.Message{Role: history.User, Content: "About " + title + ".", Status: history.Complete},
			})
		if err != nil {
			l.t.Fatal(err)
		}
		kept[title] = s
	}
	return kept
}

// lists waits until all changes are stored and the list has these titles.
func (l *live) lists(want ...string) {
	l.t.Helper()
	l.until(fmt.Sprintf("the list %q", want), func() bool {
		return l.settled() && slices.Equal(titles(l.Model), want)
	})
}

// settled reports whether the list is read and no change is pending.
func (l *live) settled() bool { return l.sessions.PendingChanges == 0 && l.sessions.Position() != "" }

// on fails unless the cursor is on a session.
func (l *live) on(title string) {
	l.t.Helper()
	if item, _ := l.sessions.List.SelectedItem(); nameIn(item) != title {
		l.t.Fatalf("the cursor is on %q, want %q:\n%s", nameIn(item), title, plain(l.Model))
	}
}

// stored returns the stored row of a session.
func (l *live) stored(id string) store.Session {
	l.t.Helper()
	s, err := l.Deps.Store.Session(l.t.Context(), id)
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

func TestTheFirstScreenIsTheListWithItsFilter(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.keep("bread", "parser")
	l.first = func() tea.Cmd { return l.welcome(Options{Screen: SessionsScreen, Filter: "bre"}) }
	l.run(l.Init())
	l.lists("bread")
}

func TestASessionOpenInAnotherWindowSaysSo(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	kept := l.keep("bread", "parser")
	_, release, err := l.secondStore().Lease(t.Context(), kept["bread"].ID)
	if err != nil {
		t.Fatal(err)
	}
	l.press("ctrl+s")
	l.lists("parser", "bread")
	if screen := plain(l.Model); strings.Contains(screen, "parser   open in another window") ||
		!strings.Contains(screen, "bread   open in another window") {
		t.Fatalf("the list does not say which session another window has open:\n%s", plain(l.Model))
	}
	l.press("down", "ctrl+d")
	l.shows("This chat is open in another window; close it there first.")
	if !l.stored(kept["bread"].ID).Deleted.IsZero() {
		t.Error("it is in the trash")
	}
	release()
	l.press("esc", "ctrl+s")
	l.lists("parser", "bread")
	if strings.Contains(plain(l.Model), "bread   open in another window") {
		t.Errorf("it is still open elsewhere:\n%s", plain(l.Model))
	}
}

func TestEveryWordOfAFilterIsInTitleOrTags(t *testing.T) {
	m := fresh(t, 120, 40)
	m.Update(ctrl('s'))
	listed(m, someSessions()...)
	for _, c := range []struct{ filter, want string }{
		{"", "Parser rewrite, Bread with rye, Parser rewrite, without the lexer, Übersetzung für die Partnerschaft, " +
			"日本語の構文解析, untitled"},
		{"PARSER", "Parser rewrite, Parser rewrite, without the lexer"},
		{"go lexer", "Parser rewrite, without the lexer"},
		{"#kitch", "Bread with rye"},
		{"rye bread", "Bread with rye"},
		{"brd", "Bread with rye, Übersetzung für die Partnerschaft"},
		{"für", "Übersetzung für die Partnerschaft"},
		{"構文", "日本語の構文解析"},
		{"zebra", ""},
	} {
		m.Update(ctrl('u'))
		typing(m, c.filter)
		if got := strings.Join(titles(m), ", "); got != c.want {
			t.Errorf("%q leaves %s, want %s", c.filter, got, c.want)
		}
	}
}

// shelfState returns everything about the sessions that the list can change.
func (l *live) shelfState() string {
	l.t.Helper()
	var b strings.Builder
	for _, f := range []store.SessionFilter{{}, {Archived: true}, {Trash: true}} {
		sessions, err := l.Deps.Store.Sessions(l.t.Context(), f)
		if err != nil {
			l.t.Fatal(err)
		}
		for _, s := range sessions {
			fmt.Fprintln(&b, f.Archived, f.Trash, s.ID, s.Title, s.Tags, s.Pinned, s.Archived)
		}
	}
	return b.String()
}

// Any changes in the list of sessions, made in quick succession or not, can all be undone.
func TestEveryChangeOfASessionIsTakenBack(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	l.keep("bread", "parser", "cellar")
	l.press("ctrl+s")
	l.lists("cellar", "parser", "bread")
	before := l.shelfState()
	rested := l.settled
	asks := func(what string) bool { return strings.Contains(plain(l.Model), what) }
	rapid.Check(t, func(rt *rapid.T) {
		for range rapid.IntRange(1, 25).Draw(rt, "n") {
			switch what := rapid.IntRange(0, 7).Draw(rt, "what"); what {
			case 6, 7:
				l.press("ctrl+e")
				if asks("enter save the title") {
					l.types("x")
					l.press("enter")
				}
			default:
				l.press([]string{"ctrl+d", "ctrl+a", "ctrl+p", "ctrl+r", "shift+tab", "down"}[what])
			}
			if asks("enter delete permanently") {
				l.press("esc")
			}
			if rapid.Bool().Draw(rt, "wait") {
				l.until("the act", rested)
			}
		}
		for !asks("There is nothing to undo here.") {
			l.press("ctrl+u")
			l.until("the undo", rested)
		}
		if after := l.shelfState(); after != before {
			rt.Fatalf("before:\n%safter everything was taken back:\n%s", before, after)
		}
		l.press("esc", "ctrl+s") // reads the list again for the next round
		l.until("the list", rested)
	})
}

// someSessions returns the sessions of the golden files.
func someSessions() []store.Session {
	day := 24 * time.Hour
	of := func(id, title, model string, turns int, used time.Duration, tags ...string) store.Session {
		return store.Session{
			ID: "0193a1b2-c3d4-7000-8000-00000000000" + id, Title: title, Model: model, Turns: turns,
			Messages: 2 * turns,
			Created:  begun.Add(-used - 3*day), Updated: begun.Add(-used), Tags: tags, Dir: "/home/kim/parser",
		}
	}
	list := []store.Session{
		of("1", "Parser rewrite", "gpt-5.2", 61, time.Minute, "go", "work"),
		of("2", "Bread with rye", "llama3.2", 4, 26*time.Hour, "kitchen"),
		of("3", "Parser rewrite, without the lexer", "gpt-5.2", 9, 3*day, "go"),
		of("4", "Übersetzung für die Partnerschaft", "mistral-large-latest", 1, 12*day),
		of("5", "日本語の構文解析", "gpt-5.2", 1204, 40*day, "go", "cjk"),
		of("6", "", "guide", 1, 90*day),
	}
	list[0].Pinned = true
	list[2].Parent = list[0].ID
	return list
}

// listed answers the last query of the list of sessions.
func listed(m *Model, stored ...store.Session) {
	m.sessions.ShowListing(sessions.Listing{Sessions: stored, ReadAt: begun})
}

// previewed returns a message of a preview.
func previewed(r history.Role, text string, at time.Time, place store.MessagePosition) sessions.PreviewMessage {
	message := said(0, r, text)
	message.CreatedMS = at.UnixMilli()
	return sessions.PreviewMessage{Message: message, Place: place}
}

// choosing opens the list of sessions over a conversation.
func choosing(t testing.TB, w, h int) *Model {
	m := chatting(t, w, h)
	m.Update(ctrl('s'))
	stored := someSessions()
	m.Info.ID = stored[0].ID
	m.sessions.ShowListing(sessions.Listing{Sessions: stored, Leased: []string{stored[3].ID}, ReadAt: begun})
	m.sessions.ShowPreview([]sessions.PreviewMessage{
		previewed(history.User, "Now the error recovery.", begun.Add(-2*time.Minute),
			store.MessagePosition{Number: 121, Of: 122}),
		previewed(history.Assistant, "Skip to the next `;` and go on from there.", begun.Add(-time.Minute),
			store.MessagePosition{Number: 122, Of: 122}),
	}, nil)
	return m
}

// binned opens the trash with two sessions.
func binned(t testing.TB, w, h int) *Model {
	m := chatting(t, w, h)
	m.Update(ctrl('s'))
	m.Update(uitest.Key("shift+tab"))
	m.Update(uitest.Key("shift+tab"))
	stored := someSessions()[1:3]
	for i := range stored {
		stored[i].Deleted = begun.Add(-time.Hour)
	}
	listed(m, stored...)
	return m
}

// sessionStates returns the states of the list of sessions.
func sessionStates() []state {
	return []state{
		{"sessions", choosing},
		{"sessions-trash", binned},
		{"sessions-purge", func(t testing.TB, w, h int) *Model {
			m := binned(t, w, h)
			m.Update(ctrl('d'))
			return m
		}},
		{"sessions-none", func(t testing.TB, w, h int) *Model {
			m := chatting(t, w, h)
			m.Update(ctrl('s'))
			listed(m)
			return m
		}},
		{"texts", foundTexts},
	}
}

// foundTexts opens the list with hits in messages.
func foundTexts(t testing.TB, w, h int) *Model {
	m := choosing(t, w, h)
	typing(m, "gramm left")
	stored := someSessions()
	day := 24 * time.Hour
	dropped := &history.Entry{Disposition: history.Dropped}
	recalled := &history.Entry{Disposition: history.Recalled}
	kept := &history.Entry{Disposition: history.Kept, Whole: true}
	stored[3].Archived = true
	hit := func(s store.Session, id int64, r history.Role, snippet string, marks ...[2]int) store.SearchHit {
		return store.SearchHit{
			Session: s, Message: id, Role: r, Model: s.Model, At: begun.Add(-day), Snippet: snippet, Marks: marks,
		}
	}
	m.sessions.ShowFound(sessions.SearchResult{
		Text: "gramm left",
		Hits: []store.SearchHit{
			hit(stored[0], 1, history.User, "Our grammar is left-recursive. How do I parse it with recursive descent?",
				[2]int{4, 11}, [2]int{15, 19}),
			hit(stored[2], 42, history.Assistant, "… what is left of the grammar after that: three rules, one of "+
				"them for expressions, and the two that call it. None of …", [2]int{12, 16}, [2]int{24, 31}),
			hit(stored[4], 77, history.Tool, "構文 grammar.go 左 left.go", [2]int{7, 14}, [2]int{22, 26}),
			hit(stored[0], 2, history.Assistant, "Left recursion goes away when the grammar is written as a loop.",
				[2]int{0, 4}, [2]int{34, 41}),
			hit(stored[0], 5, history.User, "Is the grammar left as it was?", [2]int{7, 14}, [2]int{15, 19}),
			hit(stored[0], 8, history.Assistant, "Nothing of the grammar is left out.", [2]int{15, 22}, [2]int{26, 30}),
			hit(stored[0], 9, history.User, "And left of the grammar?", [2]int{4, 8}, [2]int{16, 23}),
			hit(stored[3], 3, history.User, "Die Grammatik steht left.", [2]int{4, 9}, [2]int{20, 24}),
		},
		Places: map[int64]store.MessagePosition{
			1: {Number: 1, Of: 122, LastVerdict: dropped}, 42: {Number: 12, Of: 18, LastVerdict: recalled}, 77: {
				Number: 1977, LastVerdict: kept,
			},
			2: {Number: 2, Of: 122, LastVerdict: recalled}, 5: {Number: 5, Of: 122, LastVerdict: kept}, 3: {Number: 3, Of: 4},
		},
	})
	m.Update(uitest.Key("down"))
	m.sessions.ShowPreview([]sessions.PreviewMessage{
		previewed(history.User, "Our grammar is left-recursive. How do I parse it with recursive descent?",
			begun.Add(-2*day), store.MessagePosition{Number: 1, Of: 122, LastVerdict: dropped}),
		previewed(history.Assistant, "Left recursion goes away when the grammar is written as a loop.\n\n- Parse a "+
			"term.\n- While a plus follows, parse another one, and let the tree grow to the left. That keeps the "+
			"order in which the operators are read.\n", begun.Add(-time.Hour),
			store.MessagePosition{Number: 2, Of: 122, LastVerdict: recalled}),
	}, nil)
	return m
}

// found returns the values of the items that are hits in messages.
func found(m *Model) (values []string) {
	for _, item := range listItems(m) {
		if item.Group != "" {
			values = append(values, item.Value)
		}
	}
	return values
}

// hits waits until the search has found a number of messages.
func (l *live) hits(want int) {
	l.t.Helper()
	l.until(fmt.Sprintf("%d messages", want), func() bool {
		return !strings.Contains(plain(l.Model), "Searching…") && len(found(l.Model)) == want
	})
}

func TestUntilTheSearchIsDoneEnterSaysSo(t *testing.T) {
	m := choosing(t, 120, 40)
	typing(m, "zq")
	if m.Update(enter); !strings.Contains(plain(m), "Still searching for zq.") {
		t.Errorf("before the answer, enter says nothing:\n%s", plain(m))
	}
}

func TestASearchThatFailsSaysWhy(t *testing.T) {
	m := choosing(t, 120, 40)
	typing(m, "zq")
	m.sessions.ShowFound(sessions.SearchResult{
		Text: "zq", Err: errors.New("search the messages: the disk is gone"),
	})
	if screen := plain(m); !strings.Contains(screen, "the disk is gone") || strings.Contains(screen, "Searching…") {
		t.Errorf("the error is not shown:\n%s", screen)
	}
}

// Only the best hits of each session are listed.
func TestHitsOfOneSessionAreFew(t *testing.T) {
	m := foundTexts(t, 120, 40)
	if screen := plain(m); strings.Contains(screen, "Nothing of the grammar") {
		t.Fatalf("of five hits three are to be listed:\n%s", screen)
	}
	for range 20 {
		m.Update(uitest.Key("down"))
	}
	if got := atCursor(m); got != "message 77" {
		t.Errorf("the last hit is %s, want message 77", got)
	}
}

// finds searches all messages for a text and opens the first hit.
func (l *live) finds(text string) {
	l.t.Helper()
	l.press("ctrl+s")
	l.types(text)
	l.until("the hits", func() bool { return len(found(l.Model)) > 0 })
	for !strings.HasPrefix(atCursor(l.Model), "message") { // below the titles
		l.press("down")
	}
	l.press("enter")
}

// standsOn waits until the transcript's cursor is on a message of a session.
func (l *live) standsOn(id, text string) {
	l.t.Helper()
	l.until(fmt.Sprintf("the cursor on %q", text), func() bool {
		message, ok := l.Chat.MessageAtCursor()
		return l.Info.ID == id && ok && message.Content == text
	})
	if l.covered() || l.focus != transcriptPane {
		l.t.Fatalf("overlay %v, focus %v:\n%s", l.dialogs.Top(), l.focus, plain(l.Model))
	}
}

func TestAHitOpensFarBackInALongSession(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	const n = 3000
	conversation := store.ImportedConversation{Session: store.Session{Title: "Long", Endpoint: "here", Model: "small"}, Leaf: -1}
	for i := range n {
		m := store.Message{
			Message: history.Message{
				Role: history.User, Content: fmt.Sprintf("Message %d of many.", i), Status: history.Complete,
			},
		}
		if i%2 == 1 {
			m.Role = history.Assistant
		}
		if i == 20 {
			m.Content = strings.Repeat("A long message has many lines.\n\n", 100) +
				"At its end stands a walrus."
		}
		conversation.Add(m)
	}
	imported, err := l.Deps.Store.Import(t.Context(), conversation)
	if err != nil {
		t.Fatal(err)
	}
	kept := imported.Session
	for left := int64(1); left > 0; {
		if left, err = l.Deps.Store.IndexSome(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	l.finds("walrus")
	l.until("the chat", func() bool {
		m, ok := l.Chat.MessageAtCursor()
		return ok && strings.HasSuffix(m.Content, "walrus.")
	})
	l.until("all of it", func() bool { return l.Chat.Messages.Len() == n })
	l.shows("At its end stands a walrus.")
	if l.Info.ID != kept.ID || l.focus != transcriptPane {
		t.Errorf("the session is %s, the focus %v", l.Info.ID, l.focus)
	}
}

func TestAHitInAFileOpensAtItsMessage(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	kept, _, err := l.Deps.Store.BeginSession(t.Context(), store.Session{
		Title: "Notes", Endpoint: "here", Model: "small",
	},
		store.Message{Message: history.Message{
			Role: history.User, Content: "What is this?", Status: history.Complete,
			Parts: []history.Part{{Kind: history.TextPart, Name: "notes.md", Text: "A walrus sleeps."}},
		}})
	if err != nil {
		t.Fatal(err)
	}
	l.finds("walrus") // the transcript shows only the name of the file, so nothing is marked
	l.standsOn(kept.ID, "What is this?")
	if l.Chat.Search.Active {
		t.Errorf("a search was begun that finds nothing:\n%s", plain(l.Model))
	}
}

// A session is not left before its message is stored, because the message could not return to the draft.
func TestWhileAMessageIsNotSavedNoOtherSessionIsOpened(t *testing.T) {
	m := asking(t, 120, 40)
	m.Update(ctrl('s'))
	listed(m, someSessions()...)
	m.Update(uitest.Key("down"))
	m.Update(enter)
	if !strings.Contains(plain(m), "Your message is not saved yet") || m.dialogs.Top() != m.sessions {
		t.Errorf("enter on a session while an answer arrives:\n%s", plain(m))
	}
}
