package session

import (
	"context"
	"fmt"
	"slices"

	"winnow/history"
	"winnow/session/store"
)

// A chunk of records is read at once. The first is small, since the newest records answer most
// questions.
const (
	firstChunk = 4
	mostChunk  = 64
)

// lookBack visits the verdicts on some messages in the records of past requests, the newest first,
// until each message is done or there are no more records. What cannot be read is passed over.
func (s *Session) lookBack(ctx context.Context, messages []int64, visit func(r looked, id int64) (done bool, err error)) error {
	session := s.Info().ID
	if session == "" {
		return nil
	}
	keys, err := s.deps.Store.RequestKeys(ctx, session)
	if err != nil {
		return err
	}
	slices.Reverse(keys)
	open := s.seek(messages)
	var g glancer
	for chunk := firstChunk; ; chunk = min(2*chunk, mostChunk) {
		var some []store.RequestKey
		if some, keys = open.cutChunk(keys, chunk); len(some) == 0 {
			return nil
		}
		records, err := s.records(ctx, session, some)
		if err != nil {
			return err
		}
		for _, r := range records {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := open.lookAt(&g, r, visit); err != nil {
				s.log().Warn("look back", "request", r.ID, "error", ErrorCode(err))
			}
		}
	}
}

// looked is a record with the places of the messages that are looked for.
type looked struct {
	store.Request
	key    store.RequestKey
	plan   *glance
	places map[int64]int // by the message's id
}

// records reads some records, in the order of the keys.
func (s *Session) records(ctx context.Context, session string, keys []store.RequestKey) ([]looked, error) {
	ids := make([]int64, len(keys))
	for i, k := range keys {
		ids[i] = k.ID
	}
	read, err := s.deps.Store.RequestsByID(ctx, session, ids...)
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]store.Request, len(read))
	for _, r := range read {
		byID[r.ID] = r
	}
	var list []looked
	for _, k := range keys {
		if r, there := byID[k.ID]; there && r.End != store.EndFailed {
			list = append(list, looked{Request: r, key: k})
		}
	}
	return list, nil
}

// sighting reads the verdict on a message that the plan has.
func (r looked) sighting(id int64) (Sighting, error) {
	e, err := r.plan.entry(id, r.places[id])
	if err != nil {
		return Sighting{}, fmt.Errorf("read the verdict on message %d: %w", id, err)
	}
	sum, err := r.plan.sum()
	if err != nil {
		return Sighting{}, fmt.Errorf("read the sum of the request: %w", err)
	}
	return Sighting{
		Turn: r.key.Turn, Nth: r.key.Nth, Of: r.key.Of, Request: r.ID,
		At: r.Created, Model: r.Endpoint + "/" + r.Model, Sum: sum, Entry: e,
	}, nil
}

// sought is the messages that are still looked for.
type sought struct {
	ids   []int64         // sorted
	asked map[int64]int64 // the user's message of the turn that said it, 0 unknown
}

// seek begins to look for messages. Of those on the loaded branch it knows the turn: no request of an
// earlier one holds them.
func (s *Session) seek(messages []int64) sought {
	open := sought{ids: slices.Compact(slices.Sorted(slices.Values(messages))), asked: map[int64]int64{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := int64(0)
	for i := range s.branch {
		m := &s.branch[i]
		if m.Role == history.User {
			asked = m.ID
		}
		if _, there := slices.BinarySearch(open.ids, m.ID); there {
			open.asked[m.ID] = asked
		}
	}
	return open
}

// cutChunk takes the first keys, at most n, of requests that may hold one of the messages.
func (o sought) cutChunk(keys []store.RequestKey, n int) (some, rest []store.RequestKey) {
	if len(o.ids) == 0 {
		return nil, nil
	}
	oldest := o.asked[o.ids[0]]
	for _, id := range o.ids[1:] {
		oldest = min(oldest, o.asked[id])
	}
	for i, k := range keys {
		if len(some) == n {
			return some, keys[i:]
		}
		// A message is younger than what it answers, and an answer belongs to the turn of its question.
		if k.User >= oldest {
			some = append(some, k)
		}
	}
	return some, nil
}

// lookAt visits the verdicts of one record and drops the messages that are done.
func (o *sought) lookAt(g *glancer, r looked, visit func(r looked, id int64) (done bool, err error)) error {
	if len(o.ids) == 0 {
		return nil
	}
	plan, err := g.look(r.Request)
	if err != nil {
		return err
	}
	r.plan, r.places = &plan, plan.places(o.ids)
	var open []int64
	var fault error
	for _, id := range o.ids {
		done := false
		if _, there := r.places[id]; there {
			if done, err = visit(r, id); err != nil {
				fault = err
			}
		}
		if !done {
			open = append(open, id)
		}
	}
	o.ids = open
	return fault
}
