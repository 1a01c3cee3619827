package session

import (
	"context"
	"reflect"
	"testing"

	"winnow/session/branch"
	"winnow/session/store"
)

// A preview of an edit is of the conversation as it was when it was asked for: here another branch becomes the active
// one while the messages before the edited one are read.
func TestAPreviewOfAnEditIsOfOneConversation(t *testing.T) {
	b, s := discussed(t, 4, uncounted("Notes: four questions."))
	if _, err := drain(s.Compact(t.Context())); err != nil {
		t.Fatal(err)
	}
	last := s.Branch().ID(6)
	want, err := s.Preview(Draft{Instead: last, Text: "And now?"})
	if err != nil || !want.Summarized() {
		t.Fatalf("the plan holds a summary: %v, %v", want.Summarized(), err)
	}
	opened := b.open(s.Info().ID)
	switched := false
	read := branch.New("", func(ctx context.Context, ids []int64) ([]store.Message, error) {
		if len(ids) == 6 && !switched {
			switched = true
			opened.mu.Lock()
			opened.state.Branch = opened.state.Branch.First(1)
			opened.mu.Unlock()
		}
		return b.deps.Store.MessagesWith(ctx, ids)
	})
	var ids []int64
	for id := range s.Branch().IDs() {
		ids = append(ids, id)
	}
	if opened.state.Branch, err = read.Load(t.Context(), ids, nil); err != nil {
		t.Fatal(err)
	}
	got, err := opened.Preview(Draft{Instead: last, Text: "And now?"})
	if err != nil || !switched || !reflect.DeepEqual(got.Messages, want.Messages) {
		t.Errorf("switched: %v, %v; the plan is %+v, want %+v", switched, err, got.Messages, want.Messages)
	}
}
