package ui

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/keymap"
	"winnow/ui/limit"
	"winnow/ui/theme"
)

// limitOverlay asks whether a request may be sent that would exceed a limit. It lies above the draft, which keeps
// the text that is typed meanwhile.
type limitOverlay struct{ limit.Model }

func (*limitOverlay) place() place { return aboveDraft }

// openLimit asks about a limit.
func openLimit(m *Model, e session.OverLimit) tea.Cmd {
	m.overlays = append(m.overlays, &limitOverlay{limit.Of(e)}) // whatever is there stays beneath it
	m.arrange()
	return callAsked(m)
}

// closeLimit takes the question about a limit away.
func closeLimit(m *Model) {
	for _, o := range slices.Clone(m.overlays) {
		if isLimit(o) {
			m.dismiss(o)
		}
	}
}

func isLimit(o overlay) bool {
	_, is := o.(*limitOverlay)
	return is
}

// asksLimit says that a request waits for an answer about a limit.
func (s overlayStack) asksLimit() bool {
	for _, o := range s {
		if isLimit(o) {
			return true
		}
	}
	return false
}

func (o *limitOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	e := limit.Event(limit.Other{})
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		o.Model, e = o.Update(m.keys, msg)
	case tea.MouseClickMsg:
		in := m.overlayInner()
		if !in.Holds(msg.X, msg.Y) {
			return nil
		}
		o.Model, e = o.Clicked(msg.Y-in.Y, in.H)
	}
	switch e := e.(type) {
	case limit.Decided:
		m.dismiss(o)
		m.arrange()
		return func() tea.Msg {
			o.Give(e.Answer)
			return nil
		}
	case limit.Unchosen:
		return m.notice.Say(m.keys.First(keymap.ListDown) + " chooses an answer first.")
	case limit.Other:
		if len(m.overlays) == 1 {
			return m.updateComposer(msg)
		}
	}
	return nil
}

func (o *limitOverlay) view(m *Model, in theme.Box) ([]string, *tea.Cursor) {
	return o.View(m.themes.Styles, in.W, in.H), nil
}

func (o *limitOverlay) title(*Model) (string, string) { return "above a limit", "" }
func (o *limitOverlay) hints(m *Model) []key.Binding  { return o.Hints(m.keys) }
func (o *limitOverlay) types(*Model) bool             { return true }

// box is right above the draft, as high as the question.
func (o *limitOverlay) box(m *Model) theme.Box {
	b := m.layout.Rule
	h := min(b.Y, o.Height(b.W)+1)
	return theme.Box{Y: b.Y - h, W: b.W, H: h}
}

// showCosts shows what the next request would cost, which limit it would exceed, and what the session has spent.
func showCosts(m *Model) {
	s, next := m.current.Session, &m.panel.Next
	next.Input = s.Model().InputCost(next.Plan.Sum)
	next.Limit = s.Try(session.Trial{}).Over(next.Plan).Short()
	next.Spent = s.Spent().Sentence()
}

// notSent says what became of a message, or of a turn, that exceeds a limit and is not sent.
func notSent(m *Model) string {
	if m.composer.Sending() != nil {
		return "Not sent; the draft is kept."
	}
	return "Not sent. The earlier messages are kept; /retry asks again."
}
