package ui

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/settings"
	"winnow/ui/slash"
)

// Command is what the palette runs. One with a name is a slash command too.
type Command struct {
	slash.Command
	title string                              // of one that only the palette has, "" for a slash command
	group string                              // where it stands before anything is typed, "" where typing finds it
	key   keymap.Action                       // does the same, "" for none
	run   func(m *Model, args string) tea.Cmd // nil does what the key does
}

// Title is the command as it is typed, or as the palette names it.
func (c Command) Title() string { return cmp.Or(c.title, c.Usage()) }

// value stands for the command in a list.
func (c Command) value() string { return cmp.Or(c.title, c.Name) }

// named makes a slash command.
func named(name, group string, key keymap.Action, run func(*Model, string) tea.Cmd) Command {
	return Command{slash.Named(name), "", group, key, run}
}

// titled makes a command that only the palette has.
func titled(title, help, group string, key keymap.Action, run func(*Model, string) tea.Cmd) Command {
	return Command{slash.Command{Help: help}, title, group, key, run}
}

// setting is a command that does something to the settings.
func setting(do func(*settings.Model, string) tea.Cmd) func(*Model, string) tea.Cmd {
	return func(m *Model, args string) tea.Cmd { return do(m.settings, args) }
}

// flagging is a command that gives the selected messages a flag.
func flagging(f history.Flag) func(*Model, string) tea.Cmd {
	return func(m *Model, _ string) tea.Cmd { return m.Flag(f) }
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
		named("new", chatGroup, keymap.New, nil),
		named("chats", chatGroup, keymap.Sessions, (*Model).openSessions),
		named("attach", chatGroup, "", func(m *Model, args string) tea.Cmd { return m.composer.Attach(args) }),
		named("copy", chatGroup, keymap.Copy, func(m *Model, args string) tea.Cmd { return m.Chat.CopyText(args) }),
		named("context", contextGroup, keymap.Request, nil),
		titled("What if…", "try another budget, preset or model", contextGroup, keymap.WhatIf, nil),
		named("compact", contextGroup, "", func(m *Model, args string) tea.Cmd { return palette{m}.compact(args) }),
		named("model", modelGroup, keymap.Models, setting((*settings.Model).ChooseModel)),
		named("system", modelGroup, "", setting((*settings.Model).System)),
		named("tools", modelGroup, "", setting((*settings.Model).Tools)),
		named("help", moreGroup, keymap.Help, nil),
		named("quit", moreGroup, keymap.Quit, nil),

		named("retry", "", keymap.Again,
			func(m *Model, ref string) tea.Cmd { return m.askAgain(store.Message{}, ref) }),
		named("search", "", keymap.Find, (*Model).search),
		named("fork", "", keymap.Fork, func(m *Model, _ string) tea.Cmd { return m.fork(0) }),
		named("rename", "", "", setting((*settings.Model).Rename)),
		named("title", "", "", setting((*settings.Model).Retitle)),
		named("export", "", "", setting((*settings.Model).ExportTo)),
		named("alone", "", "", func(m *Model, text string) tea.Cmd { return m.sendAlone(text, false) }),
		named("budget", "", "", setting((*settings.Model).Budget)),
		named("window", "", "", setting((*settings.Model).Window)),
		named("preset", "", "", setting((*settings.Model).Preset)),
		named("persona", "", "", setting((*settings.Model).ChoosePersona)),
		named("thinking", "", keymap.Reason, nil),
		named("repair", "", keymap.Repairs, nil),
		named("undo", "", keymap.TakeBack, nil),
		named("doctor", "", "", setting((*settings.Model).Examine)),

		titled("Pin", "always send the selected messages whole", "", keymap.Pin, flagging(history.Pin)),
		titled("Exclude", "never send the selected messages", "", keymap.Exclude, flagging(history.Exclude)),
		titled("Automatic", "no longer pin or exclude the selection", "", "", flagging("")),
		titled("Temporary chat", "start a chat that isn’t saved", "", "",
			func(m *Model, _ string) tea.Cmd { return m.leaveFor(m.Temporary()) }),
		titled("Save this chat", "save a temporary chat", "", "",
			func(m *Model, _ string) tea.Cmd { return m.keep() }),
		titled("Usage", "tokens and costs of chat, day and month", "", "", setting((*settings.Model).Usage)),
		titled("Theme…", "choose the colours", "", "", setting((*settings.Model).Theme)),
		titled("Mouse", "give the mouse to the terminal, or take it back", "", "",
			func(m *Model, _ string) tea.Cmd { return palette{m}.toggleMouse() }),
	}
}

// palette is the commands of the application, which a list of them or a slash in the draft runs.
type palette struct{ *Model }

// open lists the commands: at first a dozen of them, by groups; typing finds the rest.
func (p palette) open() tea.Cmd {
	p.dialogs.List(list.New(p.Context, list.Options{
		Title: "commands", Prompt: "Find a command", Does: "run", Also: keymap.Palette, Short: true,
	}, p.items()...), p.take)
	return nil
}

// items are the commands as a list shows them.
func (p palette) items() (items []list.Item) {
	for _, c := range Commands() {
		item := list.Item{Label: c.Title(), About: c.Help, Group: c.group, Value: c.value()}
		if c.key != "" {
			item.Right = p.Keys.First(c.key)
		}
		items = append(items, item)
	}
	return items
}

// commandNamed finds a slash command by its name, or any other by its title.
func commandNamed(name string) (c Command, ok bool) {
	all := Commands()
	i := slices.IndexFunc(all, func(c Command) bool { return c.value() == name })
	if i < 0 {
		return Command{}, false
	}
	if c = all[i]; c.run == nil {
		c.run = func(m *Model, _ string) tea.Cmd { return m.do(c.key) }
	}
	return c, true
}

// take runs a command of the palette, or puts it into the draft where something must follow.
func (p palette) take(name string) tea.Cmd {
	c, _ := commandNamed(name)
	if c.Needs() {
		return p.write(name)
	}
	if c.Name != "" {
		p.composer.Remember(store.Draft{Text: "/" + name})
	}
	return c.run(p.Model, "")
}

// write puts a slash command into the draft.
func (p palette) write(name string) tea.Cmd {
	if !p.composer.Empty() {
		return p.notice.Error("/" + name + " is written in an empty draft: send or clear the draft first.")
	}
	p.bare()
	p.setFocus(draftPane)
	p.composer.SetDraft("/" + name + " ")
	return nil
}

// run does what a draft that begins with a slash says.
func (p palette) run(draft string) tea.Cmd {
	name, args := slash.Cut(draft)
	c, ok := commandNamed(name)
	if !ok && len(p.composer.Drafted().Files) == 0 {
		if cmd, written := p.composer.WriteDraft(name, args); written {
			p.composer.Remember(store.Draft{Text: draft})
			p.composer.SetDraft("")
			return cmd
		}
	}
	switch {
	case !ok:
		return p.notice.Error(unknownCommand(name))
	case c.Misused(draft) != "":
		return p.notice.Error(c.Misused(draft))
	case len(p.composer.Drafted().Files) > 0:
		return p.notice.Error("The draft has attachments, which cannot be sent with a command.")
	}
	p.composer.Remember(store.Draft{Text: draft})
	p.composer.SetDraft("")
	return c.run(p.Model, args)
}

// unknownCommand says that there is no command of a name, and which one was probably meant.
func unknownCommand(name string) string {
	var names []string
	for _, c := range slash.All() {
		names = append(names, c.Name)
	}
	text := fmt.Sprintf("There is no command /%s. ", name)
	if near := llm.NearestName(name, names); near != "" {
		text += fmt.Sprintf("Did you mean /%s? ", near)
	}
	return text + slash.AsMessage
}

// compact has the older messages condensed, or sends them again.
func (p palette) compact(args string) tea.Cmd {
	switch {
	case p.Turn.Busy:
		return p.lacks(keymap.NeedIdle)
	case args == "":
		turn := p.begin(nil, p.Session.Compact)
		p.Turn.Condensing = true
		return turn
	case args != "off":
		return p.notice.Error("Usage: /compact, or /compact off.")
	}
	return p.settings.NoSummary()
}

// toggleMouse gives the mouse to the terminal, which selects text with it, or undoes this.
func (p palette) toggleMouse() tea.Cmd {
	p.frame.Mouse = !p.frame.Mouse
	if p.frame.Mouse {
		return p.notice.Say("The mouse scrolls, selects messages and copies the text you drag over.")
	}
	return p.notice.Say("The terminal handles the mouse and selects text. “Mouse” in the commands switches back.")
}
