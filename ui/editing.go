package ui

import (
	"context"
	"fmt"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/current"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/panel"
	"winnow/ui/picker"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// startEdit takes a message of the user's into the composer. What it becomes there is another version of
// it: the message itself stays, with all that was said since.
func (m *Model) startEdit(id int64) tea.Cmd {
	if why := m.whyNot(keymap.Edit); why != nil {
		return why
	}
	i, ok := m.chat.Index[id]
	if !ok {
		return m.notice.Error("This message is now on another branch.")
	}
	message := m.chat.Messages[i]
	switch {
	case message.Role != history.User:
		return m.notice.Error(theme.UpperFirst(m.chat.NumbersOf(id)) + " is not yours and cannot be edited; " +
			m.keys.First(keymap.Again) + " asks for another answer.")
	case message.Damaged:
		return m.notice.Error("This message cannot be read, so it cannot be edited.")
	}
	if m.panel.Past != nil {
		m.updatePanel(panel.ShowNext{})
	}
	m.composer.Edit(id, m.chat.NumbersOf(id), message.Content, message.Parts)
	m.chat.GoTo(id)
	m.setFocus(draftPane)
	return nil
}

// editsMsg says when the list of the user's messages is shown.
type editsMsg struct{ at time.Time }

// openEdits lists the user's messages, to edit one of them.
func (m *Model) openEdits() tea.Cmd {
	if m.turn.Busy {
		return m.lacks(keymap.NeedIdle)
	}
	return func() tea.Msg { return editsMsg{time.Now()} }
}

// editsListed shows the user's messages of the active branch, the newest first.
func (m *Model) editsListed(msg editsMsg) tea.Cmd {
	if m.overlays.any() || m.turn.Busy {
		return nil
	}
	var choices []picker.Choice
	for i := len(m.chat.Messages) - 1; i >= 0; i-- {
		message := m.chat.Messages[i]
		if message.Role != history.User || message.Damaged {
			continue
		}
		choices = append(choices, picker.Choice{
			Label: markdown.OneLine(message.Content, 400),
			Right: "message " + theme.Thousands(i+1) + " · " + theme.Ago(msg.at, time.UnixMilli(message.CreatedMS)),
			Value: strconv.FormatInt(message.ID, 10),
		})
	}
	if len(choices) == 0 {
		return m.notice.Say("There is no message of yours to edit yet.")
	}
	m.overlays.open(newList(m.keys, picker.Options{Title: "edit an earlier message", Does: "edit"}, 0, choices, func(value string) tea.Cmd {
		id, _ := strconv.ParseInt(value, 10, 64)
		return m.startEdit(id)
	}))
	m.notice.Hush() // it told how to come here
	return nil
}

// versionSwitched shows the branch that is the active one now, with the cursor where it parts from the one
// before. What was about messages of the other branch is over.
func (m *Model) versionSwitched(e current.Switched) tea.Cmd {
	if e.Only {
		return m.notice.Say(m.chat.OneVersion(e.Of))
	}
	if m.panel.Past != nil {
		m.updatePanel(panel.ShowNext{})
	}
	m.panel.Left()
	m.composer.EndEdit()
	m.chat.Unselect()
	m.inspector.Forget()
	m.current.Info = m.current.Session.Info()
	m.chat.Follow(m.current.Session.Messages())
	v := e.Version
	m.chat.GoTo(v.Message)
	sentence := fmt.Sprintf("%s: version %d of %d.", theme.UpperFirst(m.chat.NumbersOf(v.Message)), v.Nth, v.Of)
	return tea.Batch(m.notice.Say(sentence), m.draftChanged(), m.current.Count(), m.current.ReadForks(), m.inTranscript((*transcript.Model).SearchAnew), m.askPending())
}

// askAgain asks again in the turn of a message; without one, in the last turn. A model that is named answers this
// one turn.
func (m *Model) askAgain(message store.Message, ref string) tea.Cmd {
	if message.ID == 0 {
		last, ok := m.chat.Last()
		if !ok {
			return m.notice.Error("There is no message to answer yet.")
		}
		message = last
	}
	at := m.chat.Index[message.ID]
	for at >= 0 && m.chat.Messages[at].Role != history.User {
		at--
	}
	if why := m.whyNot(keymap.Again); why != nil {
		return why
	}
	if at < 0 {
		return m.notice.Error("None of your messages comes before this one, so there is nothing to answer.")
	}
	s, behind := m.current.Session, len(m.chat.Messages)-at-1
	m.composer.EndEdit()
	m.chat.Follow(m.chat.Messages[:at+1])
	start := func(ctx context.Context) <-chan session.Event { return s.Regenerate(ctx, message.ID) }
	if ref != "" {
		start = func(ctx context.Context) <-chan session.Event { return s.RegenerateWith(ctx, message.ID, ref) }
	}
	turn := m.begin(nil, start)
	m.turn.Again = true
	if ref != "" {
		m.chat.Name = transcript.ModelName(ref)
	}
	if behind < 2 {
		return turn
	}
	return tea.Batch(turn, m.notice.Say("The rest is kept: on the new answer, "+m.keys.First(keymap.VersionBack)+" goes back to it."))
}
