package panel

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/record"
	"winnow/ui/app"
	"winnow/ui/theme"
)

// Load shows the request with an id, which is one of a turn.
func (p *Model) Load(turn int, request int64) tea.Cmd {
	return p.read(0, func(ctx context.Context, s *session.Session) (*record.Replayed, error) {
		r, err := s.Records().ReplayOf(ctx, turn, request)
		return &r, err
	})
}

// step shows the request before the one on show, or after it.
func (p *Model) step(by int) tea.Cmd {
	turn, nth := p.Info.Turns+1, 1
	switch {
	case p.reading: // One is read at a time: in a long conversation a key that is held would ask for many.
		return nil
	case p.Past != nil:
		turn, nth = p.Past.Past.Request.Turn, p.Past.Past.Nth
	case by > 0:
		return p.Say("This is the next request: what the model would see now.")
	}
	return p.read(by, func(ctx context.Context, s *session.Session) (*record.Replayed, error) {
		to, err := Neighbour(ctx, s, turn, nth, by)
		if to == nil {
			return nil, err
		}
		r, err := s.Records().Replay(ctx, to.Request.Turn, to.Nth)
		return &r, err
	})
}

// Neighbour finds the request one step, −1 or 1, from the nth of a turn, nil for none. A turn may have none, and
// several.
func Neighbour(ctx context.Context, s *session.Session, turn, nth, step int) (*record.Recorded, error) {
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

// read finds a request of the past and shows it. Without one a step forth ends at the next request.
func (p *Model) read(by int, find func(context.Context, *session.Session) (*record.Replayed, error)) tea.Cmd {
	p.reads++
	p.reading = true
	n, s := p.reads, p.Session
	return p.Run(func(ctx context.Context) tea.Msg {
		var past *Request
		r, err := find(ctx, s)
		if err == nil && r != nil {
			past = new(PastRequest(*r))
		}
		return app.Then(func() tea.Cmd {
			switch {
			case n != p.reads:
				return nil
			case err == nil && (past != nil || by > 0):
				return p.Open(past)
			}
			p.reading = false
			if err != nil {
				return p.Fail(theme.Sentence(err))
			}
			return p.Say("There is no earlier request.")
		})
	})
}

// TurnName is a past request's name in its session.
func TurnName(r record.Recorded) string {
	if r.Of > 1 {
		return fmt.Sprintf("turn %d, request %d of %d", r.Request.Turn, r.Nth, r.Of)
	}
	return fmt.Sprintf("turn %d", r.Request.Turn)
}

// Name is what a request is called.
func (p *Model) Name(r *Request) string {
	switch {
	case r.Past != nil:
		return TurnName(r.Past.Recorded)
	case p.Busy:
		return "this request"
	}
	return "next request"
}

// heading is the title of the panel.
func (p *Model) heading() string {
	name := theme.UpperFirst(p.Name(p.Shown()))
	switch {
	case p.Past == nil:
		return name
	case p.Past.Past.Proven:
		return name + " · as it was sent"
	}
	return name + " · as recorded"
}
