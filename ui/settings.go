package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/current"
	"winnow/ui/event"
	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/panel"
	"winnow/ui/picker"
	"winnow/ui/settings"
	"winnow/ui/theme"
)

// Persona is a system prompt that the user keeps in a file.
type Persona = settings.Persona

// setting is a command that does something to the settings.
func setting(do func(*settings.Model, string) tea.Cmd) func(*Model, string) tea.Cmd {
	return func(m *Model, args string) tea.Cmd {
		return m.inSettings(func(s *settings.Model) tea.Cmd { return do(s, args) })
	}
}

// inSettings does something to the settings, and what they ask for.
func (m *Model) inSettings(do func(*settings.Model) tea.Cmd) tea.Cmd {
	m.settings.Around = settings.Around{
		With: m.current.With, Session: m.current.Session, Ref: m.current.Ref, Busy: m.turn.Busy, Begun: !m.chat.Empty(),
		Covered: m.overlays.any() && !m.overlays.onTop(panelOverlay{}), Themes: m.themes,
	}
	cmd := do(&m.settings)
	return m.handle(cmd, m.settings.Events(), m.settingsEvent)
}

func (m *Model) settingsEvent(e event.Event) tea.Cmd {
	switch e := e.(type) {
	case settings.Refused:
		return m.lacks(keymap.NeedIdle)
	case settings.Asked:
		message, _ := m.chat.Message(e.Message)
		return m.askAgain(message, e.Ref)
	case settings.Edited:
		return m.composer.External.Edit(e.Text, func(text string, err error) tea.Msg {
			return settings.SystemMsg{Text: text, Err: err}
		})
	case settings.Themed:
		m.themes.Wanted = e.Name
		m.restyle()
	case settings.Listed:
		l := e.List
		o := picker.Options{
			Title: l.Title, Prompt: l.Prompt, Uncounted: l.Uncounted, Remark: l.Remark, Does: l.Does, Tries: l.Tries,
			Leaves: l.Leaves, Also: l.Also, Loading: l.Loading,
		}
		list := newList(m.keys, o, l.Kind, choices(l.Choices), func(value string) tea.Cmd {
			return m.inSettings(func(s *settings.Model) tea.Cmd { return l.Chosen(s, value) })
		})
		list.stays = l.Stays
		list.Note(l.Notes...)
		list.Select(l.At)
		m.overlays.open(list)
	case settings.Explained:
		m.overlays.open(newReader(e.Title, e.Text))
	case settings.Outdated:
		if m.overlays.list(e.Kind) != nil {
			return m.inSettings((*settings.Model).FillTools)
		}
	case settings.Filled:
		if w := m.panel.Whatif; w != nil && e.Kind == settings.Models {
			w.Listing, w.Refs = false, panel.Refs(m.current.Ref, m.current.With.Models.Endpoints(), m.settings.Models)
		}
		if open := m.overlays.list(e.Kind); open != nil {
			open.Remark = e.Remark
			open.Fill(choices(e.Choices))
			open.Note(e.Notes...)
		}
	}
	return nil
}

func choices(of []settings.Choice) []picker.Choice {
	var list []picker.Choice
	for _, c := range of {
		list = append(list, picker.Choice(c))
	}
	return list
}

// reached shows whether the session's model can be asked.
func (m *Model) reached(e current.Reached) tea.Cmd {
	// Another model, of which settings.DoneMsg is on its way.
	chosen := e.Replaced == "" && m.current.Session.Ref() != m.current.Ref
	if m.turn.Busy || chosen {
		return nil
	}
	m.current.Refresh()
	if e.Err != nil && !errors.Is(e.Err, context.Canceled) {
		m.notice.Warn(notice.Alert{
			Text: theme.Sentence(e.Err), Way: m.keys.First(keymap.Models) + " chooses another model",
			Cause: notice.Unreachable,
		})
		m.arrange()
	}
	if e.Replaced != "" {
		return tea.Batch(m.notice.Say(e.Replaced), m.draftChanged())
	}
	return nil
}
