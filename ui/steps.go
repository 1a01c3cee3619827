package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
)

// steps is a walk through the requests. One request is read at a time: of a long conversation each
// takes a while, and a key that is held down would ask for many at once.
type steps struct {
	seek int // that reads the request of the last step, 0 for none
	owed int // steps asked for since, those forth less those back
}

// stepping says that the request of the last step is being read.
func (m *Model) stepping() bool { return m.steps.seek != 0 && m.steps.seek == m.seeks }

// stepped ends the reading of a request and says how many steps are owed after it. None are, where it was
// asked for otherwise in the meantime.
func (m *Model) stepped() (owed int) {
	if m.stepping() {
		owed = m.steps.owed
	}
	m.steps = steps{}
	return owed
}

// turnPage shows the request so many steps before the one that is shown, or after it. Steps that are
// asked for while one is being read are gone together, once it is shown.
func (m *Model) turnPage(by int) tea.Cmd {
	if m.stepping() {
		m.steps.owed += by
		return nil
	}
	past := m.panel.Past
	if past == nil && by > 0 {
		return m.say("This is the next request: what the model would see now.")
	}
	turn, nth := m.info.Turns+1, 1
	if past != nil {
		turn, nth = past.Past.Request.Turn, past.Past.Nth
	}
	cmd := m.seek(by < 0, func(ctx context.Context, s *session.Session) (*session.Replayed, error) {
		to, err := walk(ctx, s, turn, nth, by)
		if to == nil || err != nil {
			return nil, err
		}
		r, err := s.Replay(ctx, to.Request.Turn, to.Nth)
		return &r, err
	})
	m.steps = steps{seek: m.seeks}
	return cmd
}

// walk finds the request so many steps from the nth of a turn. Back it ends at the first one; nil says
// that there is none before that, or that the way forth ends at the next request.
func walk(ctx context.Context, s *session.Session, turn, nth, by int) (*session.Recorded, error) {
	step := 1
	if by < 0 {
		step = -1
	}
	var found *session.Recorded
	for range by * step {
		r, err := neighbour(turn, nth, step, func(turn, nth int) (session.Recorded, error) { return s.Recorded(ctx, turn, nth) })
		switch {
		case err != nil:
			return nil, err
		case r == nil && step < 0:
			return found, nil
		case r == nil:
			return nil, nil
		}
		found, turn, nth = r, r.Request.Turn, r.Nth
	}
	return found, nil
}
