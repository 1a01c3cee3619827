package ui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/composer"
	"winnow/ui/event"
	"winnow/ui/inspector"
	"winnow/ui/picker"
	"winnow/ui/theme"
)

// updateComposer gives the composer a message, nil for none, and does what it asks for.
func (m *Model) updateComposer(msg tea.Msg) tea.Cmd {
	m.tellComposer()
	var cmd tea.Cmd
	m.composer, cmd = m.composer.Update(msg)
	return m.handle(cmd, m.composer.Events(), m.composerEvent)
}

// tellComposer tells the composer of its surroundings.
func (m *Model) tellComposer() {
	m.composer.Around = composer.Around{
		Session: m.current.Info.ID, Home: m.current.Session.Store(), Temporary: m.current.Session.Temporary(), Closed: m.current.ReadOnly,
		Guide:     m.current.Ref == "guide" || strings.HasPrefix(m.current.Ref, "guide/"),
		Completes: m.focus == draftPane && !m.overlays.any() && !(m.question.Waits() && m.turn.Busy),
		ReadFile:  m.current.Session.Attach,
	}
}

func (m *Model) composerEvent(e event.Event) tea.Cmd {
	switch e := e.(type) {
	case composer.News:
		m.notice.Tell(e.Text)
		m.arrange()
	case composer.Changed:
		m.arrange()
		return m.draftChanged()
	case composer.Wanted:
		m.setFocus(draftPane)
	case composer.Entered:
		if e.Cut {
			return m.sendCut()
		}
		return m.send()
	case composer.Ran:
		return m.runCommand(e.Command)
	case composer.Looked:
		m.openReader(e.Title, inspector.Page{{Kind: inspector.Sent, Text: e.Text}}, false)
	case composer.ListPrompts:
		m.openPrompts()
	case composer.Helped:
		return m.openHelp()
	case composer.Quit:
		return m.quit()
	}
	return nil
}

// openPrompts lists the prompts that were sent before.
func (m *Model) openPrompts() {
	var choices []picker.Choice
	for i, p := range m.composer.Prompts {
		choices = append(choices, picker.Choice{Label: composer.PromptLabel(p.Head), Value: strconv.Itoa(i)})
	}
	o := picker.Options{Title: "prompts sent before", Does: "takes it into the draft"}
	m.openList(o, 0, choices, func(value string) tea.Cmd {
		i, _ := strconv.Atoi(value)
		m.setFocus(draftPane)
		return m.composer.TakePrompt(i)
	})
}

// completionView draws the completions above the composer, in a frame.
func (m *Model) completionView() []string {
	w := m.layout.Composer.W
	lines := m.composer.CompletionView(m.themes.Styles, max(0, w-2), min(8, m.layout.Transcript.H-2))
	if len(lines) == 0 || m.layout.Transcript.H < 4 {
		return nil
	}
	return theme.Frame(theme.Box{W: w, H: len(lines) + 2}, m.themes.Styles.Border("commands", "tab completes", true), slices.Clip(lines))
}
