package session

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"winnow/session/store"
)

// slowly finds the history of the verdict on a message by reading every record whole.
func slowly(t interface{ Fatal(...any) }, s *Session, message int64) (all, whole []store.PastVerdict) {
	records, err := s.deps.Store.Requests(context.Background(), s.Info().ID)
	if err != nil {
		t.Fatal(err)
	}
	nth, of := map[int64]int{}, map[int]int{}
	for _, r := range records {
		of[r.Turn]++
		nth[r.ID] = of[r.Turn]
	}
	for i := len(records) - 1; i >= 0; i-- {
		r := records[i]
		v, err := s.deps.Store.Verdicts(context.Background(), r.ID)
		if err != nil || r.End == "failed" {
			continue
		}
		for _, e := range v.Entries.All() {
			if e.ID != message {
				continue
			}
			seen := store.PastVerdict{
				Turn: r.Turn, Nth: nth[r.ID], Of: of[r.Turn], Request: r.ID, At: r.Created, Model: r.Endpoint + "/" + r.Model, Sum: v.Sum, Entry: e,
			}
			if all = append(all, seen); e.Whole {
				whole = append(whole, seen)
			}
		}
	}
	return all, whole
}

// TestHistoryOfAVerdictIsThatOfTheRecords talks at random, and asks for every message of every branch.
func TestHistoryOfAVerdictIsThatOfTheRecords(t *testing.T) {
	b := newBench(t)
	b.deps.Approve = Always
	b.offer(adder(t))
	rapid.Check(t, func(rt *rapid.T) {
		s := b.begin()
		b.mu.Lock()
		b.bodies, b.steps = nil, nil
		b.mu.Unlock()
		everything := map[int64]bool{}
		for range rapid.IntRange(1, 8).Draw(rt, "turns") {
			if rapid.IntRange(0, 5).Draw(rt, "refused") == 0 {
				b.steps = append(b.steps, refuses(402, `{"error":{"message":"no credit"}}`))
				drain(s.Send(t.Context(), "Is there any?"))
			} else {
				converse(rt, b, s)
			}
			for _, m := range s.Messages() {
				everything[m.ID] = true
			}
		}
		if rapid.Bool().Draw(rt, "later") && s.Info().ID != "" {
			s = b.open(s.Info().ID)
		}
		var ids []int64
		want := map[int64]store.PastVerdict{}
		for id := range everything {
			all, whole := slowly(rt, s, id)
			if ids = append(ids, id); len(whole) > 0 {
				want[id] = whole[0]
			}
			limit := rapid.IntRange(0, 4).Draw(rt, "most")
			if limit > 0 {
				all = all[:min(limit, len(all))]
			}
			if got, err := s.Records().VerdictHistory(t.Context(), id, limit); err != nil || !reflect.DeepEqual(got, all) {
				rt.Fatalf("message %d, at most %d:\n%+v, %v\nwant\n%+v", id, limit, got, err, all)
			}
		}
		if got, err := s.Records().LastWhole(t.Context(), ids...); err != nil || !reflect.DeepEqual(got, want) {
			rt.Fatalf("last whole:\n%+v, %v\nwant\n%+v", got, err, want)
		}
	})
}

// A search that nobody waits for any more ends.
func TestHistoryOfAVerdictEndsWithItsContext(t *testing.T) {
	b := newBench(t, says("one"))
	s := b.begin()
	if _, err := drain(s.Send(t.Context(), "Hello?")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if list, err := s.Records().VerdictHistory(ctx, s.Messages()[0].ID, 0); !errors.Is(err, context.Canceled) || list != nil {
		t.Errorf("got %v, %v; want the context's end", list, err)
	}
	if found, err := s.Records().LastWhole(ctx, s.Messages()[0].ID); !errors.Is(err, context.Canceled) || found != nil {
		t.Errorf("got %v, %v; want the context's end", found, err)
	}
}

func TestNoMessageIsSeenBeforeTheFirst(t *testing.T) {
	s := newBench(t).begin()
	if list, err := s.Records().VerdictHistory(t.Context(), 1, 0); err != nil || len(list) > 0 {
		t.Errorf("got %v, %v; want nothing", list, err)
	}
	if found, err := s.Records().LastWhole(t.Context(), 1, 2); err != nil || len(found) > 0 {
		t.Errorf("got %v, %v; want nothing", found, err)
	}
}
