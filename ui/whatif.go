package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/settings"
)

// openWhatif shows the dials.
func (m *Model) openWhatif() tea.Cmd {
	switch {
	case m.turn.Busy:
		return m.lacks(keymap.NeedIdle)
	case !m.panel.Next.Ready:
		return m.notice.Say("There is no plan of the next request yet, so there is nothing to try.")
	}
	cmd := m.panel.ToNext()
	m.panel.OpenWhatif()
	m.overlays.open(whatifOverlay{})
	m.layout.Dials = true
	m.arrange()
	return cmd
}

// leaveWhatif goes back to the next request as it is set.
func (m *Model) leaveWhatif() {
	if m.panel.Whatif == nil {
		return
	}
	m.layout.Dials = false
	m.panel.CloseWhatif()
	m.dismiss(whatifOverlay{})
	m.surround()
	m.chat.Judge(m.panel.Next.Plan)
	m.arrange()
}

// applyTrial sets the conversation to what was tried out, which text names. What the trial showed is the next request
// then.
func (m *Model) applyTrial(trial session.Settings, text string) tea.Cmd {
	s, memory, known := m.current.Session, m.settings.Memory, m.current.With.Models
	return m.current.Run(func(ctx context.Context) tea.Msg {
		before, _ := s.Preview(session.Draft{})
		err := s.Set(ctx, trial)
		if err == nil {
			after, over := s.Preview(session.Draft{})
			text += settings.Change(before, after, over)
		}
		if err == nil && trial.Model != "" {
			text += settings.RememberModel(memory, s, known)
		}
		return app.Then(func() tea.Cmd {
			if s != m.current.Session {
				return nil
			}
			if w := m.panel.Whatif; w != nil && err == nil {
				plan, stands := w.Request.Plan, !w.Running
				m.leaveWhatif()
				if stands {
					m.showNext(plan, nil, s.Forecast(plan))
				}
			}
			return m.settled(text, err)
		})
	})
}
