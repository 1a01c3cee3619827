package sessions

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/theme"
)

// search is what the filter finds in the messages of all sessions.
type search struct {
	text    string // what the hits are for
	hits    []store.Hit
	places  map[int64]store.Place // where the messages of the hits stand
	whole   map[string]bool       // the sessions of which all hits are listed, by id
	waiting bool                  // the answer for what is typed is not here yet
	stop    context.CancelFunc
}

const (
	// pause is how long the filter rests before it is looked for, and the cursor before what is under it is read.
	pause = 80 * time.Millisecond
	// indexPause is how long it takes until a search is repeated while the index is behind.
	indexPause = 2 * time.Second
	// mostHits is how many hits are listed. Who needs more types another word.
	mostHits = 200
	// hitsEach is how many hits of a session are listed at first.
	hitsEach = 3
)

// endSearch leaves a search that is on its way.
func (l *Model) endSearch() {
	if l.search.stop != nil {
		l.search.stop()
	}
	l.Searching++
	l.search.stop, l.search.waiting = nil, false
}

// filtered looks for the filter in all messages when no other key follows for a moment.
func (l *Model) filtered() tea.Cmd {
	x := &l.search
	l.endSearch()
	if strings.TrimSpace(l.List.Filter.Text()) == "" {
		x.text, x.hits = "", nil
		l.fill()
		return nil
	}
	x.waiting = true
	return l.findIn(pause)
}

// findIn searches after a while, unless something else is looked for until then.
func (l *Model) findIn(d time.Duration) tea.Cmd {
	n := l.Searching
	return tea.Tick(d, func(time.Time) tea.Msg {
		return app.Then(func() tea.Cmd {
			if n != l.Searching {
				return nil
			}
			return l.find()
		})
	})
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
	x := &l.search
	l.endSearch()
	ctx, stop := l.NewContext()
	x.stop, x.waiting = stop, true
	db, n := l.With.Store, l.Searching
	query := store.Search{Text: text, Trash: l.shelf == trashShelf, Limit: mostHits}
	return func() tea.Msg {
		defer stop()
		found := Found{Text: text}
		found.Hits, found.Err = db.Search(ctx, query)
		if found.Err == nil && len(found.Hits) > 0 {
			ids := make([]int64, len(found.Hits))
			for i, h := range found.Hits {
				ids[i] = h.Message
			}
			found.Places, found.Err = db.Places(ctx, ids...)
		}
		return app.Then(func() tea.Cmd { return l.Found(n, found) })
	}
}

// Found lists the hits of a search.
func (l *Model) Found(number int, found Found) tea.Cmd {
	x := &l.search
	if number != l.Searching {
		return nil
	}
	x.waiting = false
	if found.Err != nil {
		return l.Fail(theme.Sentence(found.Err))
	}
	if x.text != found.Text || x.whole == nil {
		x.whole = map[string]bool{}
	}
	x.text, x.hits, x.places = found.Text, found.Hits, found.Places
	slices.SortStableFunc(x.hits, func(a, b store.Hit) int {
		switch {
		case a.Session.ID == b.Session.ID:
			return 0
		case a.Session.Pinned != b.Session.Pinned && a.Session.Pinned:
			return -1
		case a.Session.Pinned != b.Session.Pinned:
			return 1
		case !a.Session.Updated.Equal(b.Session.Updated):
			return b.Session.Updated.Compare(a.Session.Updated)
		}
		return strings.Compare(a.Session.ID, b.Session.ID)
	})
	l.fill()
	if l.Screen.Unindexed() == 0 {
		return l.look()
	}
	return tea.Batch(l.look(), l.findIn(indexPause))
}

// listed are the lines of the hits, which are sorted by session: of each the best few, until the rest are asked for.
func (x *search) listed(hidden theme.Secrets) (lines []entry) {
	for i := 0; i < len(x.hits); {
		s, end := x.hits[i].Session, i+1
		for end < len(x.hits) && x.hits[end].Session.ID == s.ID {
			end++
		}
		shown := end
		if end-i > hitsEach+1 && !x.whole[s.ID] { // a line for a single one would save nothing
			shown = i + hitsEach
		}
		line := LineOf(hidden, s)
		for _, h := range x.hits[i:shown] {
			lines = append(lines, entry{Line: line, hit: &h})
		}
		if shown < end {
			lines = append(lines, entry{Line: line, rest: end - shown})
		}
		i = end
	}
	return lines
}

// longestMark is the longest of what was found in a message.
func longestMark(h store.Hit) string {
	longest := ""
	for _, m := range h.Marks {
		if text := h.Snippet[m[0]:m[1]]; len(text) > len(longest) {
			longest = text
		}
	}
	return longest
}
