package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/record"
	"winnow/ui/panel"
	"winnow/ui/transcript"
)

// neighbour finds the request one step, −1 or 1, from the nth of a turn, nil for none. A turn may have none,
// and several.
func neighbour(ctx context.Context, s *session.Session, turn, nth, step int) (*record.Recorded, error) {
	for nth += step; ; {
		if step < 0 && nth < 1 {
			turn, nth = turn-1, 0 // 0 is the last
		}
		r, err := s.Records().Find(ctx, turn, nth)
		var none *record.NoRequestError
		switch {
		case err == nil:
			return &r, nil
		case !errors.As(err, &none):
			return nil, err
		case step < 0 && turn > 1:
			nth = 0
		case step > 0 && turn < none.Turns:
			turn, nth = turn+1, 1
		default:
			return nil, nil
		}
	}
}

// walk finds the request so many steps from the nth of a turn. Back it ends at the first one; nil says
// that there is none before that, or that the way forth ends at the next request.
func walk(ctx context.Context, s *session.Session, turn, nth, by int) (*record.Recorded, error) {
	step := 1
	if by < 0 {
		step = -1
	}
	var found *record.Recorded
	for range by * step {
		r, err := neighbour(ctx, s, turn, nth, step)
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

// loadPast reads the request of the past that the panel asks for.
func loadPast(ctx context.Context, s *session.Session, l panel.Load) tea.Msg {
	var r record.Replayed
	var err error
	if l.Request != 0 {
		r, err = s.Records().ReplayOf(ctx, l.Turn, l.Request)
	} else {
		var to *record.Recorded
		if to, err = walk(ctx, s, l.Turn, l.Nth, l.By); to == nil {
			return panel.LoadedMsg{Load: l, Err: err}
		}
		r, err = s.Records().Replay(ctx, to.Request.Turn, to.Nth)
	}
	if err != nil {
		return panel.LoadedMsg{Load: l, Err: err}
	}
	past := panel.PastRequest(r, transcript.Gist)
	return panel.LoadedMsg{Load: l, Request: &past}
}

// openPast shows the request that made a message: an answer's own, the question's first; for a failure the one that
// failed.
func (m *Model) openPast() tea.Cmd {
	id, turn, ok := m.chat.RequestOf()
	switch {
	case !ok:
		return m.notice.Say("No request was sent for this message.")
	case turn == 0:
		return m.notice.Say("The record of this request is still loading.")
	}
	m.showPanel()
	return m.updatePanel(panel.Load{Turn: turn, Request: id})
}
