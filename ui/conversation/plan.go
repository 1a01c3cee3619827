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

// restTime is how long the draft rests before its plan is made.
const restTime = 60 * time.Millisecond

// planning is the plan of the next request, while it is made.
type planning struct {
	Planned bool                   // the newest plan is that of the draft as it is now
	Misfit  *session.OversizeError // why the newest draft that was planned cannot be sent, nil where it fits
	plans   app.Latest
}

// Supersede drops the plans that are being made. It returns what makes the message of the next one, as Begin of
// app.Latest does.
func (p *planning) Supersede() func(func() tea.Cmd) app.Then {
	p.Planned = false
	return p.plans.Begin()
}

// Oversize says why the draft would not fit, as far as its plan is made already.
func (p *planning) Oversize() *session.OversizeError {
	if p.Planned {
		return p.Misfit
	}
	return nil
}

// ShowNext shows the plan of the next request, or why there is none, with what the requests before tell about it. A
// request of the past that is on the screen stays there.
func (c *Model) ShowNext(plan history.Plan, err error, known record.Forecast) {
	c.Panel.Set(plan, err)
	c.Chat.Next = c.Panel.Next.Plan
	c.Panel.Price()
	c.Panel.Forecast = known
	if c.Panel.Shown() == &c.Panel.Next && (err == nil || len(plan.Entries) > 0) {
		c.Chat.Judge(plan, 0)
	}
}

// PlanSoon plans the next request anew, after the draft has rested. While the last one is answered it only drops the
// plans that are being made.
func (c *Model) PlanSoon() tea.Cmd {
	rested := c.Supersede()
	if c.Busy {
		return nil
	}
	return tea.Tick(restTime, func(time.Time) tea.Msg { return rested(c.Plan) })
}

// Plan plans the next request with the draft as it is now.
func (c *Model) Plan() tea.Cmd { return c.plan(nil) }

// plan plans the next request, by what other programs have written of the session until then, and shows that unless the
// draft has changed since. Where a server counts, it may be asked for its own count of the plan on show first: then it
// plans only where that is another one.
func (c *Model) plan(counted *history.Plan) tea.Cmd {
	s, draft, newest := c.Session, c.Draft(), c.plans.Begin()
	return c.Run(func(ctx context.Context) tea.Msg {
		if counted != nil {
			changed, err := s.Model().CountExactly(ctx, *counted)
			switch {
			case err != nil && ctx.Err() == nil:
				return app.Then(func() tea.Cmd { return c.Failed(err) })
			case !changed:
				return nil
			}
		}
		_, _ = s.RefreshSettings(ctx) // what is wrong with the store is said when something is sent
		plan, err := s.Preview(draft)
		return newest(func() tea.Cmd {
			if !c.Screen.Shows(c) {
				return nil
			}
			return c.TakePlan(plan, err, counted != nil)
		})
	})
}

// TakePlan shows the plan of the draft, or why it cannot be sent, and tells what else there is to say of it. One that
// is not exact yet is counted by a server that does that.
func (c *Model) TakePlan(plan history.Plan, err error, exact bool) tea.Cmd {
	c.ShowNext(plan, err, c.Session.Forecast(plan))
	c.Planned, c.Misfit = true, session.AsOversize(err, c.Session.Model().WindowFacts())
	if c.Misfit == nil {
		c.Screen.Fits()
	}
	if c.Panel.Whatif != nil {
		return c.Panel.Try()
	}
	again := c.Inspector.Refresh()
	if err != nil {
		return again
	}
	if c.Screen.Quiet() { // Else the next plan says it.
		again = tea.Batch(again, c.announceRepairs())
	}
	if exact || c.Busy || !c.Session.Model().CanCountExactly() || c.Session.Ready() != nil {
		return again
	}
	return tea.Batch(again, c.plan(&plan))
}

// Remedies are the commands that help against a request that does not fit.
func Remedies(over *session.OversizeError) session.OversizeHints {
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
