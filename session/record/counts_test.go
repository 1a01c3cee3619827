package record

import (
	"testing"
	"time"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
)

func TestCountsAreOfEveryMessage(t *testing.T) {
	var entries []history.Entry
	var messages []store.Message
	for i, d := range []history.Disposition{
		history.Dropped, history.Kept, history.Kept, history.Cut, history.Recalled, history.Excluded,
		history.Isolated, history.Blank,
	} {
		entries = append(entries, history.Entry{
			ID: int64(i + 1), Disposition: d, Pinned: true, Repairs: []history.Repair{{Kind: "C1"}},
		})
		messages = append(messages, store.Message{
			Message: history.Message{ID: int64(i + 1), CreatedMS: int64(i) * 1000},
		})
	}
	got := CountsOf(entries, make([]history.Added, 3), branch.Of(messages...))
	want := Counts{
		Tally: store.Tally{
			Stored: 8, Kept: 2, Cut: 1, Recalled: 1, Dropped: 1, Excluded: 1, Quarantined: 1, Blank: 1, Pinned: 4,
			Repaired: 4, Short: 3,
		},
		Added:  3,
		Oldest: time.UnixMilli(1000).UTC(), Newest: time.UnixMilli(4000).UTC(),
	}
	if got != want || got.Sent() != 4 {
		t.Errorf("the counts are %+v, %d sent; want %+v, 4 sent", got, got.Sent(), want)
	}
}
