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
	Close   func()                        // closes the list
	New     func() tea.Cmd                // begins a session, which closes the list
	Fork    func(id, name string) tea.Cmd // forks a session at its end, and opens the fork
	Changed func()                        // a session was changed

	// Open opens a session: at a message, where a text is marked, or at its end where message is 0.
	Open func(id string, message int64, found string) tea.Cmd

	// Rename returns what gives a session a title: one that is open has to know its own.
	Rename func(id, title string) func(context.Context) error

	// State is what a line says of a session that is not on the screen, and whether an answer arrives in it.
	State func(id string) (word string, busy bool)

	Unindexed func() int64 // how many messages a search does not find yet
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
	List   *list.Model // the lines, by their values
	w, h   int

	shelf  shelf
	titles []Line          // the shelf as it was read
	leased []string        // the ids of the sessions that another window has open
	lines  map[string]Line // what the values of the list stand for
	read   time.Time       // when the shelf was read, zero before

	found   Found // what the filter finds in messages
	waiting bool  // what it finds is not here yet
	preview preview
	undos   []*change // they take back what was done, the last one first
	Pending int       // changes that are not done yet

	// So many times the shelf was read, messages were searched and a preview was read: an older answer is dropped.
	Reading, Searching, Previewing int

	edit  *edit // a new title or new tags are typed, nil otherwise
	purge *Line // it is asked whether this one goes for good
}

// Line is what the cursor can stand on: a session, or a message that was found in it.
type Line struct {
	store.Session
	Label string     // what the filter searches: fork mark, title, tags
	tags  int        // where in the label the tags begin
	hit   *store.Hit // nil for the session itself
}

// lineOf is the line of a session.
func (l *Model) lineOf(s store.Session) Line {
	label := cmp.Or(markdown.OneLine(l.Secrets.Line(s.Title), 200), "untitled")
	if s.Parent != "" {
		label = theme.ForkMark + " " + label
	}
	tags := len(label)
	for _, tag := range s.Tags {
		label += " #" + markdown.OneLine(tag, 40)
	}
	return Line{s, label, tags, nil}
}

// Name is what a session is called in a sentence.
func (s Line) Name() string { return strings.TrimPrefix(s.Label[:s.tags], theme.ForkMark+" ") }

// quoted is what a session is called in a sentence that ends with it.
func (s Line) quoted() string { return "“" + s.Name() + "”" }

// Open lists the stored sessions that a filter leaves. What is being done and what can be taken back stays.
func (l *Model) Open(filter string) tea.Cmd {
	l.List = list.New(l.Context, list.Options{Also: keymap.Sessions, Row: l.row, Heading: l.heading})
	l.List.Filter = theme.NewField(filter)
	l.edit, l.purge, l.preview = nil, nil, preview{}
	return l.show(usedShelf)
}

// show shows a shelf, as soon as that is read.
func (l *Model) show(of shelf) tea.Cmd {
	l.shelf, l.titles, l.read, l.found = of, nil, time.Time{}, Found{}
	l.fill()
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
		l.titles = append(l.titles, l.lineOf(s))
	}
	l.leased, l.read = read.Leased, read.At
	l.fill()
	return l.look()
}

// hitsEach is how many of the messages found in a session are listed. Its own search finds the others.
const hitsEach = 3

// fill lists the titles, and behind them what was found in messages. The cursor stays where it is.
func (l *Model) fill() {
	l.lines = make(map[string]Line, len(l.titles))
	var items []list.Item
	for _, s := range l.titles {
		l.lines[s.ID] = s
		items = append(items, list.Item{Label: s.Label, Value: s.ID})
	}
	listed := map[string]int{}
	for _, h := range l.found.Hits {
		if listed[h.Session.ID]++; listed[h.Session.ID] > hitsEach {
			continue
		}
		line, value := l.lineOf(h.Session), fmt.Sprint("message ", h.Message)
		line.hit = &h
		l.lines[value] = line
		items = append(items, list.Item{Value: value, Group: h.Session.ID, Always: true})
	}
	l.List.Fill(items)
}

// Reveal shows what looks like a secret, or hides it.
func (l *Model) Reveal() {
	for i, s := range l.titles {
		l.titles[i] = l.lineOf(s.Session)
	}
	if l.List != nil {
		l.fill()
	}
}

// cursor is what the cursor stands on.
func (l *Model) cursor() (Line, bool) {
	item, _ := l.List.Cursor()
	s, ok := l.lines[item.Value]
	return s, ok
}

// Update is a key, a paste, or the mouse, whose place is counted from the corner of the list.
func (l *Model) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch press, pressed := msg.(tea.KeyPressMsg); {
	case pressed:
		cmd = l.key(press)
	case l.purge != nil:
	case l.edit != nil:
		if paste, ok := msg.(tea.PasteMsg); ok {
			l.edit.Insert(strings.TrimSpace(paste.Content))
		}
	default:
		if click, ok := msg.(tea.MouseClickMsg); ok {
			click.Y -= l.layout().head
			msg = click
		}
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
		return l.show((l.shelf + 1) % shelves)
	case l.Keys.Pressed(msg, keymap.New):
		return l.Screen.New()
	case l.Keys.Pressed(msg, keymap.Undo) && l.List.Filter.Text() == "": // else it clears the filter
		return l.undo()
	}
	for action, do := range map[keymap.Action]func(Line) tea.Cmd{
		keymap.Rename: l.startRename, keymap.Tags: l.startTags, keymap.PinTop: l.pin, keymap.Archive: l.archive,
		keymap.Delete: l.delete, keymap.ForkOff: l.fork,
	} {
		if !l.Keys.Pressed(msg, action) {
			continue
		}
		if s, ok := l.cursor(); ok {
			return do(s)
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
	s, ok := l.cursor()
	switch {
	case l.waiting && (s.hit != nil || !ok):
		return l.Say("Still searching for " + l.List.Filter.Text() + ".")
	case !ok:
		return l.Say("There is nothing to open; " + l.Keys.First(keymap.Back) + " closes the list.")
	case !s.Deleted.IsZero():
		return l.inTrash()
	}
	l.endSearch()
	if s.hit == nil {
		return l.Screen.Open(s.ID, 0, "")
	}
	found := ""
	if marks := s.hit.Marks; len(marks) > 0 {
		found = s.hit.Snippet[marks[0][0]:marks[0][1]]
	}
	return l.Screen.Open(s.ID, s.hit.Message, found)
}

// inTrash says why nothing else is done to a session in the trash.
func (l *Model) inTrash() tea.Cmd {
	return l.Say("It is in the trash; " + l.Keys.First(keymap.Archive) + " restores it first.")
}

// fork forks the active branch of a session.
func (l *Model) fork(s Line) tea.Cmd {
	if !s.Deleted.IsZero() {
		return l.inTrash()
	}
	return l.Screen.Fork(s.ID, s.Name())
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
	s, ok := l.cursor()
	switch {
	case l.purge != nil:
		return []key.Binding{k.Hint("delete permanently", keymap.Allow), k.Hint("keep", keymap.Refuse)}
	case l.edit != nil:
		return []key.Binding{k.Hint("save the "+l.edit.what, keymap.Choose), k.Hint("cancel", keymap.Back)}
	case !ok && l.List.Filter.Text() != "":
		return []key.Binding{k.Hint("clear the filter", keymap.Back)}
	}
	next := k.Hint([...]string{"archive", "trash", "active"}[l.shelf], keymap.FocusBack)
	switch {
	case l.shelf == trashShelf:
		return []key.Binding{
			k.Hint("restore", keymap.Archive), k.Hint("purge", keymap.Delete), next,
			k.Hint("undo", keymap.Undo), k.Hint("close", keymap.Back),
		}
	case !ok:
		return []key.Binding{k.Hint("new chat", keymap.New), next, k.Hint("close", keymap.Back)}
	}
	open, archive := "open", "archive it"
	if s.hit != nil {
		open = "open at the match"
	}
	if l.shelf == archiveShelf {
		archive = "unarchive"
	}
	return []key.Binding{
		k.Hint(open, keymap.Choose), next, k.Hint("rename", keymap.Rename), k.Hint("pin", keymap.PinTop),
		k.Hint("delete", keymap.Delete), k.Hint("tags", keymap.Tags), k.Hint(archive, keymap.Archive),
		k.Hint("undo", keymap.Undo), k.Hint("new", keymap.New), k.Hint("fork", keymap.ForkOff),
		k.Hint("close", keymap.Back),
	}
}
