package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/keymap"
	"winnow/ui/panel"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// slowTime is how long a request of the past is read before the screen says so. In a conversation of a
// hundred thousand messages it takes seconds.
const slowTime = 150 * time.Millisecond

// slowMsg says that a request of the past has been read for slowTime.
type slowMsg struct{ seek int }

// seek runs read and shows the request that it finds. Of several the last is answered.
func (m *Model) seek(back bool, read func(context.Context, *session.Session) (*session.Replayed, error)) tea.Cmd {
	m.seeks++
	n, s := m.seeks, m.session
	return tea.Batch(m.inBackground(func(ctx context.Context) tea.Msg {
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

// compareRequests marks the request on show, or compares it with the one that is marked.
func (m *Model) compareRequests() tea.Cmd {
	k, r := &m.keys, m.panel.Shown()
	switch marked := m.marked; {
	case !r.Ready:
		return m.say(whyNone(r))
	case marked == nil:
		kept := *r
		m.marked = &kept
		return m.say("Marked: " + m.nameOf(r) + ". Go to another request with " + k.First(keymap.Earlier) + " and " + k.First(keymap.Later) +
			", then " + k.First(keymap.Compare) + " shows what changed between the two.")
	case sameRequest(marked, r):
		m.marked = nil
		return m.say("The mark is taken away from " + m.nameOf(r) + ".")
	default:
		shown := *r
		before, after := inOrder(marked, &shown)
		m.marked = nil
		m.showRequest(after)
		return m.inspect(subject{request: true, from: before}, asChanges)
	}
}

// showRequest shows a request that has been on show before.
func (m *Model) showRequest(r *panel.Request) {
	if r.Past == nil {
		m.toNext()
		return
	}
	m.seeks++ // what is still being read comes too late
	m.panel.Open(r)
	m.chat.Judge(r.Plan)
}

// inOrder is two requests, the one that was sent first in front; the next one is the last.
func inOrder(a, b *panel.Request) (before, after *panel.Request) {
	if a.Past == nil || b.Past != nil && b.Past.Request.ID < a.Past.Request.ID {
		return b, a
	}
	return a, b
}

// sameRequest says that two are the same request of the past, or both the next one.
func sameRequest(a, b *panel.Request) bool {
	if a.Past == nil || b.Past == nil {
		return a.Past == b.Past
	}
	return a.Past.Request.ID == b.Past.Request.ID
}
