package sessions

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/theme"
)

const (
	// pause is how long the filter rests before it is looked for, and the cursor before what is under it is read.
	pause = 80 * time.Millisecond
	// mostHits is how many hits are looked for. Who needs more types another word.
	mostHits = 200
)

// Found is what a search found in messages.
type Found struct {
	Text   string // that was looked for
	Hits   []store.Hit
	Places map[int64]store.Place // of the messages of the hits
	Err    error
}

// query is what the list looks for in messages, "" for nothing.
func (l *Model) query() string { return strings.TrimSpace(l.List.Filter.Text()) }

// waiting says that what the filter finds in messages is not here yet.
func (l *Model) waiting() bool { return l.query() != l.found.Text }

// filtered looks for the filter in all messages when no other key follows for a moment.
func (l *Model) filtered() tea.Cmd {
	then := l.searching.Begin()
	if l.query() == "" {
		l.found = Found{}
		l.fill()
		return nil
	}
	return tea.Tick(pause, func(time.Time) tea.Msg { return then(l.find) })
}

// find looks for the filter at once. On the shelf of the trash it looks there as well.
func (l *Model) find() tea.Cmd {
	if l.query() == "" {
		return nil
	}
	db, then := l.With.Store, l.searching.Begin()
	query := store.Search{Text: l.query(), Trash: l.shelf == trashShelf, Limit: mostHits}
	return l.Run(func(ctx context.Context) tea.Msg {
		found := Found{Text: query.Text}
		if found.Hits, found.Err = db.Search(ctx, query); found.Err == nil {
			ids := make([]int64, len(found.Hits))
			for i, h := range found.Hits {
				ids[i] = h.Message
			}
			found.Places, found.Err = db.Places(ctx, ids...)
		}
		return then(func() tea.Cmd { return l.Found(found) })
	})
}

// Found lists the hits of a search, those of the chat first that was used last.
func (l *Model) Found(found Found) tea.Cmd {
	slices.SortStableFunc(found.Hits, func(a, b store.Hit) int {
		return cmp.Or(b.Session.Updated.Compare(a.Session.Updated), strings.Compare(a.Session.ID, b.Session.ID))
	})
	l.found = found
	l.fill()
	if found.Err != nil {
		return l.Fail(theme.Sentence(found.Err))
	}
	return l.look()
}
