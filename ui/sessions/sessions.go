// Package sessions is the list of the stored sessions: its shelves, one line that finds titles and then the messages
// that hold the words, a preview of what is under the cursor, and what can be done to a session. It reads and changes
// the store by commands.
package sessions

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Callbacks is what the list has the rest of the screen do.
type Callbacks struct {
	Close   func()         // closes the list
	New     func() tea.Cmd // begins a session, which closes the list
	Changed func()         // a session was changed

	// Open opens a session: at a message, where a text is marked, or at its end where message is 0.
	Open func(id string, message int64, found string) tea.Cmd

	// Rename returns what gives a session a title: one that is open has to know its own.
	Rename func(id, title string) func(context.Context) error

	// State is what a line says of a session that is not on the screen, and whether an answer arrives in it.
	StatusOf func(id string) (word string, busy bool)
}

// shelves are the lists of stored sessions, in the order of their key.
var shelves = [...]struct {
	holds                store.SessionFilter
	title, empty, toNext string
}{
	{store.SessionFilter{}, "Chats", "No chats yet. A chat is saved from its first message on.", "archive"},
	{store.SessionFilter{Archived: true}, "Chats › archive", "Nothing is archived.", "trash"},
	{store.SessionFilter{Trash: true}, "Chats › trash", "The trash is empty.", "active"},
}

// Model is the list of the stored sessions.
type Model struct {
	*app.Context
	Callbacks Callbacks
	List      *list.Model // the lines, by their values
	w, h      int

	shelf          int
	listing        Listing         // the shelf as it was read
	found          SearchResult    // what the filter finds in messages
	lines          map[string]line // what the values of the list stand for
	preview        preview
	undos          []undo // the last change last
	PendingChanges int    // changes that are not done yet

	reading, searching, previewing app.Latest

	edit *edit // is typed, nil for nothing
}

// line is what the cursor can stand on: a session, or a message that was found in it.
type line struct {
	store.Session
	label string           // what the filter searches: fork mark, title, tags
	tags  int              // where in the label the tags begin
	hit   *store.SearchHit // nil for the session itself
}

// lineFor is the line of a session. A long list is searched for secrets once.
func (l *Model) lineFor(s store.Session) line {
	if known, ok := l.lines[s.ID]; ok {
		return known
	}
	label := cmp.Or(markdown.OneLine(l.Secrets.RedactLine(s.Title), 200), "untitled")
	if s.Parent != "" {
		label = theme.ForkMark + " " + label
	}
	tags := len(label)
	for _, tag := range s.Tags {
		label += " #" + markdown.OneLine(tag, 40)
	}
	l.lines[s.ID] = line{s, label, tags, nil}
	return l.lines[s.ID]
}

// name is what a session is called in a sentence.
func (s line) name() string { return strings.TrimPrefix(s.label[:s.tags], theme.ForkMark+" ") }

// Open lists the stored sessions that a filter leaves. What is being done and what can be taken back stays.
func (l *Model) Open(filter string) tea.Cmd {
	l.List = list.New(l.Context, list.Options{CloseAction: keymap.Sessions, DrawRow: l.row})
	l.List.Filter = theme.NewField(filter)
	l.edit, l.preview = nil, preview{}
	return l.showShelf(0)
}

// showShelf shows a shelf, as soon as that is read.
func (l *Model) showShelf(of int) tea.Cmd {
	l.shelf, l.listing, l.found, l.lines = of, Listing{}, SearchResult{}, map[string]line{}
	l.fill()
	return tea.Batch(l.readShelf(), l.filtered())
}

// Refresh lists anew what was changed beside this window. What is being done to a session lists it anew in the end.
func (l *Model) Refresh() tea.Cmd {
	if l.PendingChanges > 0 {
		return nil
	}
	return tea.Batch(l.readShelf(), l.find())
}

// hitsEach is how many of the messages found in a session are listed. Its own search finds the others.
const hitsEach = 3

// fill lists the titles, and behind them what was found in messages. The cursor stays where it is.
func (l *Model) fill() {
	var items []list.Item
	for _, s := range l.listing.Sessions {
		items = append(items, list.Item{Label: l.lineFor(s).label, Value: s.ID})
	}
	listed := map[string]int{}
	for _, h := range l.found.Hits {
		if listed[h.Session.ID]++; listed[h.Session.ID] <= hitsEach {
			value, s := fmt.Sprint("message ", h.Message), l.lineFor(h.Session)
			s.hit = &h
			l.lines[value] = s
			items = append(items, list.Item{Value: value, Group: h.Session.ID, Always: true})
		}
	}
	l.List.SetItems(items)
}

// SecretsToggled shows what looks like a secret, or hides it.
func (l *Model) SecretsToggled() tea.Cmd {
	if l.lines = map[string]line{}; l.List == nil {
		return nil
	}
	l.found.Hits = nil // their snippets were cut with the secrets hidden, or shown
	l.fill()
	return l.find()
}

// cursor is what the cursor stands on.
func (l *Model) cursor() (line, bool) {
	item, _ := l.List.SelectedItem()
	s, ok := l.lines[item.Value]
	return s, ok
}

// Update is a key, a paste, or the mouse, whose place is counted from the corner of the list.
func (l *Model) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	press, pressed := msg.(tea.KeyPressMsg)
	paste, pasted := msg.(tea.PasteMsg)
	switch {
	case pressed:
		cmd = l.key(press)
	case pasted && l.edit != nil:
		l.edit.Insert(strings.TrimSpace(paste.Content))
	case l.edit == nil:
		cmd = l.updateList(msg)
	}
	return tea.Batch(cmd, l.loadPreview())
}

// key is a key while the list is open.
func (l *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	action := l.Keys.Action(msg, keymap.InSessions)
	switch {
	case l.edit != nil:
		return l.editKey(msg)
	case action == keymap.FocusBack:
		return l.showShelf((l.shelf + 1) % len(shelves))
	case action == keymap.New:
		return l.Callbacks.New()
	case action == keymap.Undo && l.List.Filter.Text() == "": // else it clears the filter
		return l.undo()
	}
	do := map[keymap.Action]func(line) tea.Cmd{
		keymap.Rename: l.startRename, keymap.Tags: l.startTags, keymap.PinOnTop: l.pin, keymap.Archive: l.archive,
		keymap.Delete: l.delete,
	}[action]
	if do == nil {
		return l.updateList(msg)
	}
	if s, ok := l.cursor(); ok {
		return do(s)
	}
	return l.Say("There is no chat under the cursor.")
}

// updateList has the list take a message, and does what that comes to.
func (l *Model) updateList(msg tea.Msg) tea.Cmd {
	switch l.List.Update(msg) {
	case list.Filtered:
		return l.filtered()
	case list.Chosen:
		return l.choose()
	case list.Closed:
		l.Callbacks.Close()
	case list.UnknownKey:
		return l.NoKey(msg.(tea.KeyPressMsg), l.Keys.First(keymap.Back)+" closes the list.")
	}
	return nil
}

// choose opens what is under the cursor.
func (l *Model) choose() tea.Cmd {
	s, ok := l.cursor()
	switch {
	case l.waiting() && (s.hit != nil || !ok):
		return l.Say("Still searching for " + l.List.Filter.Text() + ".")
	case !ok:
		return l.Say("There is nothing to open; " + l.Keys.First(keymap.Back) + " closes the list.")
	case !s.Deleted.IsZero():
		return l.Say("It is in the trash; " + l.Keys.First(keymap.Archive) + " restores it first.")
	}
	if s.hit == nil {
		return l.Callbacks.Open(s.ID, 0, "")
	}
	found := ""
	if marks := s.hit.Marks; len(marks) > 0 {
		found = s.hit.Snippet[marks[0][0]:marks[0][1]]
	}
	return l.Callbacks.Open(s.ID, s.hit.Message, found)
}

// Types says whether a key that is a character would be text: in a filter that holds some, or where something is
// typed about a session.
func (l *Model) Types() bool { return l.edit != nil || l.List.Filter.Text() != "" }

// Hints are the keys that matter in the list. The help has the others.
func (l *Model) Hints() []key.Binding {
	k := &l.Keys
	s, ok := l.cursor()
	next, closes := k.Hint(shelves[l.shelf].toNext, keymap.FocusBack), k.Hint("close", keymap.Back)
	switch {
	case l.edit != nil:
		return []key.Binding{k.Hint(l.edit.does, keymap.Choose), k.Hint("cancel", keymap.Back)}
	case !ok && l.List.Filter.Text() != "":
		return []key.Binding{k.Hint("clear the filter", keymap.Back)}
	case shelves[l.shelf].holds.Trash:
		restore, purge := k.Hint("restore", keymap.Archive), k.Hint("purge", keymap.Delete)
		return []key.Binding{restore, purge, next, k.Hint("undo", keymap.Undo), closes}
	case !ok:
		return []key.Binding{k.Hint("new chat", keymap.New), next, closes}
	}
	open := "open"
	if s.hit != nil {
		open = "open at the match"
	}
	return []key.Binding{
		k.Hint(open, keymap.Choose), next, k.Hint("rename", keymap.Rename), k.Hint("pin", keymap.PinOnTop), closes,
	}
}
