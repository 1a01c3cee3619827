package ui

import (
	"cmp"
	"maps"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/confirm"
	"winnow/ui/current/background"
	"winnow/ui/event"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/notice"
	"winnow/ui/question"
	"winnow/ui/theme"
	"winnow/ui/transcript"
	"winnow/ui/turn"
)

// staysFor says why the session on the screen cannot be left while its answer arrives, nil where it can.
func staysFor(m *Model) tea.Cmd {
	back := m.keys.First(keymap.Back)
	switch {
	case !m.turn.Busy:
		return nil
	case m.current.Session.Temporary():
		return m.notice.Error("This chat is not saved, so its answer cannot continue in the background: " +
			back + " stops it.")
	case m.composer.Sending() != nil || m.current.Session.Info().ID == "":
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
		Session: m.current.Session, Turn: m.turn, Waiting: m.composer.Waiting,
		Messages: m.chat.Messages, Receipts: maps.Clone(m.chat.Receipts), Asked: m.question.Question().Call,
		Limit: m.question.Question().Limit,
	}
	m.current.Background.Put(a, m.current.NewContext)
}

// comeBack shows an answer that went on behind the screen, in its session, which is on the screen already.
func comeBack(m *Model, a *background.Answer) tea.Cmd {
	m.turn, m.composer.Waiting = a.Turn, a.Waiting
	a.Waiting.Ready = m.sendNext
	m.chat.Receipts = a.Receipts
	m.chat.Follow(a.Messages)
	m.chat.Name = transcript.ModelName(m.current.Ref)
	if text, reasoning := a.Turn.Arrived(); text+reasoning != "" {
		m.chat.Stream(text, reasoning)
	}
	m.chat.Bottom()
	m.ctx.Busy = true
	if r := a.Turn.Request; r != nil {
		m.showNext(r.Plan, nil, r.Forecast)
	}
	m.arrange()
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
	m.arrange()
	return nil
}

// updateBackground hands events of a turn behind the screen on.
func updateBackground(m *Model, msg turn.EventsMsg) tea.Cmd {
	cmd := m.current.Background.Update(msg, m.current.NewContext)
	return m.handle(cmd, m.current.Background.Events(), func(e event.Event) tea.Cmd { return backgroundEvent(m, e) })
}

// backgroundEvent says what happened in a session that is not on the screen.
func backgroundEvent(m *Model, e event.Event) tea.Cmd {
	opens := m.keys.First(keymap.Sessions) + " opens it."
	switch e := e.(type) {
	case background.Asking:
		call := m.notice.Bell.CallLater("winnow: "+named(m, e.Session)+" waits for your answer", e.Turn, e.Took)
		what := " waits for your answer about a tool call; "
		if e.Limit {
			what = " waits for your answer about a limit; "
		}
		m.notice.News(named(m, e.Session) + what + opens)
		m.arrange()
		return call
	case background.Ended:
		return tea.Batch(backgroundEnded(m, e, opens), m.upkeep.Sync())
	case background.Told:
		return m.notice.Say(named(m, e.Session) + ": " + e.Text)
	}
	return nil
}

// backgroundEnded says how an answer ended in a session that is not on the screen.
func backgroundEnded(m *Model, e background.Ended, opens string) tea.Cmd {
	waits := ""
	if n := e.Outcome.Queued; n > 0 {
		waits = theme.Plural(n, "queued message") + " of it wait. "
	}
	switch o := e.Outcome; {
	case o.Err != nil:
		failed := m.notice.Error("The answer of " + named(m, e.Session) + " failed: " + theme.Sentence(o.Err) +
			" " + waits + opens)
		return tea.Batch(failed, m.notice.Bell.Call("winnow: the answer of "+named(m, e.Session)+" failed", e.Took))
	case o.Stopped:
		return m.notice.Say(named(m, e.Session) + " was stopped; what arrived is kept. " + waits)
	}
	return tea.Batch(m.notice.Say(named(m, e.Session)+" has a new answer; "+opens),
		m.notice.Bell.Call("winnow: "+named(m, e.Session)+" has a new answer", e.Took))
}

// named is a session's title in a sentence.
func named(m *Model, s *session.Session) string {
	return "“" + markdown.OneLine(cmp.Or(m.current.Secrets.Line(s.Info().Title), "new chat"), 40) + "”"
}

// stopsOthers warns, once, that quitting stops answers behind the screen. Whoever means it does the same again soon.
func stopsOthers(m *Model, by confirm.Action, again string) (warning tea.Cmd, stays bool) {
	n := m.current.Background.Busy()
	if n == 0 || m.confirm.Asked(by) {
		return nil, false
	}
	are := " are still arriving in the background. "
	if n == 1 {
		are = " is still arriving in the background. "
	}
	return tea.Batch(m.notice.Error(theme.Plural(n, "answer")+are+again+" stops and saves what is there, and quits."),
		m.confirm.Ask(by)), true
}
