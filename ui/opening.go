package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/confirm"
	"winnow/ui/notice"
	"winnow/ui/question"
	"winnow/ui/settings"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// openNext leaves the draft with its session and opens another session.
func (m *Model) openNext(open func(ctx context.Context, number int) openedMsg) tea.Cmd {
	keep := m.composer.Keep()
	m.opening++
	m.composer.Leave()
	m.bare()
	m.setFocus(draftPane)
	number := m.opening
	return m.inBackground(func(ctx context.Context) tea.Msg {
		if keep == nil {
			return open(ctx, number)
		}
		// The draft is on disk before the next session asks for its own: both may be chats without a message.
		kept := keep()
		next := open(ctx, number)
		return tea.BatchMsg{func() tea.Msg { return kept }, func() tea.Msg { return next }}
	})
}

// load reads what opening a session left out.
func (m *Model) load(s *session.Session) tea.Cmd {
	return m.inBackground(func(ctx context.Context) tea.Msg {
		err := s.LoadRest(ctx)
		receipts, more := s.Receipts(ctx)
		return loadedMsg{s, s.Messages(), receipts, errors.Join(err, more)}
	})
}

func (m *Model) loaded(msg loadedMsg) tea.Cmd {
	if msg.session != m.session {
		return nil
	}
	m.chat.Prepend(msg.messages, msg.receipts)
	again := tea.Batch(m.inTranscript((*transcript.Model).SearchAnew), m.arrive(msg.err == nil))
	if msg.err != nil && !errors.Is(msg.err, context.Canceled) {
		return tea.Batch(m.complain(theme.Sentence(msg.err)), m.draftChanged(), again)
	}
	return tea.Batch(m.draftChanged(), m.count(m.session), m.reach(m.session), m.learn(m.session), m.readForks(m.session), again, m.askPending())
}

// newSession begins a session with the model in use.
func (m *Model) newSession() tea.Cmd {
	deps, start := m.options.Deps, session.Start{Ref: m.ref, Dir: m.info.Dir}
	return m.leaveFor(openedMsg{}, func(context.Context) (*session.Session, error) { return session.New(deps, start) })
}

// newTemporary begins a chat that is kept in memory alone.
func (m *Model) newTemporary() tea.Cmd {
	deps, start := m.options.Deps, session.Start{Ref: m.ref, Dir: m.info.Dir}
	return m.leaveFor(openedMsg{}, func(ctx context.Context) (*session.Session, error) { return session.Temporary(ctx, deps, start) })
}

// openStored opens a stored session at one of its messages, on whatever branch that is.
func (m *Model) openStored(id string, at arrival) tea.Cmd {
	deps, ref := m.options.Deps, m.ref
	return m.leaveFor(openedMsg{at: at}, func(ctx context.Context) (*session.Session, error) {
		s, err := session.Open(ctx, deps, id, ref)
		if err == nil && at.message != 0 && !s.Holds(at.message) {
			err = switchTo(ctx, s, at.message)
		}
		return s, err
	})
}

// leaveFor leaves the session on the screen for the one that open brings, unless an answer still arrives
// or a temporary chat would be gone.
func (m *Model) leaveFor(next openedMsg, open func(context.Context) (*session.Session, error)) tea.Cmd {
	if m.turn.Busy {
		return m.stillArriving()
	}
	if said, stays := m.wouldBeGone(confirm.LeaveUnsaved); stays {
		return said
	}
	return m.openNext(func(ctx context.Context, number int) openedMsg {
		next.number = number
		next.session, next.err = open(ctx)
		return next
	})
}

// opened shows a session that was asked for.
func (m *Model) opened(msg openedMsg) tea.Cmd {
	switch {
	case msg.number != 0 && msg.number != m.opening, msg.instead != nil && msg.instead != m.session:
		if msg.err != nil {
			return nil
		}
		return tea.Batch(forget(msg.session), leave(msg.session)) // another one was asked for since
	case msg.err != nil && msg.number == 0:
		return m.complain(theme.Sentence(msg.err))
	case msg.err != nil:
		m.composer.Stay()
		return tea.Batch(m.complain(theme.Sentence(msg.err)), m.draftChanged())
	case m.turn.Busy:
		m.composer.Stay()
		return m.complain("An answer is still arriving; the session was not changed.")
	}
	m.turn, m.question = m.turn.Next(), question.Model{}
	m.bare()
	m.composer.Arrive()
	m.setFocus(draftPane)
	before, gone := m.session, forget(m.session)
	m.adopt(msg.session)
	m.arrival = msg.at
	var said tea.Cmd
	if msg.said != "" {
		said = m.say(msg.said)
	}
	return tea.Batch(gone, m.arrive(false), said, leave(before), m.occupy(msg.session), m.load(msg.session), m.composer.Load(), m.draftChanged(), m.index())
}

// settled ends a setting: what it changed is shown and planned anew.
func (m *Model) settled(msg settings.DoneMsg) tea.Cmd {
	var reach tea.Cmd
	if ref := m.session.Ref(); ref != m.ref {
		reach = m.reach(m.session)
		if m.notice.Resolve(notice.Unreachable) {
			m.arrange()
		}
	}
	changed := m.session.Ref() != m.ref
	m.info, m.ref = m.session.Info(), m.session.Ref()
	if changed {
		reach = tea.Batch(reach, m.askPending())
	}
	switch {
	case msg.Err != nil:
		return tea.Batch(m.complain(theme.Sentence(msg.Err)), reach)
	case msg.Text == "":
		return tea.Batch(m.draftChanged(), reach)
	}
	return tea.Batch(m.say(msg.Text), m.draftChanged(), reach)
}

// arrival is where a session that is opened is gone to, zero for its end.
type arrival struct {
	message int64
	text    string // what is marked there, "" for nothing
}

// switchTo makes the branch through a message the active one, unless another window has the session.
func switchTo(ctx context.Context, s *session.Session, message int64) error {
	elsewhere, err := s.Lease(ctx)
	if err == nil && !elsewhere {
		err = s.Switch(ctx, message)
	}
	if err != nil {
		s.Leave()
	}
	return err
}

// arrive puts the transcript's cursor on the message that the session was opened for, as soon as that is
// read. Once the session is read whole and does not have it, it is on a branch of another window's.
func (m *Model) arrive(whole bool) tea.Cmd {
	a := m.arrival
	switch {
	case a.message == 0:
		return nil
	case m.chat.GoTo(a.message):
		m.arrival = arrival{}
		m.setFocus(transcriptPane)
		return m.markFound(a)
	case !whole:
		return nil
	}
	m.arrival = arrival{}
	return m.complain("The message is on another branch than the one that is open in another window.")
}

// markFound marks what was looked for in the message under the cursor, where the transcript's own search
// finds it there.
func (m *Model) markFound(a arrival) tea.Cmd {
	m.notice.Hush() // it said that this is on its way
	if !m.chat.Finds(a.message, a.text) {
		return nil
	}
	return m.search(a.text)
}
