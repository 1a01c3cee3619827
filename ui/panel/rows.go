package panel

import (
	"slices"

	"winnow/history"
)

// rows are the messages of a request in their order, and the texts that winnow added at their places. A place counts
// both. On the screen a run of neighbours that are not sent for the same verdict is one line, unless it is opened. So are
// all messages of a request in which everything is whole.
type rows struct {
	Entries []history.Entry
	Added   []history.Added
	At      []int // the place of each of the added, rising
	runs    []run
}

// run is a run of messages that are one line.
type run struct {
	from, to int // places, to is behind the last one
	hidden   int // how many places the runs up to this one take from the screen
	diff     int // counted tokens that are not sent
	sent     int // counted tokens that are
}

func rowsOf(p history.Plan) rows {
	r := rows{Entries: p.Entries, Added: slices.Clone(p.Added)}
	for i := range r.Added {
		if a := &r.Added[i]; a.Kind == history.AddedMarker && a.At == 0 {
			a.At = lastGap(p.Entries)
		}
	}
	slices.SortStableFunc(r.Added, func(a, b history.Added) int { return a.At - b.At })
	for i, a := range r.Added {
		r.At = append(r.At, i+a.At)
	}
	return r
}

// lastGap is the index of the first of the last messages that are not sent one after the other. A note of a gap that no
// message follows but the current one is in the system prompt; the list shows it at the gap.
func lastGap(entries []history.Entry) int {
	gap := len(entries)
	for gap > 0 && entries[gap-1].Sent() {
		gap--
	}
	for gap > 0 && !entries[gap-1].Sent() {
		gap--
	}
	return gap
}

// fold finds the runs, and the most that is saved at one message. What the user pinned or excluded, and what a trial
// changes, stays a line of its own.
func (r *Request) fold() {
	r.Rows.runs, r.saved = nil, 0
	whole := r.Whole() && len(r.Rows.Added) == 0 && r.FirstRead == 0 && r.Counts.Recalled+r.Counts.Repaired == 0
	added, from, hidden, diff, sent := 0, 0, 0, 0, 0
	end := func(to int) { // of a run of entries in front of entry to
		if to-from > 1 {
			hidden += to - from - 1
			r.Rows.runs = append(r.Rows.runs, run{from + added, to + added, hidden, diff, sent})
		}
	}
	entries := r.Plan.Entries
	var before history.Disposition
	for i := range entries {
		e := &entries[i]
		r.system = r.system || e.Role == history.System
		r.saved = max(r.saved, e.TokensBefore-e.TokensAfter)
		parted := added < len(r.Rows.Added) && r.Rows.Added[added].At <= i
		_, moved := r.moves[e.ID]
		alone := e.Disposition == history.Excluded || e.Sent() && (!whole || e.Pinned)
		if i == from || parted || moved || alone || e.Disposition != before || r.changed(i-1) ||
			entries[i-1].Pinned != e.Pinned {
			end(i)
			from, diff, sent = i, 0, 0
			for added < len(r.Rows.Added) && r.Rows.Added[added].At <= i {
				added++
			}
		}
		diff, sent = diff+e.TokensAfter-e.TokensBefore, sent+e.TokensAfter
		before = e.Disposition
	}
	end(len(entries))
}

// changed says that a trial changes the message with an index.
func (r *Request) changed(i int) bool {
	_, is := r.moves[r.Plan.Entries[i].ID]
	return is
}

// Len is how many places there are.
func (r rows) Len() int { return len(r.Entries) + len(r.Added) }

// row is what has one place: a message's entry or an added text.
type row struct {
	Entry *history.Entry
	Added *history.Added
}

// Row is what has a place; nothing where there is no such place.
func (r rows) Row(place int) row {
	k, is := slices.BinarySearch(r.At, place)
	switch {
	case place < 0 || place >= r.Len():
		return row{}
	case is:
		return row{Added: &r.Added[k]}
	}
	return row{Entry: &r.Entries[place-k]}
}

// Place is that of the entry with this index.
func (r rows) Place(entry int) int {
	k, _ := slices.BinarySearchFunc(r.Added, entry, func(a history.Added, entry int) int {
		if a.At <= entry {
			return -1
		}
		return 1
	})
	return entry + k
}

// entriesBefore is how many messages are in front of a place.
func (r rows) entriesBefore(place int) int {
	k, _ := slices.BinarySearch(r.At, place)
	return min(max(0, place-k), len(r.Entries))
}

// runAt is the run that a place is in, -1 for none.
func (r rows) runAt(place int) int {
	k, _ := slices.BinarySearchFunc(r.runs, place, func(u run, place int) int {
		if u.to <= place {
			return -1
		}
		return 1
	})
	if k < len(r.runs) && r.runs[k].from <= place {
		return k
	}
	return -1
}

// lines is how many lines the rows take on the screen with the run that is opened, -1 for none.
func (r rows) lines(opened int) int { return r.Len() - r.hiddenBefore(len(r.runs), opened) }

// hiddenBefore is how many places the first n runs take from the screen.
func (r rows) hiddenBefore(n, opened int) int {
	if n == 0 {
		return 0
	}
	hidden := r.runs[n-1].hidden
	if opened >= 0 && opened < n {
		hidden -= r.runs[opened].to - r.runs[opened].from - 1
	}
	return hidden
}

// lineOf is the line that shows a place.
func (r rows) lineOf(place, opened int) int {
	k, _ := slices.BinarySearchFunc(r.runs, place, func(u run, place int) int {
		if u.to <= place {
			return -1
		}
		return 1
	}) // the runs that end in front of the place
	if k < len(r.runs) && k != opened && r.runs[k].from < place {
		place = r.runs[k].from
	}
	return place - r.hiddenBefore(k, opened)
}

// placeOf is the first place that a line shows, and the run that the line stands for, -1 for none.
func (r rows) placeOf(line, opened int) (place, folded int) {
	k, _ := slices.BinarySearchFunc(r.runs, line, func(u run, line int) int {
		if r.lineOf(u.to-1, opened) < line {
			return -1
		}
		return 1
	})
	place = line + r.hiddenBefore(k, opened)
	if k < len(r.runs) && k != opened && place == r.runs[k].from {
		return place, k
	}
	return place, -1
}
