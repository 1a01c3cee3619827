package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/session"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

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
	n, ok := m.session.TrueWindow()
	if !ok {
		return m.say("Nothing contradicts the window. " + m.windowText())
	}
	return m.useWindow(n)
}

// useWindow sets the window of the model in use; 0 finds it out.
func (m *Model) useWindow(tokens int) tea.Cmd {
	s, ref := m.session, m.ref
	return m.behind(func(ctx context.Context) tea.Msg {
		err := s.SetWindow(ctx, tokens)
		w := s.Window()
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
	w := m.session.Window()
	if w.Tokens == 0 {
		return "The window of " + m.ref + " is not known yet. /window 128000 sets it."
	}
	text := "The window of " + m.ref + " is " + theme.Thousands(w.Tokens) + " tokens: " + w.Origin() + "."
	f := m.session.Windows()
	var others []string
	for _, o := range []llm.Window{f.Chosen, f.Configured, f.Stated, f.Refused} {
		if o.Tokens > 0 && (o.Tokens != w.Tokens || o.Source != w.Source) {
			others = append(others, theme.Thousands(o.Tokens)+" ("+o.Origin()+")")
		}
	}
	if len(others) > 0 {
		text += " Also known: " + strings.Join(others, ", ") + "."
	}
	if limit := m.session.Limit(); limit > 0 {
		text += " Requests stay below " + theme.Thousands(limit) + ", because the server read only a part of one."
	}
	if w.Assumed || w.ByName {
		text += " /window 128000 sets another."
	}
	return text
}

// judgeWindow shows how far the window is to be trusted.
func (m *Model) judgeWindow() {
	m.panel.Judge(m.session.Window())
	if actual, ok := m.session.TrueWindow(); ok {
		f := m.session.Windows()
		set := f.Chosen
		if set.Tokens == 0 {
			set = f.Configured
		}
		m.panel.Contradict(set, actual, m.keys.First(keymap.Adopt))
	}
}
