package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/composer"
	"winnow/ui/event"
	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/panel"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// restTime is how long the draft rests before its plan is made.
const restTime = 60 * time.Millisecond

// draftChanged plans the next request anew, after the draft has rested.
func (m *Model) draftChanged() tea.Cmd {
	m.panel.Generation++
	n := m.panel.Generation
	return tea.Batch(m.composer.KeepSoon(), tea.Tick(restTime, func(time.Time) tea.Msg { return previewDueMsg{n} }))
}

func (m *Model) previewDue(msg previewDueMsg) tea.Cmd {
	if msg.generation != m.panel.Generation || m.turn.Busy {
		return nil
	}
	s, draft := m.current.Session, m.composer.Next()
	return func() tea.Msg {
		plan, err := preview(draft, s)
		return planMsg{generation: msg.generation, plan: plan, err: err}
	}
}

// preview plans the request that would leave with the draft.
func preview(d composer.Drafted, s *session.Session) (history.Plan, error) {
	return previewAs(d, s, session.Trial{})
}

// previewAs is preview with other settings.
func previewAs(d composer.Drafted, s *session.Session, t session.Trial) (history.Plan, error) {
	t.Instead = d.Instead
	return s.Try(t).Preview(d.Text, d.Files...)
}

// planner takes the draft as it is now, and plans with it when it is called: in a command.
func (m *Model) planner() func() (history.Plan, error) {
	s, draft := m.current.Session, m.composer.Next()
	return func() (history.Plan, error) { return preview(draft, s) }
}

func (m *Model) planned(msg planMsg) tea.Cmd {
	if msg.generation != m.panel.Generation {
		return nil
	}
	m.showNext(msg.plan, msg.err, m.current.Session.Outlook(msg.plan))
	m.panel.Judged(session.Oversize(msg.err, m.current.Session.Model().Windows()))
	if m.panel.Oversize() == nil && m.notice.Resolve(notice.TooLong) {
		m.arrange()
	}
	if m.panel.Whatif != nil {
		return m.updatePanel(panel.Replan{})
	}
	again := tea.Batch(m.lookAgain(), m.inTranscript((*transcript.Model).AskLastWhole))
	if msg.err != nil {
		return again
	}
	var told tea.Cmd
	if m.notice.Sentence() == "" { // One that is being shown is not covered: then the next plan says it.
		told = m.notice.Say(m.repairs.Announce())
	}
	if msg.exact || m.turn.Busy || !m.current.Session.Model().Exact() {
		return tea.Batch(again, told)
	}
	return tea.Batch(again, told, m.countExactly(msg))
}

// showNext shows the plan of the next request, or why there is none. A request of the past that is
// on the screen stays there.
func (m *Model) showNext(plan history.Plan, err error, known session.Outlook) {
	m.panel.Set(plan, err)
	m.chat.Next = m.panel.Next.Plan
	m.composer.Ratio = m.panel.Next.Plan.Sum.Ratio
	model := m.current.Session.Model()
	m.panel.Judge(model.Window())
	if actual, ok := model.TrueWindow(); ok {
		windows := model.Windows()
		set := windows.Chosen
		if set.Tokens == 0 {
			set = windows.Configured
		}
		m.panel.Contradict(set, actual, m.keys.First(keymap.Adopt))
	}
	m.panel.Next.Input = model.InputCost(m.panel.Next.Plan.Sum)
	m.panel.Outlook = panel.OutlookOf(known, plan)
	if m.panel.Shown() == &m.panel.Next && (err == nil || len(plan.Entries) > 0) {
		m.chat.Judge(plan)
	}
	m.repairs.Set(m.panel.Next.Plan)
}

// countExactly asks the server for its own count of a plan that is shown, and plans again, once, where
// that is another.
func (m *Model) countExactly(msg planMsg) tea.Cmd {
	s, draft := m.current.Session, m.composer.Next()
	return m.current.Run(func(ctx context.Context) tea.Msg {
		changed, err := s.Model().CountExactly(ctx, msg.plan)
		if err != nil && ctx.Err() == nil {
			return event.Notice{Text: theme.Sentence(err), Error: true}
		}
		if !changed {
			return nil
		}
		plan, err := preview(draft, s)
		return planMsg{msg.generation, plan, err, true}
	})
}

// counted goes on counting until all is counted. Then the plan is made once more, by counts alone.
func (m *Model) counted(c session.Counting) tea.Cmd {
	guessed := m.panel.Guessed != ""
	m.panel.Count(c)
	switch {
	case !c.Done():
		return m.current.Count()
	case guessed:
		return m.draftChanged()
	}
	return nil
}
