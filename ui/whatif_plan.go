package ui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/session"
	"winnow/ui/composer"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// triedMsg is the plan of a wish, with what it was made by.
type triedMsg struct {
	wish    int
	model   string // that was tried
	plan    history.Plan
	changes []history.Change // to the next request as it is set
	prefix  session.Prefix
	policy  history.Policy
	window  llm.Window
	input   pricing.Cost // of the plan's request
	err     error
}

// appliedMsg says what became of settings that were applied.
type appliedMsg struct {
	session *session.Session
	said    string
	err     error
}

// wish plans with the dials as they are. Only one plan is made at a time, and then the newest wish's:
// so a dial that is held down never waits. A server that is being asked for a window is not waited for.
func (m *Model) wish() tea.Cmd {
	w := m.panel.Whatif
	m.wishes++
	if w.Running != 0 && w.Stop != nil {
		w.Stop()
		return nil
	}
	return m.tryOut()
}

// tryOut makes the plan of the newest wish.
func (m *Model) tryOut() tea.Cmd {
	w := m.panel.Whatif
	ctx, stop := m.within()
	w.Running, w.Stop = m.wishes, stop
	n, s, draft, trial, now := m.wishes, m.session, m.planDraft(), w.Trial, m.panel.Next.Plan.Entries
	return func() tea.Msg {
		defer stop()
		msg := planTrial(ctx, s, draft, trial)
		msg.wish, msg.changes = n, history.Compare(now, msg.plan.Entries)
		if msg.model == "" {
			msg.prefix = s.Prefix(msg.plan)
		}
		return msg
	}
}

// planTrial plans by a trial. A model of which nothing is known is read about first, unless the dial is
// turned on meanwhile.
func planTrial(ctx context.Context, s *session.Session, draft composer.Drafted, t session.Trial) triedMsg {
	plan, err := previewAs(draft, s, t)
	if errors.Is(err, session.ErrNotConsidered) {
		select {
		case <-ctx.Done():
			return triedMsg{err: ctx.Err()}
		case <-time.After(restTime):
		}
		if err = s.Consider(ctx, t.Model); err == nil {
			plan, err = previewAs(draft, s, t)
		}
	}
	policy, fault := s.PolicyAs(t)
	if fault != nil {
		err = fault
	}
	return triedMsg{model: t.Model, plan: plan, policy: policy, window: s.WindowAs(t), input: s.InputCost(plan, t), err: err}
}

// tried shows the plan of the newest wish. An older one is not shown: the dials stand elsewhere by now.
func (m *Model) tried(msg triedMsg) tea.Cmd {
	w := m.panel.Whatif
	if w == nil || msg.wish != w.Running {
		return nil
	}
	w.Running, w.Stop = 0, nil
	if msg.wish != m.wishes {
		return m.tryOut()
	}
	w.Note = ""
	if msg.err != nil {
		w.Note = theme.Sentence(msg.err)
	}
	if msg.err != nil && len(msg.plan.Entries) == 0 {
		return nil
	}
	if msg.model != "" {
		w.Known[msg.model] = true
	}
	w.Policy, w.Window, w.Prefix = msg.policy, msg.window, msg.prefix
	on := m.panel.Chosen()
	r := panel.RequestOf(msg.plan, m.chat.Gist)
	r.Input = msg.input
	w.Show(r, m.panel.Next, msg.changes)
	m.panel.Stay(on)
	m.chat.Judge(msg.plan)
	return nil
}

// applyTrial sets the conversation to what the dials say.
func (m *Model) applyTrial() tea.Cmd {
	w := m.panel.Whatif
	to := w.Settings()
	var parts []string
	for d := range panel.DialCount {
		if to.Text(d) != w.Was.Text(d) {
			parts = append(parts, d.Name()+" "+to.Text(d))
		}
	}
	switch {
	case w.Asking() != "":
		return m.complain(w.Asking() + " was not asked for its window yet, so its plan is not known.")
	case len(parts) == 0:
		m.leaveWhatif()
		return m.say("The dials stand where they stood; nothing was set.")
	}
	said := "Set: " + strings.Join(parts, ", ") + "."
	s, trial := m.session, w.Trial
	return m.behind(func(ctx context.Context) tea.Msg {
		before, _ := s.Preview("")
		if err := s.Apply(ctx, trial); err != nil {
			return appliedMsg{s, said, err}
		}
		after, err := s.Preview("")
		return appliedMsg{s, said + changeSays(before, after, err), nil}
	})
}

// applied ends the trial: what it showed is the next request now.
func (m *Model) applied(msg appliedMsg) tea.Cmd {
	if msg.session != m.session {
		return nil
	}
	if w := m.panel.Whatif; w != nil && msg.err == nil {
		plan, stands := w.Request.Plan, w.Running == 0
		m.leaveWhatif()
		if stands {
			m.showNext(plan, nil, m.session.Outlook(plan))
		}
	}
	return m.settled(settledMsg{text: msg.said, err: msg.err})
}
