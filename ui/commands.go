package ui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/theme"
)

// Command is one slash command.
type Command struct {
	Name  string   // without the slash
	Also  []string // other names
	Args  string   // what may follow, "" for nothing; in brackets where it may be left out
	Help  string
	runit func(*Model, string) tea.Cmd
}

// Commands lists the slash commands in the order of the palette.
func Commands() []Command {
	return []Command{
		{"context", nil, "", "show the whole request as it would be sent", func(m *Model, _ string) tea.Cmd { return m.inspectRequest() }},
		{"budget", nil, "TOKENS", "the most tokens of a request; auto is max_context_tokens, or less where the window is smaller", (*Model).setBudget},
		{"window", nil, "[TOKENS]", "set the model's context window; auto finds it out; alone it says what is known", (*Model).setWindow},
		{"preset", nil, "[NAME]", "choose how a request is cut; alone it names the presets", (*Model).setPreset},
		{"compact", nil, "[off]", "have the model condense all before the last exchange, and send that instead; off sends the messages again", (*Model).compact},
		{"pin", nil, "[NUMBERS]", "pin the selected messages, or those named as in 3 5-8: always sent whole", func(m *Model, args string) tea.Cmd { return m.flagNamed(history.Pin, args) }},
		{"exclude", nil, "[NUMBERS]", "exclude the selected messages, or those named: never sent", func(m *Model, args string) tea.Cmd { return m.flagNamed(history.Exclude, args) }},
		{"auto", nil, "[NUMBERS]", "give the selected messages, or those named, back to the rules", func(m *Model, args string) tea.Cmd { return m.flagNamed("", args) }},
		{"undo", nil, "", "undo the last pin, exclude or auto", func(m *Model, _ string) tea.Cmd { return m.undo() }},
		{"repair", []string{"repairs"}, "", "list what was mended, and have it sent otherwise", func(m *Model, _ string) tea.Cmd { return m.openLedger() }},
		{"whatif", nil, "", "try another budget, preset, placement or model out", func(m *Model, _ string) tea.Cmd { return m.openWhatif() }},
		{"search", nil, "TEXT", "find a text in the conversation, and what the model sees of it", (*Model).search},
		{"alone", nil, "TEXT", "send a message without the conversation before it", (*Model).sendAlone},
		{"resume", []string{"sessions", "continue"}, "[WORDS]", "open another session, found by the words of its title", (*Model).openSessions},
		{"new", []string{"clear"}, "", "start a new session; this one stays", func(m *Model, _ string) tea.Cmd { return m.newSession() }},
		{"temporary", nil, "", "start a chat that leaves nothing on disk", func(m *Model, _ string) tea.Cmd { return m.newTemporary() }},
		{"fork", nil, "", "go on in a session of its own; this one stays", func(m *Model, _ string) tea.Cmd { return m.forkHere() }},
		{"keep", nil, "", "store a temporary chat after all", func(m *Model, _ string) tea.Cmd { return m.keepTemporary() }},
		{"rename", nil, "TITLE", "give the session a title", (*Model).rename},
		{"title", nil, "", "have a title written for the session", (*Model).retitle},
		{"attach", nil, "PATH", "hang files on the message: texts, and pictures", (*Model).attach},
		{"copy", nil, "[NUMBERS]", "copy the selected messages, else the last answer; or those named, or code for its last block", (*Model).copyNamed},
		{"export", nil, "[FORMAT] [FILE]", "write the session to a file: md, jsonl, prompt or json", (*Model).export},
		{"model", nil, "[ENDPOINT/MODEL]", "choose the model", (*Model).chooseModel},
		{"system", nil, "[TEXT]", "set the session's system prompt; alone it opens in your editor", (*Model).system},
		{"persona", nil, "[NAME]", "take the system prompt from a file of yours; alone it lists them", (*Model).choosePersona},
		{"thinking", nil, "", "show or hide the model's reasoning", func(m *Model, _ string) tea.Cmd { return m.toggleReasoning() }},
		{"retry", nil, "", "ask again; an earlier answer is kept", func(m *Model, _ string) tea.Cmd { return m.askAgain() }},
		{"theme", nil, "[NAME]", "choose the colours; alone it lists the themes and tries them out", (*Model).chooseTheme},
		{"mouse", nil, "", "give the mouse to the terminal, to select text with it, or take it back", func(m *Model, _ string) tea.Cmd { return m.toggleMouse() }},
		{"help", nil, "", "show the keys and commands", func(m *Model, _ string) tea.Cmd { return m.openHelp() }},
		{"quit", []string{"exit"}, "", "leave winnow", func(m *Model, _ string) tea.Cmd { return m.quit() }},
	}
}

// usage is the command as it is typed.
func (c Command) usage() string {
	if c.Args == "" {
		return "/" + c.Name
	}
	return "/" + c.Name + " " + c.Args
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

// completions are the commands that a draft may become: it is a slash and the beginning of a name.
func completions(draft string) []Command {
	name, ok := strings.CutPrefix(draft, "/")
	if !ok || strings.ContainsAny(name, " \n/") {
		return nil
	}
	var out []Command
	for _, c := range Commands() {
		fits := strings.HasPrefix(c.Name, name)
		for _, also := range c.Also {
			fits = fits || name != "" && strings.HasPrefix(also, name)
		}
		if fits {
			out = append(out, c)
		}
	}
	return out
}

// isCommand says whether a draft is a command and not a message. What begins with /guide is a
// message where the guide answers; a space in front of a slash makes any text a message, and so does an
// edit.
func (m *Model) isCommand(draft string) bool {
	if !strings.HasPrefix(draft, "/") || strings.Contains(draft, "\n") || m.editing.message != 0 {
		return false
	}
	guide := m.ref == "guide" || strings.HasPrefix(m.ref, "guide/")
	return !(guide && (draft == "/guide" || strings.HasPrefix(draft, "/guide ")))
}

// runCommand does what a draft that begins with a slash says.
func (m *Model) runCommand(draft string) tea.Cmd {
	name, args, _ := strings.Cut(strings.TrimPrefix(draft, "/"), " ")
	args = strings.TrimSpace(args)
	c, ok := commandNamed(name)
	switch {
	case !ok:
		return m.complain(fmt.Sprintf("There is no command /%s. A space in front of the slash sends it as a message.", name))
	case c.Args == "" && args != "":
		return m.complain("/" + name + " takes nothing after it.")
	case c.Args != "" && c.Args[0] != '[' && args == "":
		return m.complain("It is " + c.usage() + ".")
	case len(m.composer.Drafted().Files) > 0:
		return m.complain("The draft has files, which go with a message and not with a command.")
	}
	m.composer.Remember(store.Draft{Text: draft})
	m.composer.Set("")
	return tea.Batch(c.runit(m, args), m.draftChanged())
}

func (m *Model) setBudget(args string) tea.Cmd {
	n, ok := session.ReadBudget(args)
	if !ok {
		return m.complain("A budget is a number of tokens, or auto.")
	}
	s := m.session
	return m.inBackground(func(ctx context.Context) tea.Msg {
		if err := s.Apply(ctx, session.Trial{Budget: new(n)}); err != nil {
			return settledMsg{err: err}
		}
		said := limitSays(s.Preview(""))
		if said == "" {
			said = "The budget is set."
		}
		return settledMsg{text: said}
	})
}

func (m *Model) setPreset(args string) tea.Cmd {
	if args == "" {
		return m.say("The preset is " + m.session.Policy().Preset + ". There are " + strings.Join(history.Presets(), ", ") + ".")
	}
	s := m.session
	return m.inBackground(func(ctx context.Context) tea.Msg {
		return settledMsg{text: "Requests are cut by the preset " + args + ".", err: s.Apply(ctx, session.Trial{Preset: args})}
	})
}

func (m *Model) rename(title string) tea.Cmd {
	s := m.session
	return m.inBackground(func(ctx context.Context) tea.Msg {
		return settledMsg{text: "The session is called " + title + ".", err: s.Rename(ctx, title)}
	})
}

func (m *Model) retitle(string) tea.Cmd {
	if m.chat.Empty() {
		return m.complain("There is nothing to take a title from yet.")
	}
	s := m.session
	var asking tea.Cmd
	if model := m.options.Deps.TitleRef; model != "" {
		asking = m.say("Asking " + model + " for a title.")
	}
	return tea.Batch(asking, m.inBackground(func(ctx context.Context) tea.Msg {
		title, err := s.Retitle(ctx, true)
		return settledMsg{text: "The session is called " + title + ".", err: err}
	}))
}

// compact has the older messages condensed, or sends them again.
func (m *Model) compact(args string) tea.Cmd {
	switch {
	case m.turn.Busy:
		return m.stillArriving()
	case args == "":
		turn := m.begin(nil, m.session.Compact)
		m.turn.Condensing = true
		return turn
	case args != "off":
		return m.complain("It is /compact, or /compact off.")
	}
	s := m.session
	return m.inBackground(func(ctx context.Context) tea.Msg {
		return settledMsg{text: "The messages themselves are sent again where they fit.", err: s.Apply(ctx, session.Trial{SummaryAlways: new(false)})}
	})
}

// export writes the session on the screen to a file.
func (m *Model) export(words string) tea.Cmd {
	switch {
	case m.options.Export == nil:
		return m.complain("Nothing can be exported here.")
	case m.chat.Empty():
		return m.complain("There is nothing to export yet.")
	}
	s, write := m.session, m.options.Export
	return m.inBackground(func(ctx context.Context) tea.Msg {
		said, err := write(ctx, s, words)
		return settledMsg{text: said, err: err}
	})
}

// popupView draws the completions above the composer.
func (m *Model) popupView() []string {
	popups := m.popups()
	if len(popups) == 0 || m.layout.transcript.H < 4 {
		return nil
	}
	room := min(len(popups), 8, m.layout.transcript.H-2)
	at := min(m.popup, len(popups)-1)
	first, end := theme.Around(at, len(popups), room)
	var choices []string
	w := max(0, m.layout.composer.W-2)
	for i := first; i < end; i++ {
		c := popups[i]
		usage := theme.Fit(c.label(), min(26, max(8, w/3))) + " "
		if i == at {
			choices = append(choices, m.styles.Chosen.Render(theme.Fit(" ▸ "+usage+c.Help, w)))
			continue
		}
		choices = append(choices, theme.Fit("   "+usage+m.styles.Dim.Render(c.Help), w))
	}
	return theme.Frame(theme.Box{X: 0, Y: 0, W: m.layout.composer.W, H: room + 2}, m.border("commands", "tab completes", true), choices)
}
