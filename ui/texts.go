package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/theme"
)

// textSearch is a search in the messages of all sessions.
type textSearch struct {
	on       bool
	text     string // what the hits are for
	hits     []store.Hit
	at       int
	read     time.Time // when they were found, for their age
	searches int       // searches so far: an answer to an older one is dropped
	waiting  bool      // the answer for what is typed is not here yet
	stop     context.CancelFunc
}

// searchDueMsg says that the text has rested long enough to be looked for.
type searchDueMsg struct{ search int }

// hitsMsg is what a search found.
type hitsMsg struct {
	search int
	text   string
	hits   []store.Hit
	at     time.Time
	err    error
}

const (
	// typingPause is how long the text rests before it is looked for.
	typingPause = 80 * time.Millisecond
	// indexPause is how long it takes until a search is repeated while the index is behind.
	indexPause = 2 * time.Second
	// mostHits is how many hits are listed. Who needs more types another word.
	mostHits = 200
)

// toggleTexts goes from the titles to the text of all messages, or back.
func (m *Model) toggleTexts() tea.Cmd {
	l := &m.sessions
	l.texts.on = !l.texts.on
	if !l.texts.on {
		l.texts.end()
		return nil
	}
	return m.searchTexts()
}

// end leaves a search that is on its way.
func (x *textSearch) end() {
	if x.stop != nil {
		x.stop()
	}
	x.searches++
	x.stop, x.waiting = nil, false
}

// textTyped looks for what was typed when no other key follows for a moment.
func (m *Model) textTyped() tea.Cmd {
	x := &m.sessions.texts
	x.end()
	x.waiting = true
	n := x.searches
	return tea.Tick(typingPause, func(time.Time) tea.Msg { return searchDueMsg{n} })
}

func (m *Model) searchDue(msg searchDueMsg) tea.Cmd {
	if x := &m.sessions.texts; !x.on || msg.search != x.searches || !m.isOpen(sessionsOverlay{}) {
		return nil
	}
	return m.searchTexts()
}

// searchTexts looks for the text at once. On the shelf of the trash it looks there as well.
func (m *Model) searchTexts() tea.Cmd {
	l := &m.sessions
	x := &l.texts
	x.end()
	x.waiting = true
	ctx, stop := m.within()
	x.stop = stop
	db, n, q := m.options.Deps.Store, x.searches, store.Search{Text: l.filter.Text, Trash: l.shelf == trashShelf, Limit: mostHits}
	return func() tea.Msg {
		defer stop()
		hits, err := db.Search(ctx, q)
		return hitsMsg{n, q.Text, hits, time.Now(), err}
	}
}

// textsFound shows the hits. The cursor stays on its hit where the search was repeated.
func (m *Model) textsFound(msg hitsMsg) tea.Cmd {
	x := &m.sessions.texts
	if !x.on || msg.search != x.searches {
		return nil
	}
	x.waiting = false
	if msg.err != nil {
		return m.complain(theme.Sentence(msg.err))
	}
	old, _ := x.chosen()
	again := x.text == msg.text
	x.text, x.hits, x.read, x.at = msg.text, msg.hits, msg.at, 0
	for i, h := range x.hits {
		if again && h.Message == old.Message {
			x.at = i
		}
	}
	if m.indexing.left == 0 {
		return nil
	}
	n := x.searches
	return tea.Tick(indexPause, func(time.Time) tea.Msg { return searchDueMsg{n} })
}

// chosen is the hit under the cursor.
func (x *textSearch) chosen() (store.Hit, bool) {
	if x.at >= len(x.hits) {
		return store.Hit{}, false
	}
	return x.hits[x.at], true
}

func (x *textSearch) move(by int) { x.at = max(0, min(x.at+by, len(x.hits)-1)) }

// place says how many hits there are.
func (x *textSearch) place() string {
	switch n := len(x.hits); {
	case x.read.IsZero():
		return ""
	case n == mostHits:
		return "the best " + theme.Thousands(n)
	default:
		return theme.Thousands(n)
	}
}
