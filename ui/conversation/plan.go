package conversation

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/record"
	"winnow/ui/app"
	"winnow/ui/theme"
)

// restTime is how long typing must pause before the draft is planned.
const restTime = 60 * time.Millisecond

// planning is the state of the plan of the next request.
type planning struct {
	Planned         bool                   // the newest plan is of the current draft
	PlannedOversize *session.OversizeError // why the draft planned last does not fit, nil if it does
	plans           app.Latest
}

// supersedePlans discards the plans that are still being made. It returns the function that wraps the result of the
// next one, as app.Latest.Begin does.
func (p *planning) supersedePlans() func(func() tea.Cmd) app.Then {
	p.Planned = false
	return p.plans.Begin()
}

// Oversize returns why the current draft does not fit, nil if it fits or is not planned yet.
func (p *planning) Oversize() *session.OversizeError {
	if p.Planned {
		return p.PlannedOversize
	}
	return nil
}

// showNext shows the plan of the next request, or why there is none, with the forecast from earlier requests. If the
// panel shows a past request, it stays there.
func (c *Model) showNext(plan history.Plan, err error, known record.Forecast) {
	c.Panel.SetPlan(plan, err)
	c.Chat.NextPlan = c.Panel.Next.Plan
	c.Panel.RefreshCosts()
	c.Panel.Forecast = known
	if c.Panel.ShownRequest() == &c.Panel.Next && (err == nil || len(plan.Entries) > 0) {
		c.Chat.SetPlan(plan, 0)
	}
}

// PlanSoon plans the next request again once typing pauses. While a turn runs it only discards the plans that are being
// made.
func (c *Model) PlanSoon() tea.Cmd {
	rested := c.supersedePlans()
	if c.Busy {
		return nil
	}
	return tea.Tick(restTime, func(time.Time) tea.Msg { return rested(c.Plan) })
}

// Plan plans the next request with the current draft.
func (c *Model) Plan() tea.Cmd { return c.plan(nil) }

// plan plans the next request, with what other programs have stored in the session meanwhile, and shows the plan unless
// the draft has changed since. If counted is not nil, the server is first asked for its own token count of that plan,
// and nothing is planned if the count confirms it.
func (c *Model) plan(counted *history.Plan) tea.Cmd {
	s, draft, newest := c.Session, c.Draft(), c.plans.Begin()
	return c.Run(func(ctx context.Context) tea.Msg {
		if counted != nil {
			changed, err := s.Model().CountExactly(ctx, *counted)
			switch {
			case err != nil && ctx.Err() == nil:
				return app.Then(func() tea.Cmd { return c.ReportError(err) })
			case !changed:
				return nil
			}
		}
		_, _ = s.RefreshSettings(ctx) // an error of the store is shown when a message is sent
		plan, err := s.Preview(draft)
		return newest(func() tea.Cmd {
			if !c.Screen.IsShown(c) {
				return nil
			}
			return c.ShowDraftPlan(plan, err, counted != nil)
		})
	})
}

// ShowDraftPlan shows the plan of the draft, or why the draft cannot be sent, and announces repairs. If exact is false
// and the server can count tokens, it is asked for the exact count.
func (c *Model) ShowDraftPlan(plan history.Plan, err error, exact bool) tea.Cmd {
	c.showNext(plan, err, c.Session.Forecast(plan))
	c.Planned, c.PlannedOversize = true, session.AsOversize(err, c.Session.Model().WindowFacts())
	if c.PlannedOversize == nil {
		c.Screen.DraftFits()
	}
	if c.Panel.Whatif != nil {
		return c.Panel.PlanTrial()
	}
	again := c.Inspector.Refresh()
	if err != nil {
		return again
	}
	if c.Screen.CanAnnounce() { // else after the next plan
		again = tea.Batch(again, c.announceRepairs())
	}
	if exact || c.Busy || !c.Session.Model().CanCountExactly() || c.Session.Ready() != nil {
		return again
	}
	return tea.Batch(again, c.plan(&plan))
}

// OversizeCommands returns the commands that can make an oversize request fit.
func OversizeCommands(over *session.OversizeError) session.OversizeHints {
	return session.OversizeHints{
		Parts: map[history.RequiredPartKind]string{
			history.RequiredTools: "/tools", history.RequiredSystem: "/system", history.RequiredDraft: "shorten it",
			history.RequiredPinned:  "unpin message " + over.PinnedNumbers(),
			history.RequiredHistory: "/preset balanced",
		},
		Budget: fmt.Sprintf("/budget %d", over.SufficientWindow()),
		Window: fmt.Sprintf("/window %d", over.SufficientWindow()),
		Model:  "/model",
	}
}

// OversizeBreakdown returns how many tokens of an oversize request are the message, and how many are sent in any case.
func OversizeBreakdown(over *session.OversizeError) string {
	draft := 0
	for _, p := range over.Over.Parts {
		if p.Kind == history.RequiredDraft {
			draft += p.Tokens
		}
	}
	return "your message ~" + theme.Thousands(draft) + ", fixed ~" + theme.Thousands(over.Over.Need-draft)
}
