package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/ui/markdown"
)

// reader is a text to scroll through.
type reader struct {
	title string
	lines []string // plain or styled, not wrapped yet
	top   int

	wrapped []string // lines at width: a long paste is wrapped once, not at every frame
	width   int
}

func (r *reader) scroll(by int) { r.top = max(0, r.top+by) }

func (r *reader) view(w, h int) []string {
	if r.wrapped == nil || r.width != w {
		r.wrapped, r.width = nil, w
		for _, s := range r.lines {
			for _, line := range wrap(s, max(1, w-2)) {
				r.wrapped = append(r.wrapped, " "+line)
			}
		}
	}
	r.top = max(0, min(r.top, len(r.wrapped)-h))
	return r.wrapped[r.top:min(len(r.wrapped), r.top+h)]
}

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
	case pressed(msg, k.Back) && m.picker.editing:
		m.picker.editing, m.picker.filter = false, ""
		m.picker.refilter()
		return nil
	case pressed(msg, k.Back):
		m.overlay = noOverlay
		return nil
	case m.pickerOpen():
		return m.pickerKey(msg)
	case m.overlay == panelOverlay && pressed(msg, k.Context):
		m.overlay = noOverlay
		return nil
	case m.overlay == panelOverlay:
		return m.panelKey(msg)
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
		r.top = 0
	case pressed(msg, k.Bottom):
		r.scroll(1 << 30)
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

// openModels asks every endpoint for its models, all at once.
func (m *Model) openModels() tea.Cmd {
	m.picker = picker{title: "model", loading: true, hint: "type to filter · enter chooses · esc closes"}
	m.overlay = modelsOverlay
	ctx, models := m.within, m.options.Deps.Models
	return func() tea.Msg {
		ctx, cancel := ctx()
		defer cancel()
		list, errs := models.Models(ctx)
		return modelsMsg{list, errs}
	}
}

func (m *Model) modelsListed(msg modelsMsg) tea.Cmd {
	if m.overlay != modelsOverlay {
		return nil
	}
	var choices []choice
	for _, model := range msg.models {
		right := ""
		if model.Window.Tokens > 0 {
			right = thousands(model.Window.Tokens) + " tokens"
		}
		if model.Ref() == m.ref {
			right = strings.TrimPrefix(right+" · in use", " · ")
		}
		choices = append(choices, choice{label: markdown.OneLine(model.Ref(), 200), right: right, value: model.Ref()})
	}
	m.picker.fill(choices)
	m.picker.notes = nil
	for _, name := range slices.Sorted(maps.Keys(msg.errs)) {
		m.picker.notes = append(m.picker.notes, name+": "+sentence(msg.errs[name]))
	}
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
		return m.complain("An answer is still arriving: " + firstKey(m.keys.Back) + " stops it.")
	}
	ctx, s := m.within, m.session
	return func() tea.Msg {
		ctx, cancel := ctx()
		defer cancel()
		return settledMsg{text: "The next message goes to " + ref + ".", err: s.SetModel(ctx, ref)}
	}
}

func (m *Model) openHelp() tea.Cmd {
	m.reader = reader{title: "help", lines: m.helpLines()}
	m.overlay = helpOverlay
	return nil
}

// helpLines are the help screen, made from the bindings and the commands.
func (m *Model) helpLines() []string {
	var lines []string
	where := ""
	for _, r := range m.keys.Table() {
		if r.Where != where {
			if where != "" {
				lines = append(lines, "")
			}
			where = r.Where
			lines = append(lines, m.styles.accent.Render(r.Where))
		}
		lines = append(lines, "  "+fit(strings.Join(r.Keys, " "), min(30, max(8, m.width/3)))+" "+m.styles.dim.Render(r.Help))
	}
	lines = append(lines, "", m.styles.accent.Render("commands"))
	for _, c := range Commands() {
		lines = append(lines, "  "+fit(c.usage(), min(30, max(8, m.width/3)))+" "+m.styles.dim.Render(c.Help))
	}
	signs := "● whole  ◐ cut  ○ dropped  ◆ pinned  ⊘ excluded  ⚠ repaired  ↺ recalled"
	return append(lines, "", m.styles.accent.Render("signs"), "  "+m.styles.dim.Render(signs))
}

// openChip shows a pasted text.
func (m *Model) openChip() tea.Cmd {
	c, ok := m.composer.open()
	if !ok {
		return m.say("The draft holds no long paste; " + firstKey(m.keys.Focus) + " goes to the transcript.")
	}
	m.reader = reader{title: strings.Trim(c.label, "[]"), lines: strings.Split(markdown.Visible(c.text), "\n")}
	m.overlay = textOverlay
	return nil
}

// inspect shows a message in full and what the model gets of it.
func (m *Model) inspect() tea.Cmd {
	message, ok := m.chat.selected()
	if !ok {
		return m.say("There is no message here.")
	}
	var lines []string
	if e, ok := entryOf(m.panel.plan, message.ID); ok {
		verdict := word(e)
		if verdict == "" {
			verdict = "whole"
		}
		lines = append(lines,
			m.styles.strong.Render(glyph(e)+" "+verdict)+"  "+e.Reason,
			m.styles.dim.Render(fmt.Sprintf("%s of %s characters · %s of %s tokens",
				thousands(e.CharsAfter), thousands(e.CharsBefore), thousands(e.TokensAfter), thousands(e.TokensBefore))))
		for _, r := range e.Repairs {
			lines = append(lines, m.styles.warn.Render("⚠ "+r.Kind+" "+markdown.Visible(r.What)))
		}
		lines = append(lines, "")
		lines = append(lines, viewOf(m.styles, message.Content, e)...)
	} else {
		lines = append(lines, m.styles.dim.Render("No plan speaks of this message yet."), "")
		lines = append(lines, strings.Split(markdown.Visible(message.Content), "\n")...)
	}
	m.reader = reader{title: "what the model gets · " + speaker(message.Role), lines: lines}
	m.overlay = textOverlay
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

func (m *Model) showContext(string) tea.Cmd {
	m.overlay = panelOverlay
	return nil
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
