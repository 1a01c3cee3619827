package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/branch"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/markdown"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// startEdit takes a message of the user's into the composer. What it becomes there is another version of
// it: the message itself stays, with all that was said since.
func (m *Model) startEdit(id int64) tea.Cmd {
	if why := m.whyNot(keymap.Edit); why != nil {
		return why
	}
	message, ok := m.chat.Message(id)
	if !ok {
		return m.notice.Error("There is no message of yours to edit here.")
	}
	switch {
	case message.Role != history.User:
		return m.notice.Error(theme.UpperFirst(m.chat.NumbersOf(id)) + " is not yours and cannot be edited; " +
			m.keys.First(keymap.Again) + " asks for another answer.")
	case message.Damaged:
		return m.notice.Error("This message cannot be read, so it cannot be edited.")
	}
	m.panel.ToNext()
	m.composer.Edit(id, m.chat.NumbersOf(id), message.Content, message.Parts)
	m.chat.GoTo(id)
	m.setFocus(draftPane)
	return nil
}

// openEdits lists the user's messages on the active branch, the newest first, to edit one of them.
func (m *Model) openEdits() tea.Cmd {
	if m.turn.Busy {
		return m.lacks(keymap.NeedIdle)
	}
	messages := m.chat.Messages
	return m.ctx.Run(func(ctx context.Context) tea.Msg {
		items, err := readEdits(ctx, messages, time.Now())
		return app.Then(func() tea.Cmd { return m.listEdits(items, err) })
	})
}

func readEdits(ctx context.Context, messages branch.Branch, now time.Time) (items []list.Item, err error) {
	err = messages.Each(ctx, 0, messages.Len(), func(i int, message store.Message) error {
		if message.Role == history.User && !message.Damaged {
			items = append(items, list.Item{
				Label: markdown.OneLine(message.Content, 400),
				Right: "message " + theme.Thousands(i+1) + " · " + theme.Ago(now, time.UnixMilli(message.CreatedMS)),
				Value: strconv.FormatInt(message.ID, 10),
			})
		}
		return nil
	})
	slices.Reverse(items)
	return items, err
}

func (m *Model) listEdits(items []list.Item, err error) tea.Cmd {
	switch {
	case m.overlays.any() || m.turn.Busy || errors.Is(err, context.Canceled):
		return nil
	case err != nil:
		return m.notice.Error(theme.Sentence(err))
	case len(items) == 0:
		return m.notice.Say("There is no message of yours to edit yet.")
	}
	m.overlays.open(newList(m, list.Options{Title: "edit an earlier message", Does: "edit"}, items,
		func(value string) tea.Cmd {
			id, _ := strconv.ParseInt(value, 10, 64)
			return m.startEdit(id)
		}))
	m.notice.Hush() // it told how to come here
	return nil
}

// versionSwitched shows the branch that is the active one now, with the cursor where it parts from the one
// before. What was about messages of the other branch is over.
func (m *Model) versionSwitched(v session.Version) tea.Cmd {
	m.panel.ToNext()
	m.composer.EndEdit()
	m.chat.Unselect()
	m.inspector.Forget()
	m.current.Info = m.current.Session.Info()
	m.chat.Follow(m.current.Session.Branch())
	m.chat.GoTo(v.Message)
	sentence := fmt.Sprintf("%s: version %d of %d.", theme.UpperFirst(m.chat.NumbersOf(v.Message)), v.Nth, v.Of)
	return tea.Batch(m.notice.Say(sentence), m.draftChanged(), m.chat.SearchOn())
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
	at, _ := m.chat.Messages.Find(message.ID)
	for at >= 0 && m.chat.Messages.Role(at) != history.User {
		at--
	}
	if why := m.whyNot(keymap.Again); why != nil {
		return why
	}
	if at < 0 {
		return m.notice.Error("None of your messages comes before this one, so there is nothing to answer.")
	}
	s, behind := m.current.Session, m.chat.Messages.Len()-at-1
	m.composer.EndEdit()
	m.chat.Follow(m.chat.Messages.First(at + 1))
	turn := m.begin(nil, func(ctx context.Context) <-chan session.Event { return s.Regenerate(ctx, message.ID, ref) })
	m.turn.Again = true
	if ref != "" {
		m.chat.Name = transcript.ModelName(ref)
	}
	if behind < 2 {
		return turn
	}
	return tea.Batch(turn, m.notice.Say("The rest is kept: on the new answer, "+m.keys.First(keymap.Earlier)+
		" goes back to it."))
}
