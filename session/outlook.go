package session

import "winnow/history"

// Outlook is what the requests before tell about one that is planned.
type Outlook struct {
	Prefix    Prefix
	Losses    []int      // see Session.Losses
	Shortfall *Shortfall // of the newest request that the server counted, nil for none
}

// outlook is what is known of a request that is about to leave. What the user sends alone loses nothing: it
// is what they asked for.
func (t *turn) outlook(plan history.Plan) Outlook {
	o := t.Outlook(plan)
	t.mu.Lock()
	alone := t.alone()
	t.mu.Unlock()
	if alone {
		o.Losses = nil
	}
	return o
}

// Outlook sums up Prefix, Losses and Shortfall.
func (s *Session) Outlook(plan history.Plan) Outlook {
	o := Outlook{Prefix: s.Prefix(plan), Losses: s.Losses(plan)}
	if short, ok := s.Shortfall(); ok {
		o.Shortfall = &short
	}
	return o
}
