package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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

// title of the list.
func (l *sessionList) title() string {
	switch {
	case l.texts.on && l.shelf == trashShelf:
		return "all messages, the trash as well"
	case l.texts.on:
		return "all messages"
	}
	return [...]string{"sessions", "sessions: archive", "sessions: trash"}[l.shelf]
}

// filter of the store that lists the shelf.
func (s shelf) filter() store.Filter {
	return store.Filter{Archived: s == archiveShelf, Trash: s == trashShelf}
}

// firstPage is how many sessions are read before the rest of them: more than a screen shows.
const firstPage = 200

// sessionList is the list of the stored sessions, with what can be done to them.
type sessionList struct {
	shelf  shelf
	filter theme.Field
	lines  []sessionLine // the shelf as it was read
	shown  []match       // what the filter leaves
	at     int
	read   time.Time // when it was read
	whole  bool      // it is read to its end
	asked  int       // readings so far: an answer to an older one is dropped

	texts textSearch // in the messages of all sessions

	secrets theme.Secrets

	edit  *lineEdit      // a new name or new tags are typed, nil otherwise
	purge *store.Session // it is asked whether this one goes for good
	held  *heldCopies    // it is asked what becomes of files that still hold a purged session
	acts  []sessionAct   // the one that is being done, and those that wait for it
	undos []sessionAct   // they take back what was done, the last one first
}

// sessionLine is a session with what the list shows of it.
type sessionLine struct {
	store.Session
	label     string // what the filter searches: fork mark, title, tags
	folded    string // the label in lower case
	tags      int    // where in the label the tags begin
	elsewhere bool   // another window has it open
}

// openSessions lists the stored sessions that a filter leaves.
func (m *Model) openSessions(filter string) tea.Cmd {
	if m.options.Deps.Store == nil {
		return m.complain("This chat is not saved, so there are no sessions.")
	}
	l := &m.sessions
	m.sessions = sessionList{secrets: m.secrets, filter: theme.NewField(filter), asked: l.asked, acts: l.acts, undos: l.undos}
	m.cover(sessionsOverlay{})
	return m.readShelf()
}

// readShelf reads the list: its first page, and then all of it.
func (m *Model) readShelf() tea.Cmd {
	l := &m.sessions
	l.asked++
	f := l.shelf.filter()
	if len(l.lines) == 0 {
		f.Limit = firstPage
	}
	return m.readSessions(f)
}

func (m *Model) readSessions(f store.Filter) tea.Cmd {
	db, asked, hidden := m.options.Deps.Store, m.sessions.asked, m.secrets
	return m.behind(func(ctx context.Context) tea.Msg {
		list, err := db.Sessions(ctx, f)
		elsewhere, err2 := db.Elsewhere(ctx)
		return sessionsMsg{
			asked: asked, lines: sessionLines(hidden, list, elsewhere...), at: time.Now(),
			whole: f.Limit == 0 || len(list) < f.Limit, err: errors.Join(err, err2),
		}
	})
}

func sessionLines(hidden theme.Secrets, sessions []store.Session, elsewhere ...string) []sessionLine {
	lines := make([]sessionLine, len(sessions))
	for i, s := range sessions {
		lines[i] = lineOfSession(hidden, s)
		lines[i].elsewhere = slices.Contains(elsewhere, s.ID)
	}
	return lines
}

// sessionsListed shows what was read, and reads the rest.
func (m *Model) sessionsListed(msg sessionsMsg) tea.Cmd {
	l := &m.sessions
	if !m.isOpen(sessionsOverlay{}) || msg.asked != l.asked {
		return nil
	}
	if msg.err != nil {
		m.dismiss(sessionsOverlay{})
		return m.complain(theme.Sentence(msg.err))
	}
	l.fill(msg.lines)
	l.read, l.whole = msg.at, msg.whole
	if !msg.whole {
		return m.readSessions(l.shelf.filter())
	}
	return nil
}

// fill replaces the lines. The filter stays, and so does the cursor.
func (l *sessionList) fill(lines []sessionLine) {
	old, _ := l.chosen()
	l.lines = lines
	l.refilter()
	l.stay(old.ID)
}

// remove takes a session out of the list before the list is read again.
func (l *sessionList) remove(id string) {
	old, _ := l.chosen()
	l.lines = slices.DeleteFunc(l.lines, func(s sessionLine) bool { return s.ID == id })
	l.refilter()
	l.stay(old.ID)
}

// stay keeps the cursor on a session; where that is gone, on its line: what a key does next must not
// move to another place of the list.
func (l *sessionList) stay(id string) {
	l.move(0)
	if i := slices.IndexFunc(l.shown, func(x match) bool { return l.lines[x.line].ID == id }); i >= 0 {
		l.at = i
	}
}

// refilter shows what the filter leaves.
func (l *sessionList) refilter() { l.shown = matches(l.lines, nil, l.filter.Text) }

// filtered shows what the filter leaves, and says whether it is another one than before. What a longer
// one leaves is among what the shorter one left.
func (l *sessionList) filtered(before string) bool {
	now := l.filter.Text
	if now == before {
		return false
	}
	l.shown, l.at = matches(l.lines, narrower(l.shown, before, now), now), 0
	return true
}

// chosen is the session under the cursor.
func (l *sessionList) chosen() (sessionLine, bool) {
	if l.at < 0 || l.at >= len(l.shown) {
		return sessionLine{}, false
	}
	return l.lines[l.shown[l.at].line], true
}

func (l *sessionList) move(by int) { l.at = max(0, min(l.at+by, len(l.shown)-1)) }

// nextShelf shows the next of the lists.
func (m *Model) nextShelf() tea.Cmd {
	l := &m.sessions
	l.shelf = (l.shelf + 1) % shelves
	l.lines, l.shown, l.at, l.whole, l.read = nil, nil, 0, false, time.Time{}
	if l.texts.on {
		return tea.Batch(m.readShelf(), m.searchTexts())
	}
	return m.readShelf()
}

// place says how many sessions the list has, and how many the filter leaves of them.
func (l *sessionList) place() string {
	all := theme.Thousands(len(l.lines))
	switch {
	case l.texts.on:
		return l.texts.place()
	case l.read.IsZero():
		return ""
	case !l.whole:
		return all + "+"
	case len(l.shown) < len(l.lines):
		return fmt.Sprintf("%s of %s", theme.Thousands(len(l.shown)), all)
	}
	return all
}
