package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/dialog"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/sessions"
)

// scope returns which part of the screen gets the keys, and its name for the help. A dialog.Reader has no scope.
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
		case d.Subject.Message == 0:
			return "whole request", keymap.InRequest
		case d.ActiveView == inspector.RepairView:
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

// help lists the keys of the current scope, the other keys, the commands and the signs.
func (p palette) help() tea.Cmd {
	name, scope := screenOf(p.Model).scope()
	p.dialogs.OpenHelp(p.Context, name, scope, p.items(), p.helped)
	return nil
}

// helped runs the command that was chosen in the help, "" for a line that is no command.
func (p palette) helped(name string) tea.Cmd {
	if name == "" {
		return p.notice.Say("This is not a command; " + p.Keys.First(keymap.Back) + " closes the help.")
	}
	p.clearOverlays()
	return p.choose(name)
}
