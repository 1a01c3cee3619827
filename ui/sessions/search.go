package sessions

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/theme"
)

// Search is a search in the messages of all sessions.
type Search struct {
	On       bool
	Text     string // what the hits are for
	Hits     []store.Hit
	At       int
	Read     time.Time // when they were found, for their age
	Searches int       // searches so far: an answer to an older one is dropped
	Waiting  bool      // the answer for what is typed is not here yet
	stop     context.CancelFunc
}

// SearchDueMsg says that the text has rested long enough to be looked for.
type SearchDueMsg struct{ Search int }

// FoundMsg is what a search found.
type FoundMsg struct {
	Search int
	Text   string
	Hits   []store.Hit
	At     time.Time
	Err    error
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
func (l *Model) toggleTexts() tea.Cmd {
	l.Texts.On = !l.Texts.On
	if !l.Texts.On {
		l.Texts.end()
		return nil
	}
	return l.searchTexts()
}

// end leaves a search that is on its way.
func (x *Search) end() {
	if x.stop != nil {
		x.stop()
	}
	x.Searches++
	x.stop, x.Waiting = nil, false
}

// textTyped looks for what was typed when no other key follows for a moment.
func (l *Model) textTyped() tea.Cmd {
	x := &l.Texts
	x.end()
	x.Waiting = true
	n := x.Searches
	return tea.Tick(typingPause, func(time.Time) tea.Msg { return SearchDueMsg{n} })
}

func (l *Model) searchDue(msg SearchDueMsg) tea.Cmd {
	if x := &l.Texts; !x.On || msg.Search != x.Searches || !l.Shown {
		return nil
	}
	return l.searchTexts()
}

// searchTexts looks for the text at once. On the shelf of the trash it looks there as well.
func (l *Model) searchTexts() tea.Cmd {
	x := &l.Texts
	x.end()
	x.Waiting = true
	ctx, stop := l.NewContext()
	x.stop = stop
	db, n, q := l.Store, x.Searches, store.Search{Text: l.Filter.Text, Trash: l.shelf == trashShelf, Limit: mostHits}
	return func() tea.Msg {
		defer stop()
		hits, err := db.Search(ctx, q)
		return FoundMsg{n, q.Text, hits, time.Now(), err}
	}
}

// textsFound shows the hits. The cursor stays on its hit where the search was repeated.
func (l *Model) textsFound(msg FoundMsg) tea.Cmd {
	x := &l.Texts
	if !x.On || msg.Search != x.Searches {
		return nil
	}
	x.Waiting = false
	if msg.Err != nil {
		return l.SayError(theme.Sentence(msg.Err))
	}
	old, _ := x.Chosen()
	again := x.Text == msg.Text
	x.Text, x.Hits, x.Read, x.At = msg.Text, msg.Hits, msg.At, 0
	for i, h := range x.Hits {
		if again && h.Message == old.Message {
			x.At = i
		}
	}
	if l.Unindexed == 0 {
		return nil
	}
	n := x.Searches
	return tea.Tick(indexPause, func(time.Time) tea.Msg { return SearchDueMsg{n} })
}

// Chosen is the hit under the cursor.
func (x *Search) Chosen() (store.Hit, bool) {
	if x.At >= len(x.Hits) {
		return store.Hit{}, false
	}
	return x.Hits[x.At], true
}

func (x *Search) move(by int) { x.At = max(0, min(x.At+by, len(x.Hits)-1)) }

// Position says how many hits there are.
func (x *Search) Position() string {
	switch n := len(x.Hits); {
	case x.Read.IsZero():
		return ""
	case n == mostHits:
		return "the best " + theme.Thousands(n)
	default:
		return theme.Thousands(n)
	}
}
