package sessions

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/theme"
)

// Search is a search in the messages of all sessions. Its hits are listed by session, in the order of the list of
// titles, and of each session the best few until the rest are asked for.
type Search struct {
	On       bool
	Text     string // what the hits are for
	Hits     []store.Hit
	At       int                   // the stop that the cursor is on
	Among    int                   // how many sessions were looked in
	Read     time.Time             // when they were found
	Searches int                   // searches so far: an answer to an older one is dropped
	Waiting  bool                  // the answer for what is typed is not here yet
	places   map[int64]store.Place // where the messages of the hits stand
	whole    map[string]bool       // the sessions of which all hits are listed, by id
	stop     context.CancelFunc
}

// SearchDueMsg says that the text has rested long enough to be looked for.
type SearchDueMsg struct{ Search int }

// FoundMsg is what a search found.
type FoundMsg struct {
	Search int
	Text   string
	Hits   []store.Hit
	Places map[int64]store.Place // of the messages of the hits
	Among  int                   // how many sessions were looked in
	At     time.Time
	Err    error
}

const (
	// typingPause is how long the text rests before it is looked for, and the cursor before what is under it is read.
	typingPause = 80 * time.Millisecond
	// indexPause is how long it takes until a search is repeated while the index is behind.
	indexPause = 2 * time.Second
	// mostHits is how many hits are listed. Who needs more types another word.
	mostHits = 200
	// hitsEach is how many hits of a session are listed at first.
	hitsEach = 3
)

// group is what was found in one session.
type group struct {
	session store.Session
	hits    []int // indexes of the hits, the best first
}

// stop is what the cursor can stand on: a hit, or the line that stands for the hits of a session that are not listed.
type stop struct {
	group int
	hit   int // index of the hit, -1 for the rest of the group
	rest  int // how many hits the line stands for
}

// groups are the hits by session: pinned ones first, then by last use.
func (x *Search) groups() []group {
	var groups []group
	at := map[string]int{}
	for i, h := range x.Hits {
		n, ok := at[h.Session.ID]
		if !ok {
			n = len(groups)
			at[h.Session.ID] = n
			groups = append(groups, group{session: h.Session})
		}
		groups[n].hits = append(groups[n].hits, i)
	}
	slices.SortStableFunc(groups, func(a, b group) int {
		if a.session.Pinned != b.session.Pinned {
			if a.session.Pinned {
				return -1
			}
			return 1
		}
		return b.session.Updated.Compare(a.session.Updated)
	})
	return groups
}

// stops are what the cursor can stand on, from the top.
func (x *Search) stops(groups []group) []stop {
	var stops []stop
	for n, g := range groups {
		listed := g.hits
		if len(listed) > hitsEach+1 && !x.whole[g.session.ID] { // a line for a single one would save nothing
			listed = listed[:hitsEach]
		}
		for _, hit := range listed {
			stops = append(stops, stop{group: n, hit: hit})
		}
		if rest := len(g.hits) - len(listed); rest > 0 {
			stops = append(stops, stop{group: n, hit: -1, rest: rest})
		}
	}
	return stops
}

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
	now := l.Now
	db, n, q := l.Store, x.Searches, store.Search{Text: l.Filter.Text(), Trash: l.shelf == trashShelf, Limit: mostHits}
	return func() tea.Msg {
		defer stop()
		msg := FoundMsg{Search: n, Text: q.Text}
		msg.Hits, msg.Err = db.Search(ctx, q)
		if msg.Err == nil && len(msg.Hits) > 0 {
			ids := make([]int64, len(msg.Hits))
			for i, h := range msg.Hits {
				ids[i] = h.Message
			}
			var err error
			msg.Places, msg.Err = db.Places(ctx, ids...)
			msg.Among, err = db.CountSearched(ctx, q.Trash)
			msg.Err = errors.Join(msg.Err, err)
		}
		msg.At = now()
		return msg
	}
}

// textsFound shows the hits. Where the search was repeated the cursor stays on its hit, and where that is gone, in its
// place: what a key does next must not move to another place of the list.
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
	if x.Text != msg.Text {
		x.At, x.whole = 0, nil
	}
	x.Text, x.Hits, x.places, x.Among, x.Read = msg.Text, msg.Hits, msg.Places, msg.Among, msg.At
	x.stay(old.Message)
	if l.Unindexed == 0 {
		return nil
	}
	n := x.Searches
	return tea.Tick(indexPause, func(time.Time) tea.Msg { return SearchDueMsg{n} })
}

// stay puts the cursor on the hit of a message, where it is listed.
func (x *Search) stay(message int64) {
	x.move(0)
	for i, s := range x.stops(x.groups()) {
		if s.hit >= 0 && x.Hits[s.hit].Message == message {
			x.At = i
		}
	}
}

// drop takes the hits of a session away before the search is repeated.
func (x *Search) drop(session string) {
	old, _ := x.Chosen()
	x.Hits = slices.DeleteFunc(slices.Clone(x.Hits), func(h store.Hit) bool { return h.Session.ID == session })
	x.stay(old.Message)
}

// on is what the cursor is on, with its session.
func (x *Search) on() (stop, store.Session, bool) {
	groups := x.groups()
	stops := x.stops(groups)
	if x.At < 0 || x.At >= len(stops) {
		return stop{}, store.Session{}, false
	}
	s := stops[x.At]
	return s, groups[s.group].session, true
}

// Chosen is the hit under the cursor.
func (x *Search) Chosen() (store.Hit, bool) {
	s, _, ok := x.on()
	if !ok || s.hit < 0 {
		return store.Hit{}, false
	}
	return x.Hits[s.hit], true
}

func (x *Search) move(by int) { x.At = max(0, min(x.At+by, len(x.stops(x.groups()))-1)) }

// Position says how many hits there are, on a narrow screen no more than that.
func (x *Search) Position(narrow bool) string {
	if x.Read.IsZero() || len(x.Hits) == 0 {
		return ""
	}
	hits := theme.PluralOf(len(x.Hits), "match", "matches")
	if len(x.Hits) == mostHits {
		hits = "the best " + hits
	}
	if narrow {
		return hits
	}
	return hits + " in " + theme.Thousands(len(x.groups())) + " of " + theme.Plural(x.Among, "session")
}
