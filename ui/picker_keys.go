package ui

import (
	"strconv"

	"winnow/ui/keymap"

	tea "charm.land/bubbletea/v2"
)

func (m *Model) pickerOpen() bool {
	switch m.overlay {
	case paletteOverlay, modelsOverlay, promptsOverlay, editsOverlay, forksOverlay, themesOverlay, personasOverlay:
		return true
	}
	return false
}

// pickerKey is a key while a list to choose from is open.
func (m *Model) pickerKey(msg tea.KeyPressMsg) tea.Cmd {
	k, p := &m.keys, &m.picker
	switch {
	case k.Pressed(msg, keymap.Back):
		m.uncover()
		return nil
	case k.Pressed(msg, keymap.Choose):
		return m.choose()
	case k.Pressed(msg, keymap.ListUp):
		p.move(-1)
		return nil
	case k.Pressed(msg, keymap.ListDown):
		p.move(1)
		return nil
	case k.Pressed(msg, keymap.PageUp):
		p.move(-m.pickerPage())
		return nil
	case k.Pressed(msg, keymap.PageDown):
		p.move(m.pickerPage())
		return nil
	case m.overlay == paletteOverlay && k.Pressed(msg, keymap.Palette),
		m.overlay == modelsOverlay && k.Pressed(msg, keymap.Models):
		m.uncover()
		return nil
	}
	if !p.typed(msg) {
		return m.noKey(msg, k.First(keymap.Back)+" closes the list.")
	}
	return nil
}

// pickerPage is how far a page goes in the list: a line of the page before stays in sight.
func (m *Model) pickerPage() int {
	first, end := m.picker.onScreen(m.overlayRoom().H)
	return max(1, end-first-1)
}

// choose takes the choice under the cursor.
func (m *Model) choose() tea.Cmd {
	p := &m.picker
	c, ok := p.chosen()
	if !ok {
		return m.say("There is nothing to choose; " + m.keys.First(keymap.Back) + " closes the list.")
	}
	at := m.overlay
	m.uncover()
	switch at {
	case paletteOverlay:
		return m.takeCommand(c.value)
	case modelsOverlay:
		return m.useModel(c.value)
	case personasOverlay:
		return m.takePersona(c.value)
	case themesOverlay:
		return m.chooseTheme(c.value)
	case forksOverlay:
		return m.forkChosen(c.value)
	case editsOverlay:
		return m.editChosen(c.value)
	}
	m.setFocus(draftPane)
	return m.takePrompt(c.value)
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
	m.bare()
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
	m.cover(paletteOverlay)
	return nil
}

func (m *Model) openPrompts() tea.Cmd {
	m.picker = picker{title: "prompts sent before", hint: "type to filter · enter takes it into the draft · esc closes"}
	var choices []choice
	for i, p := range m.composer.prompts {
		choices = append(choices, choice{label: promptLabel(p.Head), value: strconv.Itoa(i)})
	}
	m.picker.fill(choices)
	m.cover(promptsOverlay)
	return nil
}
