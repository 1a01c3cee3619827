package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/conversation"
	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/notice/bell"
	"winnow/ui/theme"
)

// stays says why the conversation on the screen cannot be left while its answer arrives, nil where it can.
func (m *Model) stays() tea.Cmd {
	back := m.Keys.First(keymap.Back)
	switch {
	case !m.Turn.Busy:
		return nil
	case m.Session.Temporary():
		return m.notice.Error("This chat is not saved, so its answer cannot continue in the background: " +
			back + " stops it.")
	case m.composer.Sending() != nil || m.Session.Info().ID == "":
		return m.notice.Error("Your message is not saved yet; try again in a moment, or " + back + " stops it.")
	case m.background.Len() >= conversation.MostBehind:
		return m.notice.Error(theme.Plural(conversation.MostBehind, "answer") + " are already running in the " +
			"background, which is the limit. " + back + " stops this one.")
	}
	return nil
}

// backgroundEvent says what happened in a conversation that is not on the screen.
func (m *Model) backgroundEvent(c *conversation.Model, e session.Event) tea.Cmd {
	switch e := e.(type) {
	case session.Asked:
		m.notice.News(c.Quoted() + " waits for your answer about a tool call; " + m.opens())
		return m.callAsked(c)
	case session.OverLimit:
		m.notice.News(c.Quoted() + " waits for your answer about a limit; " + m.opens())
		return m.callAsked(c)
	case session.Notice:
		return m.notice.Say(c.Quoted() + ": " + e.Text)
	case session.Finished:
		return m.backgroundEnded(c, e)
	}
	return nil
}

// opens says how a conversation that is not on the screen is opened.
func (m *Model) opens() string { return m.Keys.First(keymap.Sessions) + " opens it." }

// backgroundEnded goes on with the queue of a conversation that is not on the screen, or says how its last answer ended.
func (m *Model) backgroundEnded(c *conversation.Model, e session.Finished) tea.Cmd {
	stopped := c.Turn.Stopping && e.Err == nil
	c.Finish(e)
	waits, queued := "", c.Waiting.Len()
	if queued > 0 && !c.Waiting.Held() {
		return m.sendNext(c) // one that is still being saved says when it can be sent
	}
	m.background.End(c, conversation.Outcome{Err: e.Err, Failure: e.Failure, Stopped: stopped})
	if queued > 0 {
		waits = theme.Plural(queued, "queued message") + " of it wait. "
	}
	said := notice.Sentence{Text: c.Quoted() + " has a new answer; " + m.opens()}
	call := m.callEnded(c, e.Err, c.Turn.Took())
	switch {
	case e.Err != nil:
		said.Error = true
		said.Text = "The answer of " + c.Quoted() + " failed: " + theme.Sentence(e.Err) + " " + waits + m.opens()
	case stopped:
		said.Text, call = c.Quoted()+" was stopped; what arrived is kept. "+waits, nil
	}
	return tea.Batch(m.notice.Show(said), call, m.upkeep.Sync(), conversation.Leave(c.Session))
}

// callEnded calls a user who is not looking when the last answer of a conversation is there, or has failed.
func (m *Model) callEnded(c *conversation.Model, err error, took time.Duration) tea.Cmd {
	text := "winnow: " + c.Quoted() + " has a new answer"
	if err != nil {
		text = "winnow: the answer of " + c.Quoted() + " failed"
	}
	return m.notice.Bell.Call(text, took)
}

// callAsked calls a user who is not looking about a question, however soon it came.
func (m *Model) callAsked(c *conversation.Model) tea.Cmd {
	return m.notice.Bell.Call("winnow: "+c.Quoted()+" waits for your answer", bell.Worth)
}
