package session

import (
	"context"
	"fmt"
	"time"

	"winnow/history"
)

// Sighting is what became of a message in one past request.
type Sighting struct {
	Turn    int           // the request's turn, from 1
	Nth, Of int           // it is the turn's Nth request of Of, from 1
	Request int64         // the id of its record
	At      time.Time     // when it was sent
	Model   string        // who was asked, "endpoint/model"
	Sum     history.Sum   // where the request's tokens went
	Entry   history.Entry // without TokensBefore and CharsBefore where the message was not sent: see Verdicts
}

// Sightings is what became of a message in past requests of its conversation, on every branch, the
// newest first and at most so many; a number below 1 is all of them. A request that failed before
// anything of an answer arrived is none: no model is known to have seen it. One whose record cannot be
// read is passed over.
func (s *Session) Sightings(ctx context.Context, message int64, most int) ([]Sighting, error) {
	var list []Sighting
	err := s.lookBack(ctx, []int64{message}, func(r looked, id int64) (bool, error) {
		seen, err := r.sighting(id)
		if err == nil {
			list = append(list, seen)
		}
		return len(list) == most, err
	})
	if err != nil {
		return nil, fmt.Errorf("look for message %d in past requests: %w", message, err)
	}
	return list, nil
}

// LastWhole finds for each of the messages the newest request in which the model got all of its text.
// A message that no model ever got whole is not in the map. The records are read back to the one that
// answers the last of the messages: it is quick where they were sent whole until recently.
func (s *Session) LastWhole(ctx context.Context, messages ...int64) (map[int64]Sighting, error) {
	found := make(map[int64]Sighting, len(messages))
	err := s.lookBack(ctx, messages, func(r looked, id int64) (bool, error) {
		whole, err := r.plan.whole(r.places[id])
		if !whole || err != nil {
			return false, err
		}
		seen, err := r.sighting(id)
		if err == nil {
			found[id] = seen
		}
		return err == nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("look for messages in past requests: %w", err)
	}
	return found, nil
}
