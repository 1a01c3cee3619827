package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
	"winnow/ui/composer"
	"winnow/ui/current"
	"winnow/ui/keymap"
	"winnow/ui/settings"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// Command is one slash command.
type Command struct {
	composer.Command
	run   func(*Model, string) tea.Cmd
	key   keymap.Action // does the same, "" for none
	lines bool          // its argument may have several lines
}

func command(name, args, help string, run func(*Model, string) tea.Cmd, also ...string) Command {
	return Command{Command: composer.Command{Name: name, Also: also, Args: args, Help: help}, run: run}
}

// on names the key that does the same as a command.
func (c Command) on(key keymap.Action) Command {
	c.key = key
	return c
}

// inLines lets the argument of a command have several lines.
func (c Command) inLines() Command {
	c.lines = true
	return c
}

// flagging is a command that gives messages that are named by their numbers a flag, else the selected ones.
func flagging(f history.Flag) func(*Model, string) tea.Cmd {
	return func(m *Model, numbers string) tea.Cmd {
		if numbers == "" {
			return m.flag(f)
		}
		return m.inTranscript(func(c *transcript.Model) tea.Cmd { return c.FlagNamed(f, numbers) })
	}
}

// Commands lists the slash commands in the order of the palette: what is used daily comes first.
func Commands() []Command {
	return []Command{
		command("new", "", "start a new chat; this one stays",
			func(m *Model, _ string) tea.Cmd { return m.do(keymap.New) }, "clear").on(keymap.New),
		command("resume", "[WORDS]", "open another chat, by title", (*Model).openSessions, "sessions",
			"continue").on(keymap.Sessions),
		command("model", "[ENDPOINT/MODEL]", "choose the model",
			setting((*settings.Model).ChooseModel)).on(keymap.Models),
		command("attach", "PATH", "attach text files, images, or a web page by its address",
			func(m *Model, args string) tea.Cmd { return m.composer.Attach(args) }),
		command("copy", "[NUMBERS]", "copy the last answer, the selected or named messages, or code",
			func(m *Model, args string) tea.Cmd { return m.copyMessages(args) }).on(keymap.Copy),
		command("retry", "[MODEL]", "ask again, or ask another model; both answers are kept",
			func(m *Model, ref string) tea.Cmd { return m.askAgain(store.Message{}, ref) }).on(keymap.Again),
		command("search", "TEXT", "find text in this chat, sent or not", (*Model).search).on(keymap.Find),
		command("context", "", "show the whole request as it would be sent",
			func(m *Model, _ string) tea.Cmd { return m.inspectRequest() }).on(keymap.Request),
		command("compact", "[off]", "summarise older messages and send the summary; off undoes it", (*Model).compact),
		command("pin", "[NUMBERS]", "always send the selected or named (3 5-8) messages whole",
			flagging(history.Pin)).on(keymap.Pin),
		command("exclude", "[NUMBERS]", "never send the selected or named messages",
			flagging(history.Exclude)).on(keymap.Exclude),
		command("auto", "[NUMBERS]", "remove pin or exclusion from the selected or named messages",
			flagging("")).on(keymap.Auto),
		command("undo", "", "undo the last pin, exclude or auto",
			func(m *Model, _ string) tea.Cmd { return m.do(keymap.TakeBack) }).on(keymap.TakeBack),
		command("whatif", "", "try another budget, preset, placement or model",
			func(m *Model, _ string) tea.Cmd { return m.openWhatif() }).on(keymap.WhatIf),
		command("budget", "TOKENS", "limit the tokens of a request; auto fits the model’s window",
			setting((*settings.Model).Budget)),
		command("window", "[TOKENS]", "set the model’s context window; auto detects it",
			setting((*settings.Model).Window)),
		command("preset", "[NAME]", "choose how requests are cut; alone it lists the presets",
			setting((*settings.Model).Preset)),
		command("repair", "", "list what was repaired, and choose what is sent instead",
			func(m *Model, _ string) tea.Cmd { return m.openRepairs() }, "repairs").on(keymap.Repairs),
		command("usage", "", "show the tokens and costs of chat, day and month", setting((*settings.Model).Usage)),
		command("alone", "TEXT", "send a message without the chat before it",
			func(m *Model, text string) tea.Cmd { return m.sendAlone(text, false) }).inLines(),
		command("queue", "", "list the queued messages, to take one back or remove it",
			func(m *Model, _ string) tea.Cmd { return openQueue(m) }),
		command("temporary", "", "start a chat that isn’t saved", func(m *Model, _ string) tea.Cmd {
			return m.leaveFor(func(o *current.Model) tea.Cmd {
				return o.Temporary()
			})
		}),
		command("keep", "", "save a temporary chat", func(m *Model, _ string) tea.Cmd {
			return m.current.Keep()
		}),
		command("fork", "", "continue in a copy of this chat; this one stays",
			func(m *Model, _ string) tea.Cmd { return m.fork(0) }).on(keymap.Fork),
		command("rename", "TITLE", "give the chat a title", setting((*settings.Model).Rename)),
		command("title", "", "ask the model for a title", setting((*settings.Model).Retitle)),
		command("export", "[FORMAT] [FILE]", "write the chat to a file: md, html, jsonl, prompt, json",
			setting((*settings.Model).ExportTo)),
		command("system", "[TEXT]", "set the system prompt; alone it opens in your editor",
			setting((*settings.Model).System)).inLines(),
		command("persona", "[NAME]", "use one of your system prompts; alone it lists them",
			setting((*settings.Model).ChoosePersona)),
		command("tools", "", "list the tools and their costs; set what they may do", setting((*settings.Model).Tools)),
		command("thinking", "", "show or hide the model’s reasoning",
			func(m *Model, _ string) tea.Cmd { return m.do(keymap.Reason) }).on(keymap.Reason),
		command("theme", "[NAME]", "choose the colours; alone it lists the themes", setting((*settings.Model).Theme)),
		command("mouse", "", "let the terminal handle the mouse, or winnow again", func(m *Model, _ string) tea.Cmd {
			return m.toggleMouse()
		}),
		command("doctor", "", "check the files, the terminal and the endpoints", setting((*settings.Model).Examine)),
		command("help", "", "show the keys and commands",
			func(m *Model, _ string) tea.Cmd { return m.openHelp() }).on(keymap.Help),
		command("quit", "", "quit", func(m *Model, _ string) tea.Cmd { return m.quit() }, "exit").on(keymap.Quit),
	}
}

// commandNamed finds a command by any of its names.
func commandNamed(name string) (Command, bool) {
	for _, c := range Commands() {
		if c.Name == name {
			return c, true
		}
		for _, also := range c.Also {
			if also == name {
				return c, true
			}
		}
	}
	return Command{}, false
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
	case c.Args == "" && args != "":
		return m.notice.Error(fmt.Sprintf("/%s takes no arguments. %s", name, theme.AsMessage))
	case strings.Contains(draft, "\n") && !c.lines:
		return m.notice.Error(fmt.Sprintf("/%s takes one line. %s", name, theme.AsMessage))
	case c.Needs() && args == "":
		return m.notice.Error("Usage: " + c.Usage() + ".")
	case len(m.composer.Drafted().Files) > 0:
		return m.notice.Error("The draft has attachments, which cannot be sent with a command.")
	}
	m.composer.Remember(store.Draft{Text: draft})
	m.composer.Set("")
	m.surround()
	return c.run(m, args)
}

// unknownCommand says that there is no command of a name, and which one was probably meant.
func unknownCommand(name string) string {
	var names []string
	for _, c := range Commands() {
		names = append(append(names, c.Name), c.Also...)
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
