package record

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
)

func TestSizeOfWhatIsNotSentIsLeftToTheMessage(t *testing.T) {
	r := conversation(t, "Is it so?")
	e := history.Entry{
		ID: 1, Disposition: history.Dropped, TokensBefore: 12, CharsBefore: 40, Cause: history.Cause{Text: "no room"},
	}
	q, err := r.Store.AddRequest(t.Context(), store.Request{
		Session: r.Session, Turn: 2, Plan: &history.Plan{Entries: []history.Entry{e}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Store.Verdicts(t.Context(), q.ID)
	if err != nil || got.Entries[0].TokensBefore != 0 || got.Entries[0].CharsBefore != 0 {
		t.Errorf("the record holds the size: %+v, %v", got.Entries, err)
	}
	if fillSizes(&got, history.Plan{Entries: []history.Entry{e}}); !reflect.DeepEqual(got.Entries, []history.Entry{e}) {
		t.Errorf("measured it is %+v, want %+v", got.Entries[0], e)
	}
}

// A request whose messages cannot be read is not rebuilt. That is an error, and says nothing of whether it would be
// sent today.
func TestRequestWhoseMessagesCannotBeReadIsNotRebuilt(t *testing.T) {
	r := conversation(t, "Is it so?", "Is it so still?")
	stored, gone := r.Branch, errors.New("the disk is gone")
	for reads := 0; ; reads++ {
		r.Branch = func(ctx context.Context, leaf int64) (branch.Branch, error) {
			all, err := stored(ctx, leaf)
			if err != nil {
				return all, err
			}
			messages, err := all.All(ctx)
			left := reads
			return branch.New(r.Tokenizer, func(ctx context.Context, ids []int64) ([]store.Message,
				error,
			) {
				if left--; left < 0 {
					return nil, gone
				}
				return r.Store.MessagesByID(ctx, ids)
			}).Append(messages...), err
		}
		made, err := r.Replay(t.Context(), 2, 0)
		if err == nil && made.Proven && reads > 0 {
			return
		}
		if !errors.Is(err, gone) {
			t.Fatalf("after %d reads the request is proven: %t, and the error is %v", reads, made.Proven, err)
		}
	}
}
