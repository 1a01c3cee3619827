package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/dialog"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/sessions"
)

// scope is what the keys are for now, and what it is called. A text to read has no keys of its own.
func (s screen) scope() (name string, in keymap.Scope) {
	m := s.m
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

// help lists the keys of what is on the screen, the other keys, the commands and the signs.
func (p palette) help() tea.Cmd {
	name, scope := screenOf(p.Model).scope()
	p.dialogs.Help(p.Context, name, scope, p.items(), p.helped)
	return nil
}

// helped runs a command of the help.
func (p palette) helped(name string) tea.Cmd {
	if name == "" {
		return p.notice.Say("This is not a command; " + p.Keys.First(keymap.Back) + " closes the help.")
	}
	p.bare()
	return p.take(name)
}
