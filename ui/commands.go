package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/composer"
	"winnow/ui/current"
	"winnow/ui/keymap"
	"winnow/ui/settings"
	"winnow/ui/transcript"
)

// Command is one slash command.
type Command struct {
	composer.Command
	run func(*Model, string) tea.Cmd
}

func command(name, args, help string, run func(*Model, string) tea.Cmd, also ...string) Command {
	return Command{composer.Command{Name: name, Also: also, Args: args, Help: help}, run}
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

// Commands lists the slash commands in the order of the palette.
func Commands() []Command {
	return []Command{
		command("context", "", "show the whole request as it would be sent", func(m *Model, _ string) tea.Cmd { return m.inspectRequest() }),
		command("budget", "TOKENS", "the most tokens of a request; auto is max_context_tokens, or less where the window is smaller", setting((*settings.Model).Budget)),
		command("window", "[TOKENS]", "set the model's context window; auto finds it out; alone it says what is known", setting((*settings.Model).Window)),
		command("preset", "[NAME]", "choose how a request is cut; alone it names the presets", setting((*settings.Model).Preset)),
		command("compact", "[off]", "have the model condense all before the last turn, and send that instead; off sends the messages again", (*Model).compact),
		command("pin", "[NUMBERS]", "pin the selected messages, or those named as in 3 5-8: always sent whole", flagging(history.Pin)),
		command("exclude", "[NUMBERS]", "exclude the selected messages, or those named: never sent", flagging(history.Exclude)),
		command("auto", "[NUMBERS]", "give the selected messages, or those named, back to the rules", flagging("")),
		command("undo", "", "undo the last pin, exclude or auto", func(m *Model, _ string) tea.Cmd { return m.do(keymap.TakeBack) }),
		command("repair", "", "list what was repaired, and have it sent otherwise", func(m *Model, _ string) tea.Cmd { return m.openRepairs() }, "repairs"),
		command("whatif", "", "try another budget, preset, placement or model out", func(m *Model, _ string) tea.Cmd { return m.openWhatif() }),
		command("usage", "", "sum up the tokens and costs of the session, the day and the month", setting((*settings.Model).Usage)),
		command("search", "TEXT", "find a text in the conversation, and what the model sees of it", (*Model).search),
		command("alone", "TEXT", "send a message without the conversation before it", func(m *Model, text string) tea.Cmd { return m.sendAlone(text, false) }),
		command("resume", "[WORDS]", "open another session, found by the words of its title", (*Model).openSessions, "sessions", "continue"),
		command("new", "", "start a new session; this one stays", func(m *Model, _ string) tea.Cmd { return m.do(keymap.New) }, "clear"),
		command("temporary", "", "start a chat that leaves nothing on disk", func(m *Model, _ string) tea.Cmd {
			return m.leaveFor(func(o *current.Model) tea.Cmd {
				return o.Temporary()
			})
		}),
		command("fork", "", "go on in a session of its own; this one stays", func(m *Model, _ string) tea.Cmd { return m.fork(0) }),
		command("keep", "", "store a temporary chat after all", func(m *Model, _ string) tea.Cmd { return m.current.Keep() }),
		command("rename", "TITLE", "give the session a title", setting((*settings.Model).Rename)),
		command("title", "", "have a title written for the session", setting((*settings.Model).Retitle)),
		command("attach", "PATH", "hang files on the message: texts, and pictures", func(m *Model, args string) tea.Cmd { return m.composer.Attach(args) }),
		command("copy", "[NUMBERS]", "copy the selected messages, else the last answer; or those named, or code for its last block", func(m *Model, args string) tea.Cmd { return m.copyMessages(args) }),
		command("export", "[FORMAT] [FILE]", "write the session to a file: md, jsonl, prompt or json", setting((*settings.Model).ExportTo)),
		command("model", "[ENDPOINT/MODEL]", "choose the model", setting((*settings.Model).ChooseModel)),
		command("system", "[TEXT]", "set the session's system prompt; alone it opens in your editor", setting((*settings.Model).System)),
		command("persona", "[NAME]", "take the system prompt from a file of yours; alone it lists them", setting((*settings.Model).ChoosePersona)),
		command("tools", "", "list the tools of the model with their costs, and say what they may do", setting((*settings.Model).Tools)),
		command("thinking", "", "show or hide the model's reasoning", func(m *Model, _ string) tea.Cmd { return m.do(keymap.Reason) }),
		command("retry", "", "ask again; an earlier answer is kept", func(m *Model, _ string) tea.Cmd { return m.askAgain(store.Message{}) }),
		command("theme", "[NAME]", "choose the colours; alone it lists the themes and tries them out", setting((*settings.Model).Theme)),
		command("mouse", "", "give the mouse to the terminal, to select text with it, or take it back", func(m *Model, _ string) tea.Cmd { return m.toggleMouse() }),
		command("help", "", "show the keys and commands", func(m *Model, _ string) tea.Cmd { return m.openHelp() }),
		command("quit", "", "leave winnow", func(m *Model, _ string) tea.Cmd { return m.quit() }, "exit"),
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
	name, args, _ := strings.Cut(strings.TrimPrefix(draft, "/"), " ")
	args = strings.TrimSpace(args)
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
		return m.notice.Error(fmt.Sprintf("There is no command /%s. A space in front of the slash sends it as a message.", name))
	case c.Args == "" && args != "":
		return m.notice.Error("/" + name + " takes nothing after it.")
	case c.Needs() && args == "":
		return m.notice.Error("It is " + c.Usage() + ".")
	case len(m.composer.Drafted().Files) > 0:
		return m.notice.Error("The draft has files, which go with a message and not with a command.")
	}
	m.composer.Remember(store.Draft{Text: draft})
	m.composer.Set("")
	m.surround()
	return c.run(m, args)
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
		return m.notice.Error("It is /compact, or /compact off.")
	}
	return m.inSettings((*settings.Model).NoSummary)
}
