// Package sessions is the list of stored chats: its shelves (chats, archive, trash), a filter that finds titles and
// then messages, a preview of the chat under the cursor, and the changes that can be made to a chat. It reads and
// changes the store in commands.
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

// Hooks are what the list asks of its parent.
type Hooks struct {
	Close   func()         // closes the list
	New     func() tea.Cmd // starts a new chat, which closes the list
	Changed func()         // called after a change of a chat

	// Open opens a chat at a message and highlights a text in it, or at its end if message is 0.
	Open func(id string, message int64, found string) tea.Cmd

	// Rename returns a function that sets the title of a chat, open or not.
	Rename func(id, title string) func(context.Context) error

	// StatusOf returns the status word of a chat that runs in the background, and whether an answer is arriving in it.
	StatusOf func(id string) (word string, busy bool)
}

// shelves are the lists of stored chats, in the order of the key that switches between them.
var shelves = [...]struct {
	holds                store.SessionFilter
	title, empty, toNext string
}{
	{store.SessionFilter{}, "Chats", "No chats yet. A chat is saved from its first message on.", "archive"},
	{store.SessionFilter{Archived: true}, "Chats › archive", "Nothing is archived.", "trash"},
	{store.SessionFilter{Trash: true}, "Chats › trash", "The trash is empty.", "active"},
}

// Model is the list of stored chats.
type Model struct {
	*app.Context
	Hooks Hooks
	List  *list.Model // the items; lines has what their values mean
	w, h  int

	shelf          int
	listing        Listing         // what was read of the shelf
	found          SearchResult    // what the filter found in messages
	lines          map[string]line // by the value of a list item
	preview        preview
	undos          []undo // newest last
	PendingChanges int    // changes that are still running

	reading, searching, previewing app.Latest

	edit *edit // the text field in place of the filter, nil for none
}

// line is a line of the list: a chat, or a message found in it.
type line struct {
	store.Session
	label string           // fork mark, title and tags, which the filter searches
	tags  int              // offset of the tags in the label
	hit   *store.SearchHit // the message that was found, nil for the chat itself
}

// lineFor returns the line of a chat. It is cached, because redacting the titles of a long list is slow.
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

// name is what a chat is called in a sentence.
func (s line) name() string { return strings.TrimPrefix(s.label[:s.tags], theme.ForkMark+" ") }

// Open shows the list with a filter. Running changes and the undo stack stay.
func (l *Model) Open(filter string) tea.Cmd {
	l.List = list.New(l.Context, list.Options{CloseAction: keymap.Sessions, DrawRow: l.row})
	l.List.Filter = theme.NewField(filter)
	l.edit, l.preview = nil, preview{}
	return l.showShelf(0)
}

// showShelf shows a shelf once it has been read.
func (l *Model) showShelf(of int) tea.Cmd {
	l.shelf, l.listing, l.found, l.lines = of, Listing{}, SearchResult{}, map[string]line{}
	l.fill()
	return tea.Batch(l.readShelf(), l.filtered())
}

// Refresh reads the list again after another window changed the store, unless a change of this window is running, which
// does so itself.
func (l *Model) Refresh() tea.Cmd {
	if l.PendingChanges > 0 {
		return nil
	}
	return tea.Batch(l.readShelf(), l.find())
}

// hitsEach is how many found messages are listed for each chat. The search within the chat finds the others.
const hitsEach = 3

// fill lists the chats, and after them the messages that were found. The cursor stays on its item.
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

// SecretsToggled redraws the list after possible secrets were revealed or hidden.
func (l *Model) SecretsToggled() tea.Cmd {
	if l.lines = map[string]line{}; l.List == nil {
		return nil
	}
	l.found.Hits, l.preview = nil, preview{} // they were redacted when they were read
	l.fill()
	return tea.Batch(l.find(), l.loadPreview())
}

// cursor returns the line under the cursor.
func (l *Model) cursor() (line, bool) {
	item, _ := l.List.SelectedItem()
	s, ok := l.lines[item.Value]
	return s, ok
}

// Update handles a key, a paste or the mouse. Mouse positions count from the upper left corner of the list.
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

// key handles a key.
func (l *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	action := l.Keys.Action(msg, keymap.InSessions)
	switch {
	case l.edit != nil:
		return l.editKey(msg)
	case action == keymap.FocusBack:
		return l.showShelf((l.shelf + 1) % len(shelves))
	case action == keymap.New:
		return l.Hooks.New()
	case action == keymap.Undo && l.List.Filter.Text() == "": // otherwise the key edits the filter
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

// updateList passes a message to the list and acts on the result.
func (l *Model) updateList(msg tea.Msg) tea.Cmd {
	switch l.List.Update(msg) {
	case list.Filtered:
		return l.filtered()
	case list.Chosen:
		return l.choose()
	case list.Closed:
		l.Hooks.Close()
	case list.UnknownKey:
		return l.NoKey(msg.(tea.KeyPressMsg), l.Keys.First(keymap.Back)+" closes the list.")
	}
	return nil
}

// choose opens the line under the cursor.
func (l *Model) choose() tea.Cmd {
	s, ok := l.cursor()
	switch {
	case l.waiting() && (s.hit != nil || !ok):
		return l.Say("Still searching for " + l.List.Filter.Text() + ".")
	case !ok:
		return l.Say("There is nothing to open; " + l.Keys.First(keymap.Back) + " closes the list.")
	case !s.Deleted.IsZero():
		return l.Say("This chat is in the trash; " + l.Keys.First(keymap.Archive) + " restores it first.")
	}
	if s.hit == nil {
		return l.Hooks.Open(s.ID, 0, "")
	}
	found := ""
	if marks := s.hit.Marks; len(marks) > 0 {
		found = s.hit.Snippet[marks[0][0]:marks[0][1]]
	}
	return l.Hooks.Open(s.ID, s.hit.Message, found)
}

// Types reports whether a printable key is text now: in a filter that is not empty, or in a text field.
func (l *Model) Types() bool { return l.edit != nil || l.List.Filter.Text() != "" }

// Hints are the most useful keys.
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
