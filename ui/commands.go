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

// Command is a command of the palette. One with a Name is a slash command too.
type Command struct {
	slash.Command
	title string                              // set if only the palette has the command
	group string                              // heading in the unfiltered list; "" if only typing finds it
	key   keymap.Action                       // the key action that does the same, "" for none
	run   func(m *Model, args string) tea.Cmd // nil performs the action of key
}

// Title returns the command as it is typed, or its title if only the palette has it.
func (c Command) Title() string { return cmp.Or(c.title, c.Usage()) }

// value identifies the command in a list.
func (c Command) value() string { return cmp.Or(c.title, c.Name) }

// named returns a slash command.
func named(
	name, group string, key keymap.Action, run func(*Model, string) tea.Cmd,
) Command {
	return Command{slash.Named(name), "", group, key, run}
}

// titled returns a command that only the palette has.
func titled(
	title, help, group string, key keymap.Action, run func(*Model, string) tea.Cmd,
) Command {
	return Command{slash.Command{Help: help}, title, group, key, run}
}

// setting adapts a method of the settings to a command.
func setting(do func(*settings.Model, string) tea.Cmd) func(*Model, string) tea.Cmd {
	return func(m *Model, args string) tea.Cmd { return do(m.settings, args) }
}

// flagging returns a command that sets the flag of the selected messages.
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

// Commands lists all commands in the order of the palette: first those of the unfiltered list, by group, then the
// others.
func Commands() []Command {
	return []Command{
		named("new", chatGroup, keymap.New, nil),
		named("chats", chatGroup, keymap.Sessions, (*Model).openSessions),
		named("attach", chatGroup, "", func(m *Model, args string) tea.Cmd { return m.composer.Attach(args) }),
		named("copy", chatGroup, keymap.Copy, func(m *Model, args string) tea.Cmd { return m.Chat.CopyCommand(args) }),
		named("context", contextGroup, keymap.Request, nil),
		titled("What if…", "try another budget, preset or model", contextGroup, keymap.WhatIf, nil),
		named("compact", contextGroup, "", func(m *Model, args string) tea.Cmd { return palette{m}.compact(args) }),
		named("model", modelGroup, keymap.Models, setting((*settings.Model).ModelCommand)),
		named("system", modelGroup, "", setting((*settings.Model).SystemCommand)),
		named("tools", modelGroup, "", setting((*settings.Model).ToolsCommand)),
		named("help", moreGroup, keymap.Help, nil),
		named("quit", moreGroup, keymap.Quit, nil),

		named("retry", "", keymap.Again,
			func(m *Model, ref string) tea.Cmd { return m.askAgain(store.Message{}, ref) }),
		named("search", "", keymap.Find, (*Model).search),
		named("fork", "", keymap.Fork, func(m *Model, _ string) tea.Cmd { return m.fork(0) }),
		named("rename", "", "", setting((*settings.Model).RenameCommand)),
		named("title", "", "", setting((*settings.Model).TitleCommand)),
		named("export", "", "", setting((*settings.Model).ExportCommand)),
		named("alone", "", "", func(m *Model, text string) tea.Cmd { return m.sendAlone(text, false) }),
		named("budget", "", "", setting((*settings.Model).BudgetCommand)),
		named("window", "", "", setting((*settings.Model).WindowCommand)),
		named("preset", "", "", setting((*settings.Model).PresetCommand)),
		named("persona", "", "", setting((*settings.Model).PersonaCommand)),
		named("thinking", "", keymap.Reasoning, nil),
		named("repair", "", keymap.Repairs, nil),
		named("undo", "", keymap.TakeBack, nil),
		named("doctor", "", "", setting((*settings.Model).DoctorCommand)),

		titled("Pin", "always send the selected messages whole", "", keymap.Pin, flagging(history.Pin)),
		titled("Exclude", "never send the selected messages", "", keymap.Exclude, flagging(history.Exclude)),
		titled("Automatic", "no longer pin or exclude the selection", "", "", flagging("")),
		titled("Temporary chat", "start a chat that isn’t saved", "", "",
			func(m *Model, _ string) tea.Cmd { return m.leaveFor(m.OpenTemporary()) }),
		titled("Save this chat", "save a temporary chat", "", "",
			func(m *Model, _ string) tea.Cmd { return m.saveTemporary() }),
		titled("Usage", "tokens and costs of chat, day and month", "", "", setting((*settings.Model).UsageCommand)),
		titled("Theme…", "choose the colours", "", "", setting((*settings.Model).ThemeCommand)),
		titled("Mouse", "give the mouse to the terminal, or take it back", "", "",
			func(m *Model, _ string) tea.Cmd { return palette{m}.toggleMouse() }),
	}
}

// palette runs commands, which are chosen from a list or typed into the draft after a slash.
type palette struct{ *Model }

// open lists the commands: at first a dozen of them, by group; typing finds the others.
func (p palette) open() tea.Cmd {
	p.dialogs.OpenList(list.New(p.Context, list.Options{
		Title: "commands", Placeholder: "Find a command", ChooseHint: "run", CloseAction: keymap.Palette,
		GroupsFirst: true,
	}, p.items()...), p.choose)
	return nil
}

// items returns the commands as items of a list.
func (p palette) items() (items []list.Item) {
	for _, c := range Commands() {
		item := list.Item{
			Label: c.Title(), Description: c.Help, Group: c.group, Value: c.value(),
		}
		if c.key != "" {
			item.Right = p.Keys.First(c.key)
		}
		items = append(items, item)
	}
	return items
}

// commandNamed returns the slash command with a name, or another command by its title.
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

// choose runs a command of the palette, or writes it into the draft if it needs arguments.
func (p palette) choose(name string) tea.Cmd {
	c, _ := commandNamed(name)
	if c.NeedsArgs() {
		return p.writeDraft(name)
	}
	if c.Name != "" {
		p.composer.RememberPrompt(store.Draft{Text: "/" + name})
	}
	return c.run(p.Model, "")
}

// writeDraft writes a slash command into the draft, to be completed.
func (p palette) writeDraft(name string) tea.Cmd {
	if !p.composer.Empty() {
		return p.notice.Error("/" + name + " is written in an empty draft: send or clear the draft first.")
	}
	p.clearOverlays()
	p.setFocus(draftPane)
	p.composer.SetDraft("/" + name + " ")
	return nil
}

// run runs the command in a draft that begins with a slash.
func (p palette) run(draft string) tea.Cmd {
	name, args := slash.Split(draft)
	c, ok := commandNamed(name)
	if !ok && len(p.composer.CurrentDraft().Files) == 0 {
		if cmd, written := p.composer.RunServerPrompt(name, args); written {
			p.composer.RememberPrompt(store.Draft{Text: draft})
			p.composer.SetDraft("")
			return cmd
		}
	}
	switch {
	case !ok:
		return p.notice.Error(unknownCommand(name))
	case c.Misuse(draft) != "":
		return p.notice.Error(c.Misuse(draft))
	case len(p.composer.CurrentDraft().Files) > 0:
		return p.notice.Error("The draft has attachments, which cannot be sent with a command.")
	}
	p.composer.RememberPrompt(store.Draft{Text: draft})
	p.composer.SetDraft("")
	return c.run(p.Model, args)
}

// unknownCommand says that there is no command with a name, and which one was probably meant.
func unknownCommand(name string) string {
	var names []string
	for _, c := range slash.All() {
		names = append(names, c.Name)
	}
	text := fmt.Sprintf("There is no command /%s. ", name)
	if near := llm.NearestName(name, names); near != "" {
		text += fmt.Sprintf("Did you mean /%s? ", near)
	}
	return text + slash.AsMessageHint
}

// compact has the older messages summarised, or sends them in full again.
func (p palette) compact(args string) tea.Cmd {
	switch {
	case p.Turn.Busy:
		return p.explainNeed(keymap.NeedIdle)
	case args == "":
		turn := p.begin(nil, p.Session.Compact)
		p.Turn.Compacting = true
		return turn
	case args != "off":
		return p.notice.Error("Usage: /compact, or /compact off.")
	}
	return p.settings.CompactOff()
}

// toggleMouse leaves the mouse to the terminal, for selecting text, or takes it back.
func (p palette) toggleMouse() tea.Cmd {
	p.frame.Mouse = !p.frame.Mouse
	if p.frame.Mouse {
		return p.notice.Say("The mouse scrolls, selects messages and copies the text you drag over.")
	}
	return p.notice.Say("The terminal handles the mouse and selects text. “Mouse” in the commands switches back.")
}
