package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/dialog"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/sessions"
	"winnow/ui/theme"
)

// scope is what the keys are for now, and what it is called. A text to read has no keys of its own.
func (m *Model) scope() (name string, in keymap.Scope) {
	switch d := m.dialogs.Top().(type) {
	case *sessions.Model:
		return "chats", keymap.InSessions
	case *dialog.Picker:
		return d.Options.Title, keymap.InLists
	case *dialog.Reader:
		return "", 0
	case *inspector.Model:
		switch {
		case d.On.Message == 0:
			return "whole request", keymap.InRequest
		case d.At == inspector.RepairView:
			return "repairs", keymap.InRepairs
		}
		return "inspector", keymap.InInspector
	}
	switch {
	case m.focus == transcriptPane:
		return "transcript", keymap.InTranscript
	case m.focus == panelPane, m.Panel.Whatif != nil:
		return "panel", keymap.InPanel
	case m.focus == questionPane:
		return "tool question", keymap.InQuestion
	case m.ReadOnly:
		return "chat open in another window", keymap.InOtherWindow
	}
	return "draft", keymap.InDraft
}

// openHelp lists the keys of what is on the screen, those that work everywhere, the other keys, the commands and the
// signs.
func (m *Model) openHelp() tea.Cmd {
	name, scope := m.scope()
	var here, everywhere, elsewhere []list.Item
	for _, b := range m.Keys.Table() {
		key := m.Keys.First(b.Action)
		item := list.Item{
			Label: strings.Join(b.Keys(), " "), About: b.Help().Desc, Also: string(b.Action),
			Group: theme.UpperFirst(b.Section), Value: key + ": close the help first.",
		}
		switch {
		case b.Section == "everywhere":
			everywhere = append(everywhere, item)
		case b.Where&scope != 0:
			item.Group = "Here: " + name
			here = append(here, item)
		default:
			item.Value = key + " belongs to another screen: " + b.Section + "."
			elsewhere = append(elsewhere, item)
		}
	}
	items := slices.Concat(here, everywhere, elsewhere)
	for _, c := range m.commandItems() {
		c.Group, c.Value = "Commands", "/"+c.Value
		items = append(items, c)
	}
	for _, s := range signs {
		items = append(items, list.Item{
			Label: s.glyph + " " + s.word, About: s.means, Group: "Signs", Value: s.glyph + " means: " + s.means + ".",
		})
	}
	help := list.New(m.Context, list.Options{
		Title: "Help", Prompt: "Type to filter", Does: "run", Adds: "complete", Also: keymap.Help, Wraps: true,
	}, items...)
	m.dialogs.List(help, m.helpWith(m.takeCommand), m.helpWith(m.writeCommand)).Stays = true
	return nil
}

// helpWith does something with a command of the help, and says where any other line of it holds.
func (m *Model) helpWith(do func(command string) tea.Cmd) func(value string) tea.Cmd {
	return func(value string) tea.Cmd {
		name, command := strings.CutPrefix(value, "/")
		if !command {
			return m.notice.Say(value)
		}
		m.bare()
		return do(name)
	}
}

// signs are the signs beside messages.
var signs = []struct{ glyph, word, means string }{
	{"●", "whole", "the model sees the whole message"},
	{"◐", "cut", "the model sees a part of it"},
	{"○", "dropped", "the model does not see it"},
	{"◆", "pinned", "always sent whole, because you said so"},
	{"⊘", "excluded", "never sent, because you said so"},
	{"▲", "repaired", "something else is sent in place of what is damaged"},
	{"✚", "added", "text that winnow adds to the request"},
	{"↺", "recalled", "an old message that is sent because the new one is about it"},
}
