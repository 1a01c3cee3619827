package store

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"winnow/history"
)

func TestAQueuedMessageComesBackAsItWas(t *testing.T) {
	path := newPath(t)
	s := openAt(t, path, Options{Now: noon().now})
	session, _ := begin(t, s, "t", "hello")
	q := Queued{
		Text: "look at plan.txt", Alone: true, Cut: true,
		Parts: []history.Part{
			{Kind: history.TextPart, Name: "plan.txt", Text: "tea", Tokens: 1},
			{Kind: history.ImagePart, Name: "a.png", MediaType: "image/png", Data: []byte{0xff, 0, 1}},
		},
		Draft: Draft{Text: "look at ", Folds: []Fold{{From: 8, To: 8, Path: "/tmp/plan.txt"}, {
			From: 8,
			To:   8,
		}}},
	}
	stored, err := s.Enqueue(context.Background(), session.ID, q)
	must(t, "queue", err)
	must(t, "close", s.Close())
	got, err := openAt(t, path, Options{}).Queue(context.Background(), session.ID)
	if must(t, "read", err); len(got) != 1 || !reflect.DeepEqual(got[0], stored) {
		t.Errorf("the queue is %+v, want %+v", got, stored)
	}
}

// The draft becomes a queued message, and one that was begun since stays when that is stored.
func TestAQueuedMessageThatIsStoredLeavesTheQueue(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, first := begin(t, s, "t", "hello")
	must(t, "draft", s.SaveDraft(ctx, session.ID, Draft{Text: "one"}))
	one, err := s.Enqueue(ctx, session.ID, Queued{Text: "one"})
	must(t, "queue", err)
	if d, err := s.Draft(ctx, session.ID); err != nil || d.Text != "" {
		t.Errorf("the draft is %q behind the message that it became, %v", d.Text, err)
	}
	must(t, "draft", s.SaveDraft(ctx, session.ID, Draft{Text: "two"}))
	m := says(session.ID, first.ID, history.User, "one")
	m.Queued = one.ID
	add(t, s, m)
	queue, err := s.Queue(ctx, session.ID)
	d, draftErr := s.Draft(ctx, session.ID)
	if err := errors.Join(err, draftErr); err != nil || len(queue) > 0 || d.Text != "two" {
		t.Errorf("the queue is %v and the draft %q, %v, want none and two", queue, d.Text, err)
	}
}

func TestAMessageTakenFromTheQueueIsTheDraft(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, _ := begin(t, s, "t", "hello")
	draft := Draft{Text: "a long paste", Folds: []Fold{{From: 0, To: 0}, {From: 2, To: 12}}}
	q, err := s.Enqueue(ctx, session.ID, Queued{Text: "a long paste", Draft: draft})
	must(t, "queue", err)
	must(t, "take back", s.Unqueue(ctx, session.ID, q.ID, true))
	d, err := s.Draft(ctx, session.ID)
	if err != nil || d.Text != draft.Text || !slices.Equal(d.Folds, draft.Folds[1:]) {
		t.Errorf("the draft is %+v, %v, want the paste, without the file that has no path", d, err)
	}
	if err := s.Unqueue(ctx, session.ID, q.ID, false); !errors.Is(err, ErrNotFound) {
		t.Errorf("taking it twice: %v, want ErrNotFound", err)
	}
}
