package session

import (
	"context"
	"fmt"

	"winnow/session/store"
)

// past is what the requests of a conversation tell about its next one.
type past struct {
	read      bool       // the records are read; a new conversation has none
	sent      *sent      // the request that was answered last, nil for none
	begun     bool       // something was answered to one of the requests
	lost      []int64    // messages that one of the requests did not hold whole, sorted
	shortfall *Shortfall // what the server counted of the one that it counted last, nil where that was nothing odd
}

// remember takes a request into the past of the conversation once something was answered to it.
func (t *turn) remember(a asked) {
	now := t.weigh(a.to.Ref(), a.plan)
	t.lost = union(t.lost, cutShort(a.plan.Entries))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.before.sent = now
}

// LoadPast reads what the records of a conversation that was opened tell of its past requests: until it
// returns, Prefix is not known, Losses finds none and Shortfall knows of none. It reads all records
// and makes the newest request again, which takes as long as a first plan, so call it behind the first
// frame, the first plan and LoadRest. What cannot be read is passed over.
func (s *Session) LoadPast(ctx context.Context) error {
	s.mu.Lock()
	read := s.before.read
	s.mu.Unlock()
	if read {
		return nil
	}
	model := s.Ref()
	back, err := s.readPast(ctx, model)
	if err != nil {
		return fmt.Errorf("read the past requests: %w", err)
	}
	s.keepPast(back, model)
	return nil
}

// keepPast keeps what the records tell, which were read for a model.
func (s *Session) keepPast(back past, model string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before.read, s.before.lost, s.before.begun = true, union(back.lost, s.before.lost), s.before.begun || back.begun
	// A turn may have gone on meanwhile, or the model changed, and then the records are out of date.
	if s.before.sent == nil && s.model.Ref() == model {
		s.before.sent, s.before.shortfall = back.sent, back.shortfall
	}
}

// recordsAtOnce is how many records are read at once where only the newest are needed.
const recordsAtOnce = 64

// readPast reads the records, the newest first.
func (s *Session) readPast(ctx context.Context, model string) (past, error) {
	var back past
	id := s.Info().ID
	newest := latest{model: model}
	for before := int64(0); !newest.known(); {
		records, err := s.deps.Store.NewestRequests(ctx, id, before, recordsAtOnce)
		if err != nil {
			return back, err
		}
		if len(records) == 0 {
			break
		}
		for _, r := range records {
			if before = r.ID; r.Purpose == store.ForAnswer && r.End != store.EndFailed {
				newest.take(r)
				back.begun = true
			}
		}
	}
	var err error
	if back.lost, err = s.deps.Store.CutShort(ctx, id); err != nil {
		return back, err
	}
	if err := s.remake(ctx, &back, newest); err != nil && ctx.Err() == nil {
		s.log().Warn("make the newest request again", "error", ErrorCode(err))
	}
	return back, ctx.Err()
}

// latest are the newest requests that went to a model, as long as none went to another one since.
type latest struct {
	model    string // "endpoint/model"
	other    bool   // an older one went to another model
	answered store.Request
	counted  store.Request // the newest of which the server told a count
}

// known says that no older request can tell more.
func (l *latest) known() bool { return l.other || l.answered.ID != 0 && l.counted.ID != 0 }

// take takes the next older request.
func (l *latest) take(r store.Request) {
	if l.other = l.other || r.Endpoint+"/"+r.Model != l.model; l.other {
		return
	}
	if l.answered.ID == 0 {
		l.answered = r
	}
	if l.counted.ID == 0 && tellsCount(r) {
		l.counted = r
	}
}

// remake makes the newest request again. It is taken only where it is proven.
func (s *Session) remake(ctx context.Context, back *past, newest latest) error {
	if newest.answered.ID == 0 {
		return nil
	}
	if short, ok := ShortfallOf(newest.counted); ok {
		back.shortfall = &short
	}
	made, err := s.rebuild(ctx, Recorded{Request: newest.answered})
	if err != nil {
		return err
	}
	if made.Proven && s.Model().Ref() == newest.model {
		back.sent = s.weigh(newest.model, made.Plan)
	}
	return nil
}
