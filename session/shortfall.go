package session

import (
	"context"
	"slices"

	"winnow/session/store"
)

// Shortfall is a request of which the server counted far fewer tokens than were sent: it dropped a part
// of it without saying so.
type Shortfall struct {
	Turn     int // the request's turn, from 1
	Expected int // tokens that the server was expected to count
	Reported int // tokens that it counted
}

// Shortfall is what the server counted of the newest request that it counted, where that was far less
// than was sent. It is false for any other count, after a change of the model, and after Open until
// LoadPast.
func (s *Session) Shortfall() (Shortfall, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.before.shortfall == nil {
		return Shortfall{}, false
	}
	return *s.before.shortfall, true
}

// noteCount keeps whether the server's count of a request shows that it dropped a part of it.
func (t *turn) noteCount(r store.Request, expected int, short bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.before.shortfall = nil
	if short {
		t.before.shortfall = &Shortfall{Turn: r.Turn, Expected: expected, Reported: r.Prompt}
	}
}

// tellsCount says that a record holds a count by the server that is worth comparing with ours.
func tellsCount(r store.Request) bool { return r.Prompt > 0 && r.Estimate >= ratioFrom }

// findShortfall compares the server's count of the newest request with what was expected of it, and with
// its count of the request before, where there is one. They are made again only where the numbers look
// odd.
func (s *Session) findShortfall(ctx context.Context, newest []store.Request) (*Shortfall, error) {
	now, before := newest[0], store.Request{}
	if len(newest) > 1 {
		before = newest[1]
	}
	d, err := readDecision(now)
	if err != nil {
		return nil, err
	}
	ratio := known(d.Ratio)
	expected := float64(now.Estimate) * ratio
	grown := float64(now.Estimate-before.Estimate) * ratio
	if float64(now.Prompt) >= silentShare*expected && (before.ID == 0 || float64(now.Prompt-before.Prompt) >= grown/stuckShare) {
		return nil, nil
	}
	second, err := s.countedIn(ctx, now)
	if err != nil || second.messages == nil {
		return nil, err
	}
	first, err := s.countedIn(ctx, before)
	if err != nil || first.shortenedAt(second, ratio, d.Window) == 0 {
		return nil, err
	}
	return &Shortfall{Turn: now.Turn, Expected: int(expected), Reported: now.Prompt}, nil
}

// countedIn makes a recorded request again. It comes without messages where it is not proven or not
// worth comparing, and where there is no request.
func (s *Session) countedIn(ctx context.Context, r store.Request) (counted, error) {
	if r.ID == 0 {
		return counted{}, nil
	}
	made, err := s.rebuild(ctx, Recorded{Request: r})
	if err != nil || !made.Proven || slices.ContainsFunc(made.Plan.Messages, holdsImage) {
		return counted{}, err
	}
	return counted{made.Plan.Messages, r.Estimate, r.Prompt}, nil
}
