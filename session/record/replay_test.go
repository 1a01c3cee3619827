package record

import (
	"reflect"
	"testing"

	"winnow/history"
	"winnow/session/store"
)

func TestSizeOfWhatIsNotSentIsLeftToTheMessage(t *testing.T) {
	r := conversation(t, "Is it so?")
	e := history.Entry{ID: 1, Disposition: history.Dropped, TokensBefore: 12, CharsBefore: 40, Cause: history.Cause{Text: "no room"}}
	q, err := r.Store.AddRequest(t.Context(), store.Request{Session: r.Session, Turn: 2, Plan: &store.Verdicts{Entries: history.EntriesOf(e)}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Store.Verdicts(t.Context(), q.ID)
	if err != nil || got.Entries.At(0).TokensBefore != 0 || got.Entries.At(0).CharsBefore != 0 {
		t.Errorf("the record holds the size: %+v, %v", got.Entries, err)
	}
	if measure(&got, history.Plan{Entries: history.EntriesOf(e)}); !reflect.DeepEqual(got.Entries, history.EntriesOf(e)) {
		t.Errorf("measured it is %+v, want %+v", got.Entries.At(0), e)
	}
}
