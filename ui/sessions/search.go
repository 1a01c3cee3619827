package sessions

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/theme"
)

const (
	// pause is how long the filter rests before it is looked for, and the cursor before what is under it is read.
	pause = 80 * time.Millisecond
	// mostHits is how many hits are looked for. Who needs more types another word.
	mostHits = 200
)

// after does something after a while, unless the count has changed until then.
func after(d time.Duration, count *int, do func() tea.Cmd) tea.Cmd {
	n := *count
	return tea.Tick(d, func(time.Time) tea.Msg {
		return app.Then(func() tea.Cmd {
			if n != *count {
				return nil
			}
			return do()
		})
	})
}

// endSearch drops what a search that is on its way will find.
func (l *Model) endSearch() {
	l.Searching++
	l.waiting = false
}

// filtered looks for the filter in all messages when no other key follows for a moment.
func (l *Model) filtered() tea.Cmd {
	l.endSearch()
	if strings.TrimSpace(l.List.Filter.Text()) == "" {
		l.found = Found{}
		l.fill()
		return nil
	}
	l.waiting = true
	return after(pause, &l.Searching, l.find)
}

// Found is what a search found in messages.
type Found struct {
	Text   string
	Hits   []store.Hit
	Places map[int64]store.Place // of the messages of the hits
	Err    error
}

// find looks for the filter at once. On the shelf of the trash it looks there as well.
func (l *Model) find() tea.Cmd {
	text := l.List.Filter.Text()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	l.endSearch()
	l.waiting = true
	db, n := l.With.Store, l.Searching
	query := store.Search{Text: text, Trash: l.shelf == trashShelf, Limit: mostHits}
	return l.Run(func(ctx context.Context) tea.Msg {
		found := Found{Text: text}
		found.Hits, found.Err = db.Search(ctx, query)
		if found.Err == nil {
			ids := make([]int64, len(found.Hits))
			for i, h := range found.Hits {
				ids[i] = h.Message
			}
			found.Places, found.Err = db.Places(ctx, ids...)
		}
		return app.Then(func() tea.Cmd { return l.Found(n, found) })
	})
}

// Found lists the hits of a search, those of the chat first that was used last.
func (l *Model) Found(number int, found Found) tea.Cmd {
	if number != l.Searching {
		return nil
	}
	l.waiting = false
	if found.Err != nil {
		return l.Fail(theme.Sentence(found.Err))
	}
	slices.SortStableFunc(found.Hits, func(a, b store.Hit) int {
		return cmp.Or(b.Session.Updated.Compare(a.Session.Updated), strings.Compare(a.Session.ID, b.Session.ID))
	})
	l.found = found
	l.fill()
	return l.look()
}
