// Package sessions is the list of stored sessions: its shelves, the filter, the search in the text of all
// messages, and what can be done to a session. It reads and changes the store by commands; what concerns the
// conversation on the screen it reports to its parent as events.
package sessions

import (
	"context"
	"errors"
	"slices"
	"time"

	"winnow/ui/event"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/theme"
)

// shelf is one of the lists of stored sessions.
type shelf int

// The shelves in the order of their key.
const (
	usedShelf shelf = iota
	archiveShelf
	trashShelf
	shelves
)

// Title of the list.
func (l *Model) Title() string {
	switch {
	case l.Texts.On && l.shelf == trashShelf:
		return "Sessions › with the trash"
	case l.Texts.On:
		return "Sessions"
	}
	return [...]string{"Sessions", "Sessions › archive", "Sessions › trash"}[l.shelf]
}

// filter of the store that lists the shelf.
func (s shelf) filter() store.Filter {
	return store.Filter{Archived: s == archiveShelf, Trash: s == trashShelf}
}

// FirstPage is how many sessions are read before the rest of them: more than a screen shows.
const FirstPage = 200

// Model is the list of the stored sessions, with what can be done to them.
type Model struct {
	Deps
	Around
	event.Queue

	shelf   shelf
	Filter  theme.Field
	Lines   []Line  // the shelf as it was read
	Matches []match // what the filter leaves
	at      int
	read    time.Time // when it was read
	Whole   bool      // it is read to its end
	Asked   int       // readings so far: an answer to an older one is dropped

	Texts   Search // in the messages of all sessions
	Preview Preview
	leased  []string // the ids of the sessions that another window has open

	secrets theme.Secrets

	Edit    *lineEdit      // a new name or new tags are typed, nil otherwise
	Purge   *store.Session // it is asked whether this one goes for good
	Actions []action       // the one that is being done, and those that wait for it
	Undos   []action       // they take back what was done, the last one first
}

// Line is a session with what the list shows of it.
type Line struct {
	store.Session
	Label  string // what the filter searches: fork mark, title, tags
	Folded string // the label in lower case
	tags   int    // where in the label the tags begin
	Leased bool   // another window has it open
}

// Open lists the stored sessions that a filter leaves. What is being done and what can be taken back stays.
func (l *Model) Open(d Deps, p Around, secrets theme.Secrets, filter string) tea.Cmd {
	if d.Now == nil {
		d.Now = time.Now
	}
	*l = Model{
		Deps: d, Around: p, secrets: secrets, Filter: theme.NewField(filter), Asked: l.Asked, Actions: l.Actions,
		Undos: l.Undos,
	}
	return l.readShelf()
}

// readShelf reads the list: its first page, and then all of it.
func (l *Model) readShelf() tea.Cmd {
	l.Asked++
	f := l.shelf.filter()
	if len(l.Lines) == 0 {
		f.Limit = FirstPage
	}
	return l.readSessions(f)
}

// Reread lists anew what was changed beside this window. What is being done to a session lists it anew in the end.
func (l *Model) Reread() tea.Cmd {
	switch {
	case !l.Shown || len(l.Actions) > 0:
		return nil
	case l.Texts.On:
		return tea.Batch(l.readShelf(), l.searchTexts())
	}
	return l.readShelf()
}

func (l *Model) readSessions(f store.Filter) tea.Cmd {
	db, asked, hidden, now := l.Store, l.Asked, l.secrets, l.Now
	return l.Run(func(ctx context.Context) tea.Msg {
		list, err := db.Sessions(ctx, f)
		leased, err2 := db.LeasedByOthers(ctx)
		return ListedMsg{
			Asked: asked, Lines: SessionLines(hidden, list, leased...), Leased: leased, At: now(),
			Whole: f.Limit == 0 || len(list) < f.Limit, err: errors.Join(err, err2),
		}
	})
}

// SessionLines are the lines of sessions; leased are the ids of those that another window has open.
func SessionLines(hidden theme.Secrets, sessions []store.Session, leased ...string) []Line {
	lines := make([]Line, len(sessions))
	for i, s := range sessions {
		lines[i] = LineOf(hidden, s)
		lines[i].Leased = slices.Contains(leased, s.ID)
	}
	return lines
}

// listed shows what was read, and reads the rest.
func (l *Model) listed(msg ListedMsg) tea.Cmd {
	if !l.Shown || msg.Asked != l.Asked {
		return nil
	}
	if msg.err != nil {
		l.Emit(Closed{})
		return l.SayError(theme.Sentence(msg.err))
	}
	l.leased = msg.Leased
	l.fill(msg.Lines)
	l.read, l.Whole = msg.At, msg.Whole
	if !msg.Whole {
		return l.readSessions(l.shelf.filter())
	}
	return nil
}

// fill replaces the lines. The filter stays, and so does the cursor.
func (l *Model) fill(lines []Line) {
	old, _ := l.title()
	l.Lines = lines
	l.Refilter()
	l.stay(old.ID)
}

// remove takes a session out of the list before the list is read again.
func (l *Model) remove(id string) {
	old, _ := l.title()
	l.Lines = slices.DeleteFunc(l.Lines, func(s Line) bool { return s.ID == id })
	l.Refilter()
	l.stay(old.ID)
}

// stay keeps the cursor on a session; where that is gone, on its line: what a key does next must not
// move to another place of the list.
func (l *Model) stay(id string) {
	l.move(0)
	if i := slices.IndexFunc(l.Matches, func(x match) bool { return l.Lines[x.Line].ID == id }); i >= 0 {
		l.at = i
	}
}

// Refilter shows what the filter leaves.
func (l *Model) Refilter() { l.Matches = Matches(l.Lines, nil, l.Filter.Text()) }

// Filtered shows what the filter leaves, and says whether it is another one than before. What a longer
// one leaves is among what the shorter one left.
func (l *Model) Filtered(before string) bool {
	now := l.Filter.Text()
	if now == before {
		return false
	}
	l.Matches, l.at = Matches(l.Lines, narrower(l.Matches, before, now), now), 0
	return true
}

// Chosen is the session under the cursor: in a search that of the hit.
func (l *Model) Chosen() (Line, bool) {
	if !l.Texts.On {
		return l.title()
	}
	_, s, ok := l.Texts.on()
	if !ok {
		return Line{}, false
	}
	return l.lineOf(s), true
}

// lineOf is the line of a session that a search found.
func (l *Model) lineOf(s store.Session) Line {
	line := LineOf(l.secrets, s)
	line.Leased = slices.Contains(l.leased, s.ID)
	return line
}

// title is the session under the cursor of the list of titles.
func (l *Model) title() (Line, bool) {
	if l.at < 0 || l.at >= len(l.Matches) {
		return Line{}, false
	}
	return l.Lines[l.Matches[l.at].Line], true
}

func (l *Model) move(by int) { l.at = max(0, min(l.at+by, len(l.Matches)-1)) }

// nextShelf shows the next of the lists.
func (l *Model) nextShelf() tea.Cmd {
	l.shelf = (l.shelf + 1) % shelves
	l.Lines, l.Matches, l.at, l.Whole, l.read = nil, nil, 0, false, time.Time{}
	if l.Texts.On {
		return tea.Batch(l.readShelf(), l.searchTexts())
	}
	return l.readShelf()
}

// Position says how many sessions the list has, and how many the filter leaves of them.
func (l *Model) Position() string {
	all := theme.Plural(len(l.Lines), "session")
	switch {
	case l.Texts.On:
		return l.Texts.Position(l.W < tabsFrom)
	case l.read.IsZero():
		return ""
	case !l.Whole:
		return theme.Thousands(len(l.Lines)) + "+ sessions"
	case len(l.Matches) < len(l.Lines):
		return theme.Thousands(len(l.Matches)) + " of " + all
	}
	return all
}
