package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/panel"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// slowTime is how long a request of the past is read before the screen says so. In a conversation of a
// hundred thousand messages it takes seconds.
const slowTime = 150 * time.Millisecond

// slowMsg says that a request of the past has been read for slowTime.
type slowMsg struct{ seek int }

// seek runs read and shows the request that it finds. Of several wishes the last is answered.
func (m *Model) seek(back bool, read func(context.Context, *session.Session) (*session.Replayed, error)) tea.Cmd {
	m.seeks++
	n, s := m.seeks, m.session
	return tea.Batch(m.behind(func(ctx context.Context) tea.Msg {
		r, err := read(ctx, s)
		return pastMsg{n, back, r, err}
	}), tea.Tick(slowTime, func(time.Time) tea.Msg { return slowMsg{n} }))
}

// slow says that a request is still being read.
func (m *Model) slow(msg slowMsg) tea.Cmd {
	m.panel.Looking = msg.seek == m.seeks && m.sought != m.seeks
	return nil
}

// neighbour reads the request by steps from the nth of a turn, nil for none. A turn may have none, and
// several.
func neighbour[T any](turn, nth, by int, read func(turn, nth int) (T, error)) (*T, error) {
	for nth += by; ; {
		if by < 0 && nth < 1 {
			turn, nth = turn-1, 0 // 0 is the last
		}
		r, err := read(turn, nth)
		var none *session.NoRequestError
		switch {
		case err == nil:
			return &r, nil
		case !errors.As(err, &none):
			return nil, err
		case by < 0 && turn > 1:
			nth = 0
		case by > 0 && turn < none.Turns:
			turn, nth = turn+1, 1
		default:
			return nil, nil
		}
	}
}

// openPast shows the request that made a message: an answer's own, the question's first.
func (m *Model) openPast() tea.Cmd {
	id, ok := m.chat.RequestBehind()
	if !ok {
		return m.say("No request was sent for this message.")
	}
	receipt, ok := m.chat.Receipts[id]
	if !ok {
		return m.say("The record of this request is not read yet.")
	}
	m.showPanel()
	return m.seek(false, func(ctx context.Context, s *session.Session) (*session.Replayed, error) {
		r, err := s.ReplayOf(ctx, receipt.Turn, id)
		return &r, err
	})
}

// replayed shows what was found.
func (m *Model) replayed(msg pastMsg) tea.Cmd {
	if msg.seek != m.seeks {
		return nil
	}
	owed := m.stepped()
	m.sought, m.panel.Looking = msg.seek, false
	switch {
	case msg.err != nil:
		return m.complain(theme.Sentence(msg.err))
	case msg.replayed == nil && msg.back && owed > 0, msg.replayed == nil && !msg.back && owed < 0:
		return m.turnPage(owed)
	case msg.replayed == nil && msg.back:
		return m.say("Nothing was sent before this.")
	case msg.replayed == nil:
		return m.toNext()
	}
	again := m.showPast(msg.replayed)
	if owed != 0 {
		return tea.Batch(again, m.turnPage(owed))
	}
	return again
}

// showPast shows a request of the past.
func (m *Model) showPast(r *session.Replayed) tea.Cmd {
	past := panel.PastRequest(*r, transcript.Gist)
	m.panel.Open(&past)
	m.chat.JudgeRead(past.Plan, past.FirstRead)
	if n := len(past.Plan.Entries); n > 0 {
		m.chat.List.GoTo(past.Plan.Entries[n-1].ID)
	}
	return m.lookAgain()
}

// toNext goes back to the next request.
func (m *Model) toNext() tea.Cmd {
	m.seeks++ // what is still being read comes too late
	m.panel.Open(nil)
	m.chat.Judge(m.panel.Next.Plan)
	return m.lookAgain()
}
