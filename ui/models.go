package ui

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
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
	deps := m.options.Deps
	return m.behind(func(ctx context.Context) tea.Msg {
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
		choices = append(choices, picker.Choice{Label: label, Right: m.besideModel(model, m.layout.overlay.W-theme.Width(label)), Value: model.Ref()})
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
