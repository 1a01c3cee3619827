package ui

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
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
	models := m.options.Deps.Models
	return m.behind(func(ctx context.Context) tea.Msg {
		list, errs := models.Models(ctx)
		return modelsMsg{list, errs}
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
		right := ""
		if model.Window.Tokens > 0 {
			right = theme.Thousands(model.Window.Tokens) + " tokens"
		}
		if model.Ref() == m.ref {
			right = strings.TrimPrefix(right+" · in use", " · ")
		}
		choices = append(choices, picker.Choice{Label: markdown.OneLine(model.Ref(), 200), Right: right, Value: model.Ref()})
	}
	open.Fill(choices)
	var notes []string
	for _, name := range slices.Sorted(maps.Keys(msg.errs)) {
		notes = append(notes, name+": "+theme.Sentence(msg.errs[name]))
	}
	open.Note(notes...)
	return nil
}

func (m *Model) chooseModel(args string) tea.Cmd {
	if args == "" {
		return m.openModels()
	}
	return m.useModel(args)
}

func (m *Model) useModel(ref string) tea.Cmd {
	if m.turn.busy {
		return m.stillArriving()
	}
	s := m.session
	return m.behind(func(ctx context.Context) tea.Msg {
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
	return m.behind(func(ctx context.Context) tea.Msg {
		replaced, err := s.Reach(ctx)
		return reachedMsg{s, replaced, err}
	})
}

func (m *Model) reached(msg reachedMsg) tea.Cmd {
	if msg.session != m.session || m.turn.busy {
		return nil
	}
	m.info, m.ref = m.session.Info(), m.session.Ref()
	if msg.err != nil && !errors.Is(msg.err, context.Canceled) {
		m.unreachable = true
		m.alert, m.way = theme.Sentence(msg.err), m.keys.First(keymap.Models)+" chooses another model"
		m.arrange()
	}
	if msg.replaced != "" {
		return tea.Batch(m.say(msg.replaced), m.draftChanged())
	}
	return nil
}
