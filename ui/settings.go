package ui

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/session"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/notice"
	"winnow/ui/panel"
	"winnow/ui/picker"
	"winnow/ui/theme"
)

// openModels shows the models of every endpoint.
func (m *Model) openModels() tea.Cmd {
	m.openList(picker.Options{Title: "model", Hints: m.listHints("chooses"), Also: keymap.Models, Loading: true}, modelsList, nil, m.useModel)
	return m.listModels()
}

// listModels asks every endpoint for its models, all at once.
func (m *Model) listModels() tea.Cmd {
	deps := m.options.Deps
	return m.inBackground(func(ctx context.Context) tea.Msg {
		list, errs := deps.Models.Models(ctx)
		windows, err := session.ListedWindows(ctx, deps.Store, deps.Models.Endpoints(), list, time.Now())
		for i, window := range windows {
			list[i].Window = window
		}
		return modelsMsg{list, errs, err}
	})
}

func (m *Model) modelsListed(msg modelsMsg) tea.Cmd {
	m.models = msg.models
	if w := m.panel.Whatif; w != nil {
		w.Listing, w.Refs = false, panel.Refs(m.ref, m.options.Deps.Models.Endpoints(), m.models)
	}
	open := m.list(modelsList)
	if open == nil {
		return nil
	}
	var choices []picker.Choice
	for _, model := range msg.models {
		label := markdown.OneLine(model.Ref(), 200)
		choices = append(choices, picker.Choice{Label: label, Right: m.besideModel(model, m.layout.Overlay.W-theme.Width(label)), Value: model.Ref()})
	}
	open.Fill(choices)
	var notes []string
	for _, name := range slices.Sorted(maps.Keys(msg.errs)) {
		notes = append(notes, name+": "+theme.Sentence(msg.errs[name]))
	}
	if msg.err != nil {
		notes = append(notes, theme.Sentence(msg.err))
	}
	open.Note(notes...)
	return nil
}

// besideModel says how large a model's window is, with who says so where that fits in w cells, and whether the
// model is in use.
func (m *Model) besideModel(model llm.Model, w int) string {
	const margin = 8 // cells of a line beside its texts
	var parts []string
	if n := model.Window.Tokens; n > 0 {
		parts = append(parts, theme.Thousands(n)+" tokens")
	}
	if model.Ref() == m.ref {
		parts = append(parts, "in use")
	}
	short := strings.Join(parts, " · ")
	if origin := markdown.OneLine(model.Window.Origin(), 60); origin != "" {
		if long := strings.Join(slices.Insert(parts, 1, origin), " · "); theme.Width(long) <= w-margin {
			return long
		}
	}
	return short
}

func (m *Model) chooseModel(args string) tea.Cmd {
	if args == "" {
		return m.openModels()
	}
	return m.useModel(args)
}

func (m *Model) useModel(ref string) tea.Cmd {
	if m.turn.Busy {
		return m.stillArriving()
	}
	s := m.session
	return m.inBackground(func(ctx context.Context) tea.Msg {
		before, _ := s.Preview("")
		if err := s.SetModel(ctx, ref); err != nil {
			return settledMsg{text: "The next message goes to " + s.Ref() + ".", err: err}
		}
		after, err := s.Preview("")
		return settledMsg{text: "The next message goes to " + s.Ref() + "." + changeSays(before, after, err)}
	})
}

// reachedMsg says whether the session's model can be asked.
type reachedMsg struct {
	session  *session.Session
	replaced string
	err      error
}

// reach asks whether the session's model can be asked at all, so that the screen says it before a message
// is written.
func (m *Model) reach(s *session.Session) tea.Cmd {
	return m.inBackground(func(ctx context.Context) tea.Msg {
		replaced, err := s.Reach(ctx)
		return reachedMsg{s, replaced, err}
	})
}

func (m *Model) reached(msg reachedMsg) tea.Cmd {
	chosen := msg.replaced == "" && m.session.Ref() != m.ref // another model, of which settledMsg is on its way
	if msg.session != m.session || m.turn.Busy || chosen {
		return nil
	}
	m.info, m.ref = m.session.Info(), m.session.Ref()
	if msg.err != nil && !errors.Is(msg.err, context.Canceled) {
		m.notice.Warn(notice.Alert{Text: theme.Sentence(msg.err), Way: m.keys.First(keymap.Models) + " chooses another model", Cause: notice.Unreachable})
		m.arrange()
	}
	if msg.replaced != "" {
		return tea.Batch(m.say(msg.replaced), m.draftChanged())
	}
	return nil
}

// setWindow is the command /window.
func (m *Model) setWindow(args string) tea.Cmd {
	if args == "" {
		return m.say(m.windowText())
	}
	n, ok := session.ReadWindow(args)
	if !ok {
		return m.complain("A window is a number of tokens, or auto.")
	}
	return m.useWindow(n)
}

// adoptWindow takes the server's window in place of the one that was set.
func (m *Model) adoptWindow() tea.Cmd {
	n, ok := m.session.Model().TrueWindow()
	if !ok {
		return m.say("Nothing contradicts the window. " + m.windowText())
	}
	return m.useWindow(n)
}

// useWindow sets the window of the model in use; 0 finds it out.
func (m *Model) useWindow(tokens int) tea.Cmd {
	s, ref := m.session, m.ref
	return m.inBackground(func(ctx context.Context) tea.Msg {
		err := s.Model().SetWindow(ctx, tokens)
		w := s.Model().Window()
		said := "The window of " + ref + " is set to " + theme.Thousands(tokens) + " tokens, in every session."
		switch {
		case tokens == 0:
			said = "The window of " + ref + " is " + theme.Thousands(w.Tokens) + " tokens: " + w.Origin() + "."
		case w.Tokens < tokens:
			said = "The window of " + ref + " stays " + theme.Thousands(w.Tokens) + " tokens: " + w.Origin() + ", which is less than " + theme.Thousands(tokens) + "."
		}
		return settledMsg{text: said, err: err}
	})
}

// restated plans the next request in the window that the server states now.
func (m *Model) restated(msg restatedMsg) tea.Cmd {
	if msg.session != m.session {
		return nil
	}
	return m.draftChanged()
}

// windowText says how large the window of the model in use is, and who says so.
func (m *Model) windowText() string {
	w := m.session.Model().Window()
	if w.Tokens == 0 {
		return "The window of " + m.ref + " is not known yet. /window 128000 sets it."
	}
	text := "The window of " + m.ref + " is " + theme.Thousands(w.Tokens) + " tokens: " + w.Origin() + "."
	f := m.session.Model().Windows()
	var others []string
	for _, o := range []llm.Window{f.Chosen, f.Configured, f.Stated, f.Refused} {
		if o.Tokens > 0 && (o.Tokens != w.Tokens || o.Source != w.Source) {
			others = append(others, theme.Thousands(o.Tokens)+" ("+o.Origin()+")")
		}
	}
	if len(others) > 0 {
		text += " Also known: " + strings.Join(others, ", ") + "."
	}
	if limit := m.session.Model().Limit(); limit > 0 {
		text += " Requests stay below " + theme.Thousands(limit) + ", because the server read only a part of one."
	}
	if w.Assumed || w.ByName {
		text += " /window 128000 sets another."
	}
	return text
}

// judgeWindow shows how far the window is to be trusted.
func (m *Model) judgeWindow() {
	m.panel.Judge(m.session.Model().Window())
	if actual, ok := m.session.Model().TrueWindow(); ok {
		f := m.session.Model().Windows()
		set := f.Chosen
		if set.Tokens == 0 {
			set = f.Configured
		}
		m.panel.Contradict(set, actual, m.keys.First(keymap.Adopt))
	}
}

// Persona is a system prompt that the user keeps in a file.
type Persona struct {
	Name string // what it is called by, without blanks
	Text string // the system prompt
}

// system sets the session's system prompt, or opens the one in force in the user's editor.
func (m *Model) system(text string) tea.Cmd {
	if text != "" {
		return m.setSystem(text)
	}
	return m.composer.External.Edit(m.systemInForce(), func(text string, err error) tea.Msg { return systemMsg{text, err} })
}

// systemMsg is the system prompt as the user's editor left it.
type systemMsg struct {
	text string
	err  error
}

func (m *Model) systemEdited(msg systemMsg) tea.Cmd {
	if msg.err != nil {
		return m.complain(theme.Sentence(msg.err) + " The system prompt is as it was.")
	}
	return m.setSystem(strings.ReplaceAll(msg.text, "\r\n", "\n"))
}

// systemInForce is the system prompt that the next request has.
func (m *Model) systemInForce() string {
	return m.session.SystemPrompt()
}

// setSystem gives the session a system prompt of its own; "" takes the configured one.
func (m *Model) setSystem(text string) tea.Cmd {
	said := "The session has its own system prompt."
	if text == "" || text == m.options.Deps.System {
		text, said = m.options.Deps.System, "The session takes the configured system prompt."
	}
	return m.settleSystem(text, said)
}

func (m *Model) settleSystem(text, said string) tea.Cmd {
	s := m.session
	return m.inBackground(func(ctx context.Context) tea.Msg {
		return settledMsg{text: said, err: s.SetSystem(ctx, text)}
	})
}

// noPersona is the choice that goes back to the configured system prompt.
const noPersona = "none"

// personasMsg is the personas that there are. With a name that one is wanted, else a list of them.
type personasMsg struct {
	name     string
	personas []Persona
	err      error
}

// choosePersona reads the personas, to take one or to list them.
func (m *Model) choosePersona(name string) tea.Cmd {
	if m.options.Personas == nil {
		return m.complain("There is no folder for personas here.")
	}
	if name == noPersona {
		return m.setSystem("")
	}
	read := m.options.Personas
	return func() tea.Msg {
		all, err := read()
		return personasMsg{name, all, err}
	}
}

func (m *Model) personasListed(msg personasMsg) tea.Cmd {
	m.personas = msg.personas
	switch {
	case msg.err != nil:
		return m.complain(theme.Sentence(msg.err))
	case msg.name != "":
		return m.takePersona(msg.name)
	case m.overlays.any() && !m.overlays.onTop(panelOverlay{}):
		return nil // the user has gone on to something else
	case len(m.personas) == 0 && m.systemInForce() == m.options.Deps.System:
		return m.say("There are no personas yet. Each is a file NAME.md in " + m.options.PersonasIn + ".")
	}
	choices := []picker.Choice{{Label: noPersona + " · the configured system prompt", Right: inUse(m.systemInForce() == m.options.Deps.System), Value: noPersona}}
	for _, p := range m.personas {
		first, _, _ := strings.Cut(strings.TrimSpace(p.Text), "\n")
		choices = append(choices, picker.Choice{Label: p.Name + " · " + markdown.OneLine(first, 200), Right: inUse(p.Text == m.systemInForce()), Value: p.Name})
	}
	o := picker.Options{Title: "personas", Hints: []keymap.Hint{m.keys.Hint("takes its system prompt", keymap.Choose), m.keys.Hint("closes", keymap.Back)}}
	m.openList(o, otherList, choices, m.takePersona)
	return nil
}

func inUse(is bool) string {
	if is {
		return "in use"
	}
	return ""
}

// personasThereAre names the personas, or says how there is one.
func (m *Model) personasThereAre() string {
	if len(m.personas) == 0 {
		return "Each is a file NAME.md in " + m.options.PersonasIn + ", and there is none yet."
	}
	var names []string
	for _, p := range m.personas {
		names = append(names, p.Name)
	}
	return "Yours: " + strings.Join(names, ", ") + "; " + noPersona + " takes the configured system prompt."
}

// takePersona gives the session the system prompt of a persona that was read.
func (m *Model) takePersona(name string) tea.Cmd {
	if name == noPersona {
		return m.setSystem("")
	}
	i := slices.IndexFunc(m.personas, func(p Persona) bool { return p.Name == name })
	if i < 0 {
		return m.complain("There is no persona " + name + ". " + m.personasThereAre())
	}
	return m.settleSystem(m.personas[i].Text, fmt.Sprintf("The session's system prompt is that of %s, %s.", name, theme.Plural(len([]rune(m.personas[i].Text)), "character")))
}
