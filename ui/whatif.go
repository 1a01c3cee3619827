package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/current"
	"winnow/ui/keymap"
	"winnow/ui/panel"
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
	if m.panel.Past != nil {
		m.updatePanel(panel.ShowNext{})
	}
	m.panel.OpenWhatif(panel.Current{
		Policy: m.current.Session.Now().Policy, Window: m.current.Session.Model().Window(),
		Chosen: m.current.Session.Model().Windows().Chosen.Tokens, Model: m.current.Ref,
		Refs:   panel.Refs(m.current.Ref, m.current.With.Models.Endpoints(), m.settings.Models),
		Listed: m.settings.Models != nil,
	})
	m.overlays.open(whatifOverlay{})
	m.layout.Dials = true
	m.arrange()
	return nil
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

// tryOut plans by other settings, after these have rested: a model of which nothing is known is read about.
func tryOut(e panel.Try, s *session.Session, draft session.Draft, now []history.Entry) tea.Msg {
	if e.Trial.Model != "" {
		select {
		case <-e.Context.Done():
			return panel.TriedMsg{Try: e, Err: e.Context.Err()}
		case <-time.After(current.RestTime):
		}
	}
	tried := s.Try(e.Context, e.Trial)
	plan, err := tried.Preview(draft)
	msg := panel.TriedMsg{
		Try: e, Plan: plan, Changes: history.Compare(now, plan.Entries), Policy: tried.Policy,
		Window: tried.To.Window(),
		Input:  tried.To.InputCost(plan.Sum), Err: err,
	}
	if e.Trial.Model == "" {
		msg.Prefix = s.Forecast(plan).Prefix
	}
	return msg
}

// appliedMsg says what became of settings that were applied.
type appliedMsg struct {
	session  *session.Session
	sentence string
	err      error
}

// applyTrial sets the conversation to what was tried out. Chosen is called where that is another model.
func applyTrial(ctx context.Context, s *session.Session, e panel.Apply, chosen func() string) tea.Msg {
	before, _ := s.Preview(session.Draft{})
	if err := s.Set(ctx, e.Trial); err != nil {
		return appliedMsg{s, e.Text, err}
	}
	after, err := s.Preview(session.Draft{})
	text := e.Text + settings.Change(before, after, err)
	if e.Trial.Model != "" {
		text += chosen()
	}
	return appliedMsg{s, text, nil}
}

// applied ends the trial: what it showed is the next request now.
func (m *Model) applied(msg appliedMsg) tea.Cmd {
	if msg.session != m.current.Session {
		return nil
	}
	if w := m.panel.Whatif; w != nil && msg.err == nil {
		plan, stands := w.Request.Plan, w.Running == 0
		m.leaveWhatif()
		if stands {
			m.showNext(plan, nil, m.current.Session.Forecast(plan))
		}
	}
	return m.settled(msg.sentence, msg.err)
}
