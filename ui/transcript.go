package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/current"
	"winnow/ui/event"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/transcript"
)

// updateTranscript hands a message to the transcript.
func (m *Model) updateTranscript(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	m.surround()
	m.chat, cmd = m.chat.Update(msg)
	return m.handle(cmd, m.chat.Events(), m.transcriptEvent)
}

// inTranscript has the transcript do something that may tell of events.
func (m *Model) inTranscript(do func(*transcript.Model) tea.Cmd) tea.Cmd {
	m.surround()
	cmd := do(&m.chat)
	return m.handle(cmd, m.chat.Events(), m.transcriptEvent)
}

// transcriptEvent does what the transcript cannot do itself.
func (m *Model) transcriptEvent(e event.Event) tea.Cmd {
	switch e := e.(type) {
	case transcript.Hushed:
		m.notice.Hush()
	case transcript.Moved:
		m.lead()
	case transcript.SearchEnded:
		if e.FromDraft {
			m.setFocus(draftPane)
		}
	case transcript.Wanted:
		return m.do(e.Action)
	case transcript.Picked:
		return copyText(e.What, e.Text)
	case transcript.Clicked:
		return clicked(m, e.Y)
	case transcript.Flagged:
		if e.Stale {
			return m.draftChanged()
		}
		m.current.Supersede() // A plan that is being made may not know of the action.
		return m.planned(current.Planned{Plan: e.Plan, Err: e.Err})
	}
	return nil
}

// do does an action of the panes, or says why it cannot be done now. It is about the message under the transcript's
// cursor.
func (m *Model) do(a keymap.Action) tea.Cmd {
	failed, onFailure := m.chat.Failed()
	if onFailure && a == keymap.Inspect {
		a = keymap.Seen // A failure is no message: what there is to inspect is its request.
	}
	if why := m.whyNot(a); why != nil {
		return why
	}
	message, _ := m.chat.Selected()
	if onFailure {
		message, _ = m.chat.Message(failed.User)
	}
	switch a {
	case keymap.Palette:
		return m.openPalette()
	case keymap.New:
		return m.leaveFor(func(o *current.Model) tea.Cmd {
			return o.New()
		})
	case keymap.Sessions:
		return m.openSessions("")
	case keymap.Models:
		return m.settings.ChooseModel("")
	case keymap.Context:
		return m.togglePanel()
	case keymap.Reason:
		shown, text := m.chat.ToggleReasoning(), "Reasoning is hidden."
		if shown {
			text = "Reasoning is shown."
		}
		return tea.Batch(m.notice.Say(text), m.settings.Remember(m.settings.Memory.Reasoning(shown)))
	case keymap.PageUp:
		m.chat.Page(-1)
	case keymap.PageDown:
		m.chat.Page(1)
	case keymap.Focus:
		m.turnFocus(1)
	case keymap.FocusBack:
		m.turnFocus(-1)
	case keymap.Inspect:
		return m.inspect(inspector.Subject{Message: message.ID}, inspector.TextView)
	case keymap.Copy:
		return m.copyMessages("")
	case keymap.CopyCode:
		return m.copyMessages("code")
	case keymap.Again:
		return m.askAgain(message, "")
	case keymap.AgainWith:
		return m.settings.AnswerWith(message.ID)
	case keymap.Edit:
		if message.ID == 0 {
			return m.notice.Error("Select a message of yours first.")
		}
		return m.startEdit(message.ID)
	case keymap.VersionBack:
		return m.current.SwitchVersion(message.ID, -1)
	case keymap.VersionOn:
		return m.current.SwitchVersion(message.ID, 1)
	case keymap.Fork:
		return m.fork(message.ID)
	case keymap.Trail:
		return m.followTrail()
	case keymap.Seen:
		return m.openPast()
	case keymap.WhatIf:
		return m.openWhatif()
	case keymap.Repairs:
		return m.openRepairs()
	case keymap.Request:
		return m.inspectRequest()
	case keymap.Pin:
		return m.flag(history.Pin)
	case keymap.Exclude:
		return m.flag(history.Exclude)
	case keymap.Auto:
		return m.flag("")
	case keymap.Adopt:
		return m.settings.AdoptWindow()
	case keymap.TakeBack:
		return m.inTranscript((*transcript.Model).Undo)
	case keymap.Ask, keymap.Help:
		return m.openHelp()
	case keymap.Quit:
		return m.quit()
	case keymap.Away:
		return m.fork(0)
	case keymap.Take:
		return m.current.TakeOver()
	case keymap.Older:
		m.chat.Scroll(-1)
	case keymap.Newer:
		m.chat.Scroll(1)
	}
	return nil
}

// whyNot says why an action cannot be done now, nil where it can.
func (m *Model) whyNot(a keymap.Action) tea.Cmd {
	why := m.keys.WhyNot(a, func(n keymap.Need) bool {
		switch n {
		case keymap.NeedOwn:
			return !m.current.ReadOnly
		case keymap.NeedIdle:
			return !m.turn.Busy
		case keymap.NeedWhole:
			return m.current.Session.Now().Whole
		case keymap.NeedMessage:
			_, ok := m.chat.Selected()
			return ok
		}
		return m.panel.Next.Ready
	})
	if why == "" {
		return nil
	}
	return m.notice.Error(why)
}

// flag gives the selected messages a flag, else the one under the cursor.
func (m *Model) flag(f history.Flag) tea.Cmd {
	if on := m.panel.Chosen(); m.panelHasKeys() && !m.chat.Selecting() {
		switch {
		case on.Entry != nil:
			return m.inTranscript(func(c *transcript.Model) tea.Cmd { return c.FlagThese(f, on.Entry.ID) })
		case on.Added > 0:
			return m.notice.Say("winnow added this text; it depends on the messages around it.")
		}
	}
	return m.inTranscript(func(c *transcript.Model) tea.Cmd { return c.Flag(f) })
}

// search looks for a text in the transcript.
func (m *Model) search(text string) tea.Cmd {
	fromDraft := m.focus == draftPane
	m.setFocus(transcriptPane)
	return m.inTranscript(func(c *transcript.Model) tea.Cmd { return c.SearchFor(text, fromDraft) })
}

// panelHasKeys says whether keys are for the panel.
func (m *Model) panelHasKeys() bool { return m.focus == panelPane || m.overlays.onTop(panelOverlay{}) }

// follow brings the message under the panel's cursor into the transcript's view: the transcript and the panel are
// two views of one list of messages, with one cursor.
func (m *Model) follow() {
	if e := m.panel.Chosen().Entry; e != nil {
		m.chat.GoTo(e.ID)
	}
}

// lead puts the panel's cursor on the message under the transcript's.
func (m *Model) lead() {
	if message, ok := m.chat.Selected(); ok {
		at, _ := m.chat.Index(message.ID)
		m.panel.GoTo(at, message.ID)
	}
}
