package ui

import (
	"fmt"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/ui/markdown"
)

func (m *Model) pickerOpen() bool {
	switch m.overlay {
	case paletteOverlay, modelsOverlay, sessionsOverlay, promptsOverlay:
		return true
	}
	return false
}

// overlayKey is a key while something covers the panes.
func (m *Model) overlayKey(msg tea.KeyPressMsg) tea.Cmd {
	k := &m.keys
	switch {
	case m.overlay == whatifOverlay:
		return m.whatifKey(msg)
	case m.overlay == ledgerOverlay:
		return m.ledgerKey(msg)
	case m.overlay == inspectorOverlay:
		return m.inspectorKey(msg)
	case pressed(msg, k.Back) && m.picker.editing:
		m.picker.renamed()
		return nil
	case pressed(msg, k.Back) && m.overlay == panelOverlay && m.selection.on:
		m.unselect()
		return nil
	case pressed(msg, k.Back) && m.overlay == panelOverlay && m.panel.past != nil:
		return m.toNext()
	case m.overlay == panelOverlay && pressed(msg, k.Back, k.Context):
		m.closePanel()
		return nil
	case pressed(msg, k.Back):
		m.overlay = noOverlay
		return nil
	case m.pickerOpen():
		return m.pickerKey(msg)
	case m.overlay == panelOverlay:
		if cmd, ok := m.elsewhereKey(msg); ok {
			return cmd
		}
		return m.panelPress(msg)
	case m.overlay == helpOverlay && pressed(msg, k.Help, k.Ask):
		m.overlay = noOverlay
		return nil
	}
	r := &m.reader
	page := max(1, m.layout.overlay.h-3)
	switch {
	case pressed(msg, k.Down):
		r.scroll(1)
	case pressed(msg, k.Up):
		r.scroll(-1)
	case pressed(msg, k.HalfDown):
		r.scroll(page / 2)
	case pressed(msg, k.HalfUp):
		r.scroll(-page / 2)
	case pressed(msg, k.PageDown):
		r.scroll(page)
	case pressed(msg, k.PageUp):
		r.scroll(-page)
	case pressed(msg, k.Top):
		r.first()
	case pressed(msg, k.Bottom):
		r.last()
	default:
		return m.say(firstKey(k.Back) + " closes this.")
	}
	return nil
}

func (m *Model) pickerKey(msg tea.KeyPressMsg) tea.Cmd {
	k, p := &m.keys, &m.picker
	switch {
	case pressed(msg, k.Choose):
		return m.choose()
	case p.editing:
	case pressed(msg, k.ListUp):
		p.move(-1)
		return nil
	case pressed(msg, k.ListDown):
		p.move(1)
		return nil
	case pressed(msg, k.PageUp):
		p.move(-max(1, m.layout.overlay.h-4))
		return nil
	case pressed(msg, k.PageDown):
		p.move(max(1, m.layout.overlay.h-4))
		return nil
	case m.overlay == sessionsOverlay:
		if cmd, ok := m.sessionsKey(msg); ok {
			return cmd
		}
	case m.overlay == paletteOverlay && pressed(msg, k.Palette),
		m.overlay == modelsOverlay && pressed(msg, k.Models):
		m.overlay = noOverlay
		return nil
	}
	if !p.typed(msg) {
		return m.say(msg.String() + " does nothing here; " + firstKey(k.Back) + " closes the list.")
	}
	return nil
}

func (m *Model) sessionsKey(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	k := &m.keys
	switch {
	case pressed(msg, k.Rename):
		return m.startRename(), true
	case pressed(msg, k.Delete):
		return m.deleteSession(), true
	case pressed(msg, k.Undo):
		return m.undelete(), true
	case pressed(msg, k.New):
		return m.newSession(), true
	case pressed(msg, k.Sessions):
		m.overlay = noOverlay
		return nil, true
	}
	return nil, false
}

// choose takes the choice under the cursor.
func (m *Model) choose() tea.Cmd {
	p := &m.picker
	if p.editing {
		return m.endRename()
	}
	c, ok := p.chosen()
	if !ok {
		return m.say("There is nothing to choose; " + firstKey(m.keys.Back) + " closes the list.")
	}
	at := m.overlay
	if at != sessionsOverlay {
		m.overlay = noOverlay
	}
	switch at {
	case paletteOverlay:
		return m.takeCommand(c.value)
	case modelsOverlay:
		return m.useModel(c.value)
	case promptsOverlay:
		m.composer.set(c.value)
		m.setFocus(draftPane)
		return nil
	}
	return m.openSession(c.value)
}

// takeCommand runs a command of the palette, or puts it into the draft where something must follow.
func (m *Model) takeCommand(name string) tea.Cmd {
	c, ok := commandNamed(name)
	switch {
	case !ok:
		return nil
	case c.Args == "" || c.Args[0] == '[':
		return c.runit(m, "")
	case !m.composer.empty():
		return m.complain("The draft is in the way: send or clear it, then type " + c.usage() + ".")
	}
	m.setFocus(draftPane)
	m.composer.set("/" + name + " ")
	return nil
}

func (m *Model) openPalette() tea.Cmd {
	m.picker = picker{title: "palette", hint: "type to filter · enter runs · esc closes"}
	var choices []choice
	for _, c := range Commands() {
		choices = append(choices, choice{label: c.usage(), right: c.Help, value: c.Name})
	}
	m.picker.fill(choices)
	m.overlay = paletteOverlay
	return nil
}

func (m *Model) openPrompts() tea.Cmd {
	m.picker = picker{title: "prompts sent before", hint: "type to filter · enter takes it into the draft · esc closes"}
	var choices []choice
	for _, s := range m.composer.prompts {
		choices = append(choices, choice{label: markdown.OneLine(s, 400), value: s})
	}
	m.picker.fill(choices)
	m.overlay = promptsOverlay
	return nil
}

// togglePanel shows or hides the context panel, as an overlay where the screen is narrow.
func (m *Model) togglePanel() tea.Cmd {
	if m.width < wideWidth || m.height < frameHeight {
		m.overlay = panelOverlay
		return nil
	}
	m.wishPanel = !m.wishPanel
	if !m.wishPanel && m.focus == panelPane {
		m.setFocus(draftPane)
	}
	m.arrange()
	return nil
}

// closePanel closes the panel where it is an overlay. The draft has no cursor in the transcript.
func (m *Model) closePanel() {
	m.overlay = noOverlay
	if m.focus == draftPane {
		m.setFocus(draftPane)
	}
}

// showPanel brings the panel on the screen and gives it the keys.
func (m *Model) showPanel() {
	m.wishPanel = true
	m.arrange()
	if m.layout.panel.empty() {
		m.overlay = panelOverlay
		return
	}
	m.setFocus(panelPane)
}

func (m *Model) toggleReasoning() tea.Cmd {
	if m.chat.toggleReasoning() {
		return m.say("Reasoning is shown.")
	}
	return m.say("Reasoning is hidden.")
}

// openSessions lists the stored sessions.
func (m *Model) openSessions() tea.Cmd {
	if m.options.Deps.Store == nil {
		return m.complain("This chat is kept nowhere, so there are no sessions.")
	}
	k := &m.keys
	m.picker = picker{title: "sessions", loading: true, hint: fmt.Sprintf("enter opens · %s new · %s rename · %s delete · esc closes",
		firstKey(k.New), firstKey(k.Rename), firstKey(k.Delete))}
	m.overlay = sessionsOverlay
	return m.listSessions()
}

func firstKey(b key.Binding) string {
	if keys := b.Keys(); len(keys) > 0 {
		return keys[0]
	}
	return "(no key)"
}

func ago(at, then time.Time) string {
	if at.IsZero() || then.IsZero() {
		return ""
	}
	return age(at.Sub(then))
}
