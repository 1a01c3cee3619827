package store

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"winnow/history"
)

func queueOf(t *testing.T, s *Store, session string) []string {
	t.Helper()
	queue, err := s.Queue(context.Background(), session)
	must(t, "read the queue", err)
	var texts []string
	for _, q := range queue {
		texts = append(texts, q.Text)
	}
	return texts
}

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

// A message leaves the queue in the transaction that stores it, and the draft that was begun since stays.
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
	_, err = s.Enqueue(ctx, session.ID, Queued{Text: "two"})
	must(t, "queue", err)
	must(t, "draft", s.SaveDraft(ctx, session.ID, Draft{Text: "three"}))

	m := says(session.ID, first.ID, history.User, "one")
	m.Queued = one.ID
	add(t, s, m)
	if got := queueOf(t, s, session.ID); !slices.Equal(got, []string{"two"}) {
		t.Errorf("the queue is %q, want two", got)
	}
	if d, err := s.Draft(ctx, session.ID); err != nil || d.Text != "three" {
		t.Errorf("the draft is %q, want three; %v", d.Text, err)
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
