package ui

import (
	"context"
	"errors"
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
		Policy: m.current.Session.Policy(), Window: m.current.Session.Model().Window(),
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

// tryOut plans by other settings. A model of which nothing is known is read about first, unless the plan is not
// wanted any more.
func tryOut(e panel.Try, s *session.Session, draft current.Draft, now []history.Entry) tea.Msg {
	plan, err := draft.Plan(s, e.Trial)
	if errors.Is(err, session.ErrNotConsidered) {
		select {
		case <-e.Context.Done():
			return panel.TriedMsg{Try: e, Err: e.Context.Err()}
		case <-time.After(current.RestTime):
		}
		if err = s.Consider(e.Context, e.Trial.Model); err == nil {
			plan, err = draft.Plan(s, e.Trial)
		}
	}
	tried := s.Try(e.Trial)
	policy, fault := tried.Policy()
	if fault != nil {
		err = fault
	}
	msg := panel.TriedMsg{
		Try: e, Plan: plan, Changes: history.Compare(now, plan.Entries), Policy: policy, Window: tried.Window(),
		Input: tried.InputCost(plan), Err: err,
	}
	if e.Trial.Model == "" {
		msg.Prefix = s.Past().Forecast(plan).Prefix
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
	before, _ := s.Preview("")
	if err := s.Apply(ctx, e.Trial); err != nil {
		return appliedMsg{s, e.Text, err}
	}
	after, err := s.Preview("")
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
			m.showNext(plan, nil, m.current.Session.Past().Forecast(plan))
		}
	}
	return m.settled(msg.sentence, msg.err)
}
