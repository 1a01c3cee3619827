package ui

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
	"winnow/ui/current"
	"winnow/ui/keymap"
	"winnow/ui/settings"
	"winnow/ui/slash"
	"winnow/ui/theme"
)

// Command is what the palette runs. One with a name is a slash command too.
type Command struct {
	slash.Command
	title string // of one that only the palette has, "" for a slash command
	group string // where it stands before anything is typed, "" where typing finds it
	run   func(*Model, string) tea.Cmd
	key   keymap.Action // does the same, "" for none
}

// Title is the command as it is typed, or as the palette names it.
func (c Command) Title() string {
	if c.title != "" {
		return c.title
	}
	return c.Usage()
}

// value stands for the command in a list.
func (c Command) value() string { return cmp.Or(c.title, c.Name) }

// command makes a slash command.
func command(name string, run func(*Model, string) tea.Cmd) Command {
	return Command{Command: slash.Named(name), run: run}
}

// action makes a command that only the palette has.
func action(title, help string, run func(*Model) tea.Cmd) Command {
	return Command{Command: slash.Command{Help: help}, title: title, run: alone(run)}
}

// alone is a command that takes no arguments.
func alone(run func(*Model) tea.Cmd) func(*Model, string) tea.Cmd {
	return func(m *Model, _ string) tea.Cmd { return run(m) }
}

// doing is a command that does what a key does.
func doing(a keymap.Action) func(*Model, string) tea.Cmd {
	return func(m *Model, _ string) tea.Cmd { return m.do(a) }
}

// in puts a command among those that the palette opens with.
func (c Command) in(group string) Command {
	c.group = group
	return c
}

// on names the key that does the same as a command.
func (c Command) on(key keymap.Action) Command {
	c.key = key
	return c
}

// The groups of the palette.
const (
	chatGroup    = "Chat"
	contextGroup = "Context"
	modelGroup   = "Model"
	moreGroup    = "More"
)

// Commands lists the commands in the order of the palette: those that it opens with, by their groups, then the others.
func Commands() []Command {
	return []Command{
		command("new", doing(keymap.New)).on(keymap.New).in(chatGroup),
		command("chats", (*Model).openSessions).on(keymap.Sessions).in(chatGroup),
		command("attach", func(m *Model, args string) tea.Cmd { return m.composer.Attach(args) }).in(chatGroup),
		command("copy", (*Model).copyMessages).on(keymap.Copy).in(chatGroup),
		command("context", alone((*Model).inspectRequest)).on(keymap.Request).in(contextGroup),
		action("What if…", "try another budget, preset or model", (*Model).openWhatif).
			on(keymap.WhatIf).in(contextGroup),
		command("compact", (*Model).compact).in(contextGroup),
		command("model", setting((*settings.Model).ChooseModel)).on(keymap.Models).in(modelGroup),
		command("system", setting((*settings.Model).System)).in(modelGroup),
		command("tools", setting((*settings.Model).Tools)).in(modelGroup),
		command("help", alone((*Model).openHelp)).on(keymap.Help).in(moreGroup),
		command("quit", alone((*Model).quit)).on(keymap.Quit).in(moreGroup),

		command("retry", func(m *Model, ref string) tea.Cmd { return m.askAgain(store.Message{}, ref) }).
			on(keymap.Again),
		command("search", (*Model).search).on(keymap.Find),
		command("fork", func(m *Model, _ string) tea.Cmd { return m.fork(0) }).on(keymap.Fork),
		command("rename", setting((*settings.Model).Rename)),
		command("title", setting((*settings.Model).Retitle)),
		command("export", setting((*settings.Model).ExportTo)),
		command("alone", func(m *Model, text string) tea.Cmd { return m.sendAlone(text, false) }),
		command("budget", setting((*settings.Model).Budget)),
		command("window", setting((*settings.Model).Window)),
		command("preset", setting((*settings.Model).Preset)),
		command("persona", setting((*settings.Model).ChoosePersona)),
		command("thinking", doing(keymap.Reason)).on(keymap.Reason),
		command("repair", alone((*Model).openRepairs)).on(keymap.Repairs),
		command("undo", doing(keymap.TakeBack)).on(keymap.TakeBack),
		command("doctor", setting((*settings.Model).Examine)),

		action("Pin", "always send the selected messages whole",
			func(m *Model) tea.Cmd { return m.flag(history.Pin) }).on(keymap.Pin),
		action("Exclude", "never send the selected messages",
			func(m *Model) tea.Cmd { return m.flag(history.Exclude) }).on(keymap.Exclude),
		action("Automatic", "remove pin or exclusion from the selected messages",
			func(m *Model) tea.Cmd { return m.flag("") }),
		action("Forks…", "go to the parent or a fork of this chat", (*Model).listForks),
		action("Temporary chat", "start a chat that isn’t saved", func(m *Model) tea.Cmd {
			return m.leaveFor(func(o *current.Model) tea.Cmd { return o.Temporary() })
		}),
		action("Save this chat", "save a temporary chat", func(m *Model) tea.Cmd { return m.current.Keep() }),
		action("Queue", "list the queued messages, to take one back or remove it",
			func(m *Model) tea.Cmd { return m.composer.ListQueue() }),
		action("Usage", "show the tokens and costs of chat, day and month",
			func(m *Model) tea.Cmd { return m.settings.Usage("") }),
		action("Theme…", "choose the colours", func(m *Model) tea.Cmd { return m.settings.Theme("") }),
		action("Mouse", "let the terminal handle the mouse, or winnow again", (*Model).toggleMouse),
	}
}

// SlashCommands are the commands that can be typed in the draft.
func SlashCommands() []Command {
	return slices.DeleteFunc(Commands(), func(c Command) bool { return c.Name == "" })
}

// commandNamed finds a slash command by its name, or any other by its title.
func commandNamed(name string) (Command, bool) {
	all := Commands()
	i := slices.IndexFunc(all, func(c Command) bool { return c.value() == name })
	if i < 0 {
		return Command{}, false
	}
	return all[i], true
}

// runCommand does what a draft that begins with a slash says.
func (m *Model) runCommand(draft string) tea.Cmd {
	name, args := theme.CutCommand(draft)
	c, ok := commandNamed(name)
	if !ok && len(m.composer.Drafted().Files) == 0 {
		if cmd, written := m.composer.WriteDraft(name, args); written {
			m.composer.Remember(store.Draft{Text: draft})
			m.composer.Set("")
			return cmd
		}
	}
	switch {
	case !ok:
		return m.notice.Error(unknownCommand(name))
	case c.Misused(draft) != "":
		return m.notice.Error(c.Misused(draft))
	case len(m.composer.Drafted().Files) > 0:
		return m.notice.Error("The draft has attachments, which cannot be sent with a command.")
	}
	m.composer.Remember(store.Draft{Text: draft})
	m.composer.Set("")
	return c.run(m, args)
}

// unknownCommand says that there is no command of a name, and which one was probably meant.
func unknownCommand(name string) string {
	var names []string
	for _, c := range SlashCommands() {
		names = append(names, c.Name)
	}
	text := fmt.Sprintf("There is no command /%s. ", name)
	if near := llm.Nearest(name, names); near != "" {
		text += fmt.Sprintf("Did you mean /%s? ", near)
	}
	return text + theme.AsMessage
}

// compact has the older messages condensed, or sends them again.
func (m *Model) compact(args string) tea.Cmd {
	switch {
	case m.turn.Busy:
		return m.lacks(keymap.NeedIdle)
	case args == "":
		turn := m.begin(nil, m.current.Session.Compact)
		m.turn.Condensing = true
		return turn
	case args != "off":
		return m.notice.Error("Usage: /compact, or /compact off.")
	}
	return m.settings.NoSummary()
}
