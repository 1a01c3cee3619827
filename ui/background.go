package ui

import (
	"cmp"
	"maps"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/current/background"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/notice"
	"winnow/ui/notice/bell"
	"winnow/ui/question"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// staysFor says why the session on the screen cannot be left while its answer arrives, nil where it can.
func staysFor(m *Model) tea.Cmd {
	back := m.Keys.First(keymap.Back)
	switch {
	case !m.turn.Busy:
		return nil
	case m.Session.Temporary():
		return m.notice.Error("This chat is not saved, so its answer cannot continue in the background: " +
			back + " stops it.")
	case m.composer.Sending() != nil || m.Session.Info().ID == "":
		return m.notice.Error("Your message is not saved yet; try again in a moment, or " + back + " stops it.")
	case m.current.Background.Full():
		return m.notice.Error(theme.Plural(background.Most, "answer") + " are already running in the background, " +
			"which is the limit. " + back + " stops this one.")
	}
	return nil
}

// putBehind has the answer that arrives go on behind the screen. It is called before another session is shown.
func putBehind(m *Model) {
	a := &background.Answer{
		Session: m.Session, Turn: m.turn, Waiting: m.composer.Waiting,
		Messages: m.chat.Messages, Receipts: maps.Clone(m.chat.Receipts), Asked: m.question.Question().Call,
		Limit: m.question.Question().Limit,
	}
	m.current.Background.Put(a)
}

// comeBack shows an answer that went on behind the screen, in its session, which is on the screen already.
func comeBack(m *Model, a *background.Answer) tea.Cmd {
	m.turn, m.composer.Waiting = a.Turn, a.Waiting
	a.Waiting.Ready = m.sendNext
	m.chat.Receipts = a.Receipts
	m.chat.Follow(a.Messages)
	m.chat.Name = transcript.ModelName(m.Ref)
	if text, reasoning := a.Turn.Arrived(); text+reasoning != "" {
		m.chat.Stream(text, reasoning)
	}
	m.chat.Bottom()
	m.Busy = true
	if r := a.Turn.Request; r != nil {
		m.showNext(r.Plan, nil, r.Forecast)
	}
	cmds := []tea.Cmd{m.turn.Tick()}
	if a.Asked != nil || a.Limit != nil {
		cmds = append(cmds, m.ask(question.Question{Call: a.Asked, Limit: a.Limit}))
	}
	return tea.Batch(cmds...)
}

// showOutcome says how the answer of a session ended that is opened now, and has the title written that was not written
// behind the screen.
func showOutcome(m *Model, o background.Outcome) tea.Cmd {
	if o.Err == nil {
		return m.settings.Entitle()
	}
	if o.Failure != nil {
		m.chat.TurnFailed(*o.Failure)
	} else {
		m.notice.Warn(notice.Alert{Text: theme.Sentence(o.Err)})
	}
	return nil
}

// backgroundScreen is what an answer behind the screen has the rest of the screen do.
func (m *Model) backgroundScreen() background.Screen {
	return background.Screen{
		Asking: func(a *background.Answer) tea.Cmd {
			about := "a tool call"
			if a.Limit != nil {
				about = "a limit"
			}
			m.notice.News(titleOf(m, a.Session) + " waits for your answer about " + about + "; " + m.opens())
			return m.callAsked(a.Session)
		},
		Ended: func(a *background.Answer, o background.Outcome) tea.Cmd {
			call := m.callEnded(a.Session, o.Err, a.Turn.Took())
			if o.Stopped {
				call = nil
			}
			return tea.Batch(m.notice.Show(m.backgroundEnded(titleOf(m, a.Session), o)), call, m.upkeep.Sync())
		},
		Told:       func(s *session.Session, text string) tea.Cmd { return m.notice.Say(titleOf(m, s) + ": " + text) },
		NewContext: m.NewContext,
	}
}

// opens says how a session that is not on the screen is opened.
func (m *Model) opens() string { return m.Keys.First(keymap.Sessions) + " opens it." }

// backgroundEnded says how an answer ended in a session that is not on the screen.
func (m *Model) backgroundEnded(name string, o background.Outcome) notice.Sentence {
	waits := ""
	if o.Queued > 0 {
		waits = theme.Plural(o.Queued, "queued message") + " of it wait. "
	}
	switch {
	case o.Err != nil:
		return notice.Sentence{
			Text: "The answer of " + name + " failed: " + theme.Sentence(o.Err) + " " + waits + m.opens(), Error: true,
		}
	case o.Stopped:
		return notice.Sentence{Text: name + " was stopped; what arrived is kept. " + waits}
	}
	return notice.Sentence{Text: name + " has a new answer; " + m.opens()}
}

// titleOf is a session's title in a sentence.
func titleOf(m *Model, s *session.Session) string {
	return "“" + markdown.OneLine(cmp.Or(m.Secrets.Line(s.Info().Title), "new chat"), 40) + "”"
}

// callEnded calls a user who is not looking when the last answer of a session is there, or has failed.
func (m *Model) callEnded(s *session.Session, err error, took time.Duration) tea.Cmd {
	text := "winnow: " + titleOf(m, s) + " has a new answer"
	if err != nil {
		text = "winnow: the answer of " + titleOf(m, s) + " failed"
	}
	return m.notice.Bell.Call(text, took)
}

// callAsked calls a user who is not looking about a question, however soon it came.
func (m *Model) callAsked(s *session.Session) tea.Cmd {
	return m.notice.Bell.Call("winnow: "+titleOf(m, s)+" waits for your answer", bell.Worth)
}
