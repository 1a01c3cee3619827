// Package sessions is the list of the stored sessions: its shelves, one line that finds titles and then the messages
// that hold the words, a preview of what is under the cursor, and what can be done to a session. It reads and changes
// the store by commands.
package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Screen is what the list has the rest of the screen do.
type Screen struct {
	Close   func()                                    // closes the list
	New     func() tea.Cmd                            // begins a session, which closes the list
	Open    func(id string) tea.Cmd                   // opens a session
	OpenAt  func(hit store.Hit, found string) tea.Cmd // opens a session at a message, and marks a text
	Fork    func(id, name string) tea.Cmd             // forks a session at its end, and opens the fork
	Changed func()                                    // a session was changed

	// Rename returns what gives a session a title: one that is open has to know its own.
	Rename func(id, title string) func(context.Context) error

	// State is what a line says of a session that is not on the screen, and whether an answer arrives in it.
	State func(id string) (word string, busy bool)

	Unindexed func() int64             // how many messages a search does not find yet
	Short     func(path string) string // a path as people write it
}

// shelf is one of the lists of stored sessions.
type shelf int

// The shelves in the order of their key.
const (
	usedShelf shelf = iota
	archiveShelf
	trashShelf
	shelves
)

// Model is the list of the stored sessions.
type Model struct {
	*app.Context
	Screen Screen
	List   *list.Model // the entries, by their values
	w, h   int

	shelf   shelf
	titles  []Line           // the shelf as it was read
	leased  []string         // the ids of the sessions that another window has open
	entries map[string]entry // what the values of the list stand for
	read    time.Time        // when the shelf was read, zero before

	search  search
	preview preview
	undos   []*change // they take back what was done, the last one first
	Pending int       // changes that are not done yet

	// So many times the shelf was read, messages were searched and a preview was read: an older answer is dropped.
	Reading, Searching, Previewing int

	edit  *edit // a new title or new tags are typed, nil otherwise
	purge *Line // it is asked whether this one goes for good
}

// Line is a session with what the list shows of it.
type Line struct {
	store.Session
	Label string // what the filter searches: fork mark, title, tags
	tags  int    // where in the label the tags begin
}

// LineOf is the line of a session.
func LineOf(hidden theme.Secrets, s store.Session) Line {
	label := cmp.Or(markdown.OneLine(hidden.Line(s.Title), 200), "untitled")
	if s.Parent != "" {
		label = theme.ForkMark + " " + label
	}
	tags := len(label)
	for _, tag := range s.Tags {
		label += " #" + markdown.OneLine(tag, 40)
	}
	return Line{s, label, tags}
}

// Name is what a session is called in a sentence.
func (s Line) Name() string { return strings.TrimPrefix(s.Label[:s.tags], theme.ForkMark+" ") }

// quoted is what a session is called in a sentence that ends with it.
func (s Line) quoted() string { return "“" + s.Name() + "”" }

// entry is what the cursor can stand on: a session; with hit, a message that was found in it.
type entry struct {
	Line
	hit *store.Hit
}

// value is what the list calls an entry.
func (e entry) value() string {
	if e.hit != nil {
		return fmt.Sprint("message ", e.hit.Message)
	}
	return e.ID
}

// Open lists the stored sessions that a filter leaves. What is being done and what can be taken back stays.
func (l *Model) Open(filter string) tea.Cmd {
	l.endSearch()
	l.List = list.New(l.Context, list.Options{Also: keymap.Sessions, Row: l.row, Heading: l.heading})
	l.List.Filter = theme.NewField(filter)
	l.edit, l.purge, l.shelf, l.titles, l.read = nil, nil, usedShelf, nil, time.Time{}
	l.search, l.preview = search{}, preview{}
	return tea.Batch(l.readShelf(), l.filtered())
}

// Reread lists anew what was changed beside this window. What is being done to a session lists it anew in the end.
func (l *Model) Reread() tea.Cmd {
	if l.Pending > 0 {
		return nil
	}
	return tea.Batch(l.readShelf(), l.find())
}

// Listing is a shelf as it was read.
type Listing struct {
	Sessions []store.Session
	Leased   []string // the ids of the sessions that another window has open, on every shelf
	At       time.Time
	Err      error
}

// readShelf reads the list.
func (l *Model) readShelf() tea.Cmd {
	l.Reading++
	db, n := l.With.Store, l.Reading
	f := store.Filter{Archived: l.shelf == archiveShelf, Trash: l.shelf == trashShelf}
	now := l.With.Now
	if now == nil {
		now = time.Now
	}
	return l.Run(func(ctx context.Context) tea.Msg {
		var read Listing
		var err error
		read.Sessions, read.Err = db.Sessions(ctx, f)
		read.Leased, err = db.Leased(ctx)
		read.At, read.Err = now(), errors.Join(read.Err, err)
		return app.Then(func() tea.Cmd { return l.Listed(n, read) })
	})
}

// Listed shows what a reading brought.
func (l *Model) Listed(reading int, read Listing) tea.Cmd {
	switch {
	case reading != l.Reading || l.List == nil:
		return nil
	case read.Err != nil:
		l.close()
		return l.Fail(theme.Sentence(read.Err))
	}
	l.titles = l.titles[:0]
	for _, s := range read.Sessions {
		l.titles = append(l.titles, LineOf(l.Secrets, s))
	}
	l.leased, l.read = read.Leased, read.At
	l.fill()
	return l.look()
}

// fill lists the titles, and behind them what was found in messages. The cursor stays where it is.
func (l *Model) fill() {
	l.entries = make(map[string]entry, len(l.titles))
	items := make([]list.Item, 0, len(l.titles)+len(l.search.hits))
	for _, s := range l.titles {
		l.entries[s.ID] = entry{Line: s}
		items = append(items, list.Item{Label: s.Label, Value: s.ID})
	}
	for _, e := range l.search.listed(l.Secrets) {
		l.entries[e.value()] = e
		items = append(items, list.Item{Value: e.value(), Group: e.ID, Always: true})
	}
	l.List.Fill(items)
}

// Reveal shows what looks like a secret, or hides it.
func (l *Model) Reveal() {
	for i, s := range l.titles {
		l.titles[i] = LineOf(l.Secrets, s.Session)
	}
	if l.List != nil {
		l.fill()
	}
	l.preview.hide(l.Secrets)
}

// cursor is what the cursor stands on.
func (l *Model) cursor() (entry, bool) {
	item, _ := l.List.Cursor()
	e, ok := l.entries[item.Value]
	return e, ok
}

// Update is a key, a paste, or the mouse, whose place is counted from the corner of the list.
func (l *Model) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	paste, pasted := msg.(tea.PasteMsg)
	click, clicked := msg.(tea.MouseClickMsg)
	_, wheel := msg.(tea.MouseWheelMsg)
	press, pressed := msg.(tea.KeyPressMsg)
	switch {
	case pressed:
		cmd = l.key(press)
	case l.purge != nil:
	case pasted && l.edit != nil:
		l.edit.Insert(strings.TrimSpace(paste.Content))
	case l.edit != nil:
	case clicked:
		click.Y -= l.layout().head
		cmd = l.took(l.List.Update(click), press)
	case pasted || wheel:
		cmd = l.took(l.List.Update(msg), press)
	}
	return tea.Batch(cmd, l.look())
}

// key is a key while the list is open.
func (l *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case l.purge != nil:
		return l.purgeKey(msg)
	case l.edit != nil:
		return l.editKey(msg)
	case l.Keys.Pressed(msg, keymap.FocusBack):
		return l.nextShelf()
	case l.Keys.Pressed(msg, keymap.New):
		return l.Screen.New()
	case l.Keys.Pressed(msg, keymap.Undo) && l.List.Filter.Text() == "": // else it clears the filter
		return l.undo()
	}
	for action, do := range map[keymap.Action]func(entry) tea.Cmd{
		keymap.Rename: l.startRename, keymap.Tags: l.startTags, keymap.PinTop: l.pin, keymap.Archive: l.archive,
		keymap.Delete: l.delete, keymap.ForkOff: l.fork,
	} {
		if !l.Keys.Pressed(msg, action) {
			continue
		}
		if e, ok := l.cursor(); ok {
			return do(e)
		}
		return l.Say("There is no chat under the cursor.")
	}
	return l.took(l.List.Update(msg), msg)
}

// took does what a message to the list came to.
func (l *Model) took(r list.Result, msg tea.KeyPressMsg) tea.Cmd {
	switch r {
	case list.Filtered:
		return l.filtered()
	case list.Chosen:
		return l.choose()
	case list.Closed:
		l.close()
	case list.Unknown:
		return l.NoKey(msg, l.Keys.First(keymap.Back)+" closes the list.")
	}
	return nil
}

// close closes the list.
func (l *Model) close() {
	l.endSearch()
	l.Screen.Close()
}

// choose opens what is under the cursor.
func (l *Model) choose() tea.Cmd {
	e, ok := l.cursor()
	switch {
	case l.search.waiting && (e.hit != nil || !ok):
		return l.Say("Still searching for " + l.List.Filter.Text() + ".")
	case !ok:
		return l.Say("There is nothing to open; " + l.Keys.First(keymap.Back) + " closes the list.")
	case !e.Deleted.IsZero():
		return l.inTrash()
	}
	l.endSearch()
	if e.hit == nil {
		return l.Screen.Open(e.ID)
	}
	found := ""
	if marks := e.hit.Marks; len(marks) > 0 {
		found = e.hit.Snippet[marks[0][0]:marks[0][1]]
	}
	return l.Screen.OpenAt(*e.hit, found)
}

// inTrash says why nothing else is done to a session in the trash.
func (l *Model) inTrash() tea.Cmd {
	return l.Say("It is in the trash; " + l.Keys.First(keymap.Archive) + " restores it first.")
}

// nextShelf shows the next of the lists.
func (l *Model) nextShelf() tea.Cmd {
	l.shelf = (l.shelf + 1) % shelves
	l.titles, l.read = nil, time.Time{}
	l.search.hits = nil
	l.fill()
	return tea.Batch(l.readShelf(), l.filtered())
}

// fork forks the active branch of a session.
func (l *Model) fork(e entry) tea.Cmd {
	if !e.Deleted.IsZero() {
		return l.inTrash()
	}
	return l.Screen.Fork(e.ID, e.Name())
}

// Mode is what the keys are for: each shelf and what the list asks have keys of their own.
type Mode struct {
	shelf shelf
	edit  *edit
	purge *Line
}

// Mode is what the keys are for now.
func (l *Model) Mode() Mode { return Mode{l.shelf, l.edit, l.purge} }

// Types says whether a key that is a character would be text: in a filter that holds some, or in a field for a name.
func (l *Model) Types() bool { return l.edit != nil || l.List.Filter.Text() != "" }

// Hints are the keys that matter in the list.
func (l *Model) Hints() []key.Binding {
	k := &l.Keys
	e, ok := l.cursor()
	switch {
	case l.purge != nil:
		return []key.Binding{k.Hint("delete permanently", keymap.Allow), k.Hint("keep", keymap.Refuse)}
	case l.edit != nil && l.edit.tags:
		return []key.Binding{
			k.Hint("save the tags", keymap.Choose), keymap.Typed("", "separate by spaces or commas"),
			k.Hint("cancel", keymap.Back),
		}
	case l.edit != nil:
		return []key.Binding{k.Hint("save the title", keymap.Choose), k.Hint("cancel", keymap.Back)}
	case !ok && l.List.Filter.Text() != "":
		return []key.Binding{k.Hint("clear the filter", keymap.Back)}
	case l.shelf == trashShelf:
		return []key.Binding{
			k.Hint("restore", keymap.Archive), k.Hint("purge", keymap.Delete), k.Hint("active", keymap.FocusBack),
			k.Hint("undo", keymap.Undo), k.Hint("close", keymap.Back),
		}
	case !ok && l.shelf == usedShelf:
		return []key.Binding{
			k.Hint("new chat", keymap.New), k.Hint("archive", keymap.FocusBack), k.Hint("close", keymap.Back),
		}
	}
	open, shelf, archive := "open", "archive", "archive it"
	if e.hit != nil {
		open = "open at the match"
	}
	if l.shelf == archiveShelf {
		shelf, archive = "trash", "unarchive"
	}
	return []key.Binding{
		k.Hint(open, keymap.Choose), k.Hint(shelf, keymap.FocusBack), k.Hint("rename", keymap.Rename),
		k.Hint("pin", keymap.PinTop), k.Hint("delete", keymap.Delete), k.Hint("tags", keymap.Tags),
		k.Hint(archive, keymap.Archive), k.Hint("undo", keymap.Undo), k.Hint("new", keymap.New),
		k.Hint("fork", keymap.ForkOff), k.Hint("close", keymap.Back),
	}
}
