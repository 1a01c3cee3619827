package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/atotto/clipboard"
	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/current"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/transcript"
)

// transcriptScreen is what the transcript has the screen do.
func (m *Model) transcriptScreen() transcript.Screen {
	return transcript.Screen{
		Do: m.do, Moved: m.lead, Hush: m.notice.Hush, Copy: copyText,
		Draft:  func() { m.setFocus(draftPane) },
		Replan: m.draftChanged,
		Past:   func() bool { return m.panel.Past != nil },
		Trial:  func() bool { return m.panel.Whatif != nil },
	}
}

// do does an action of the panes, or says why it cannot be done now. It is about the message under the transcript's
// cursor.
func (m *Model) do(a keymap.Action) tea.Cmd {
	if why := m.whyNot(a); why != nil {
		return why
	}
	message, _ := m.chat.Selected()
	if does := m.actions(message)[a]; does != nil {
		return does()
	}
	return nil
}

// actions are what the actions do to a message.
func (m *Model) actions(on store.Message) map[keymap.Action]func() tea.Cmd {
	quietly := func(do func()) func() tea.Cmd {
		return func() tea.Cmd { do(); return nil }
	}
	return map[keymap.Action]func() tea.Cmd{
		keymap.Palette:   m.openPalette,
		keymap.New:       func() tea.Cmd { return m.leaveFor((*current.Model).New) },
		keymap.Sessions:  func() tea.Cmd { return m.openSessions("") },
		keymap.Models:    func() tea.Cmd { return m.settings.ChooseModel("") },
		keymap.Context:   m.togglePanel,
		keymap.Reason:    m.toggleReasoning,
		keymap.PageUp:    quietly(func() { m.chat.Page(-1) }),
		keymap.PageDown:  quietly(func() { m.chat.Page(1) }),
		keymap.ListUp:    quietly(func() { m.chat.Scroll(-1) }),
		keymap.ListDown:  quietly(func() { m.chat.Scroll(1) }),
		keymap.Focus:     quietly(func() { m.turnFocus(1) }),
		keymap.FocusBack: quietly(func() { m.turnFocus(-1) }),
		keymap.Inspect:   func() tea.Cmd { return m.inspect(inspector.Subject{Message: on.ID}, inspector.TextView) },
		keymap.Copy:      func() tea.Cmd { return m.copyMessages("") },
		keymap.CopyCode:  func() tea.Cmd { return m.copyMessages("code") },
		keymap.Again:     func() tea.Cmd { return m.askAgain(on, "") },
		keymap.AgainWith: func() tea.Cmd { return m.settings.AnswerWith(on.ID) },
		keymap.Edit:      func() tea.Cmd { return m.startEdit(on.ID) },
		keymap.Earlier:   func() tea.Cmd { return m.current.SwitchVersion(on.ID, -1) },
		keymap.Later:     func() tea.Cmd { return m.current.SwitchVersion(on.ID, 1) },
		keymap.Fork:      func() tea.Cmd { return m.fork(on.ID) },
		keymap.ForkOff:   func() tea.Cmd { return m.fork(0) },
		keymap.Seen:      m.openPast,
		keymap.WhatIf:    m.openWhatif,
		keymap.Repairs:   m.openRepairs,
		keymap.Request:   m.inspectRequest,
		keymap.Pin:       func() tea.Cmd { return m.toggle(history.Pin) },
		keymap.Exclude:   func() tea.Cmd { return m.toggle(history.Exclude) },
		keymap.TakeBack:  m.chat.Undo,
		keymap.Help:      m.openHelp,
		keymap.Quit:      m.quit,
		keymap.Choose:    m.current.TakeOver,
	}
}

// toggleReasoning unfolds all reasoning or folds it.
func (m *Model) toggleReasoning() tea.Cmd {
	shown, text := !m.chat.Thinking, "Reasoning is hidden."
	if shown {
		text = "Reasoning is shown."
	}
	m.chat.ShowReasoning(shown)
	return tea.Batch(m.notice.Say(text), m.settings.Remember(m.settings.Memory.Reasoning(shown)))
}

// whyNot says why an action cannot be done now, nil where it can.
func (m *Model) whyNot(a keymap.Action) tea.Cmd {
	why := m.Keys.WhyNot(a, func(n keymap.Need) bool {
		switch n {
		case keymap.NeedOwn:
			return !m.ReadOnly
		case keymap.NeedIdle:
			return !m.turn.Busy
		case keymap.NeedWhole:
			return m.Session.Now().Whole
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

// toggle gives the messages that a key is for a flag, or takes it away where all of them have it.
func (m *Model) toggle(f history.Flag) tea.Cmd {
	ids := m.chat.Targets()
	if on := m.panel.Chosen().Entry; on != nil && m.focus == panelPane && !m.chat.Selecting() {
		ids = []int64{on.ID}
	}
	flags := m.Session.Now().Flags
	if len(ids) > 0 && !slices.ContainsFunc(ids, func(id int64) bool { return flags[id] != f }) {
		f = ""
	}
	return m.flag(f)
}

// flag gives the selected messages a flag, else the one under the cursor.
func (m *Model) flag(f history.Flag) tea.Cmd {
	if on := m.panel.Chosen(); m.focus == panelPane && !m.chat.Selecting() {
		switch {
		case on.Entry != nil:
			return m.chat.FlagThese(f, on.Entry.ID)
		case on.Added != nil:
			return m.notice.Say("winnow added this text; it depends on the messages around it.")
		}
	}
	return m.chat.Flag(f)
}

// search looks for a text in the transcript.
func (m *Model) search(text string) tea.Cmd {
	fromDraft := m.focus == draftPane
	m.setFocus(transcriptPane)
	return m.chat.SearchFor(text, fromDraft)
}

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
		m.panel.GoTo(message.ID)
	}
}

// copyText gives a text to the terminal and to the system's clipboard.
func copyText(what, text string) tea.Cmd {
	return tea.Batch(tea.Raw(ansi.SetSystemClipboard(text)), func() tea.Msg {
		return copied(what, clipboard.WriteAll(text))
	})
}

// copied says what became of a text for the system's clipboard, which goes through the terminal as well.
func copied(what string, err error) notice.Sentence {
	if err != nil {
		return notice.Sentence{Text: "sent " + what + " to the terminal’s clipboard", Done: true}
	}
	return notice.Sentence{Text: "copied " + what, Done: true}
}

// copyMessages copies a message, the selected ones, or for "code" a code block.
func (m *Model) copyMessages(args string) tea.Cmd {
	source := m.chat.ToCopy
	switch args {
	case "":
	case "code":
		source = m.chat.CodeToCopy
	default:
		return m.notice.Error("Usage: /copy, or /copy code for the last code block.")
	}
	what, text, fault := source(m.focus == transcriptPane)
	if fault != "" {
		return m.notice.Error(fault)
	}
	return copyText(what, text)
}
