package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/history"
	"winnow/llm/mcp"
	"winnow/session"
	"winnow/session/record"
	"winnow/session/settings"
)

func (p *program) contextCommand() *cobra.Command {
	f := &p.flags
	c := p.withJSON(p.conversationCommand("context [ID]",
		"Show what the model would see of a chat in the next request, and why",
		(*app).showContext))
	c.Example = "  winnow context 0195 --draft \"and what about tests?\" --budget 4000 --json\n" +
		"  winnow context 0195 --wire | jq .messages\n" +
		"  winnow context 0195 --turn 7 --diff 6\n" +
		"  winnow context 0195 --prompt > handover.txt"
	c.Flags().StringVar(&f.draft, "draft", "", "preview with this text as the next message")
	c.Flags().StringVar(&f.budget, "budget", "", "preview with this budget in tokens, or auto")
	c.Flags().StringVar(&f.preset, "preset", "", "preview with this preset, ignoring the chat's own settings")
	restrictFlag(c, "preset", history.Presets()...)
	c.Flags().StringVar(&f.turn, "turn", "", "show the last request of turn N as it was sent; N.2 is its second")
	c.Flags().StringVar(&f.diff, "diff", "", "show what changed since the request of turn M")
	c.Flags().BoolVar(&f.wire, "wire", false, "print the body of the request, with possible secrets redacted")
	c.Flags().BoolVar(&f.prompt, "prompt", false, "print the request as one text, for another program")
	c.MarkFlagsMutuallyExclusive("json", "wire", "prompt")
	c.MarkFlagsMutuallyExclusive("diff", "wire")
	c.MarkFlagsMutuallyExclusive("diff", "prompt")
	for _, trial := range []string{"draft", "budget", "preset"} {
		c.MarkFlagsMutuallyExclusive("turn", trial)
	}
	return c
}

// showContext shows the next or a past request of a session, as the flags ask.
func (a *app) showContext(ctx context.Context, s *session.Session) error {
	l, err := a.contextOf(ctx, s)
	if err != nil {
		return err
	}
	switch {
	case a.flags.diff != "":
		at, nth, err := requestRef("--diff", a.flags.diff)
		if err != nil {
			return err
		}
		r, err := s.Records().Find(ctx, at, nth)
		if err != nil {
			return err
		}
		to := report.NewComparedRequest(l.record, l.plan)
		return a.show(report.NewContextDiff(s.Info(), report.NewComparedRequest(r, r.Verdicts), to))
	case l.Request != nil && !l.Request.Proven:
		a.warn("request %d of turn %d was rebuilt, but is not proven to be what was sent: %s", l.Request.Nth,
			l.Request.Turn, report.SafeLine(l.Request.Doubt))
	case l.Request == nil && slices.ContainsFunc(a.servers.Statuses(), isIdle):
		a.warn("the tools of MCP servers are not counted, because this command starts no servers; winnow tools " +
			"shows their tokens")
	}
	if a.flags.wire || a.flags.prompt {
		return cmp.Or(l.unsent, a.writeRequest(l))
	}
	if err := a.show(l.ContextReport); err != nil || a.flags.json {
		return err
	}
	return l.unsent
}

func isIdle(s mcp.ServerStatus) bool { return s.State == mcp.NotStarted }

// shownContext is a request with its report.
type shownContext struct {
	report.ContextReport
	plan   history.Plan
	record record.RecordedRequest // of a past request
	body   func() ([]byte, error) // returns the body of the request
	unsent error                  // why the request would not be sent and what helps; nil if it would be sent
}

// contextOf returns the request that the flags select.
func (a *app) contextOf(ctx context.Context, s *session.Session) (shownContext, error) {
	if a.flags.turn != "" && a.flags.model != "" {
		return shownContext{}, fail(exitUsage, "--turn and --model cannot be used together")
	}
	if a.flags.turn != "" {
		return pastContext(ctx, s, a.flags.turn)
	}
	trial := session.Settings{Preset: a.flags.preset}
	if a.flags.model != "" {
		trial.Model = a.choice.Ref
	}
	if a.flags.budget != "" {
		n, ok := settings.ParseBudget(a.flags.budget)
		if !ok {
			return shownContext{}, fail(exitUsage, "--budget is %q; must be a number of tokens, or auto",
				a.flags.budget)
		}
		trial.Budget = &n
	}
	if err := s.LoadOlder(ctx); err != nil {
		return shownContext{}, err
	}
	tried := s.Try(ctx, trial)
	plan, err := tried.Preview(session.Draft{Text: a.flags.draft})
	l := shownContext{
		ContextReport: report.NewContextReport(s.Info(), cmp.Or(trial.Model, s.Model().Ref()), plan), plan: plan,
		body: func() ([]byte, error) { return tried.Body(plan) },
	}
	var over *history.OverBudgetError
	switch {
	case errors.As(err, &over):
		l.Error = report.ErrorText(over)
		oversize := session.AsOversize(over, tried.Target.WindowFacts())
		l.unsent = fail(exitFailed, "nothing would be sent: %s",
			oversize.Sentence(remedies(oversize, tried.Target.Client.Endpoint().Name)))
	case tried.Err != nil:
		return l, fail(exitUsage, "%w", err)
	case err != nil:
		return l, err
	default:
		l.Input = tried.Target.InputCost(plan.Sum)
	}
	l.Window = tried.Target.Window()
	l.Settings, err = tried.Settings()
	return l, err
}

// pastContext rebuilds a past request. The verdicts come from its record, which needs no proof.
func pastContext(ctx context.Context, s *session.Session, turn string) (shownContext, error) {
	at, nth, err := requestRef("--turn", turn)
	if err != nil {
		return shownContext{}, err
	}
	r, err := s.Records().Replay(ctx, at, nth)
	if err != nil {
		return shownContext{}, err
	}
	plan := r.Plan
	plan.Spans = plan.SpansFor(r.Verdicts.Entries)
	plan.Sum, plan.Entries, plan.Added = r.Verdicts.Sum, r.Verdicts.Entries, r.Verdicts.Added
	plan.Rules = r.Request.Rules
	if !r.Proven {
		plan.NextToDrop = nil // it belongs to another plan
	}
	l := shownContext{
		ContextReport: report.NewContextReport(s.Info(), r.Request.Endpoint+"/"+r.Request.Model, plan),
		plan:          plan, record: r.RecordedRequest, body: func() ([]byte, error) { return r.Body, nil },
	}
	l.Request = report.NewPastRequest(r)
	return l, nil
}

// requestRef parses the number of a turn, N, or of one of its requests, N.K. nth is 0 for the last request.
func requestRef(flag, text string) (turn, nth int, err error) {
	first, second, several := strings.Cut(text, ".")
	turn, err = strconv.Atoi(first)
	if several && err == nil {
		nth, err = strconv.Atoi(second)
	}
	if err != nil || turn < 1 || several && nth < 1 {
		return 0, 0, fail(exitUsage, "%s is %q; must be the number of a turn such as 3, or 3.2 for its second request",
			flag, text)
	}
	return turn, nth, nil
}

// writeRequest prints the body of a request, or the request as one text with --prompt. It redacts secrets in what it
// prints; the request and its hash contain them.
func (p *program) writeRequest(l shownContext) error {
	body, err := l.body()
	text := string(body)
	if p.flags.prompt {
		text, err = history.RenderTextPrompt(history.NewTextPrompt(l.plan), "prompt", history.TextPromptTemplate)
	}
	if err != nil {
		return err
	}
	clean := p.cleaner()
	_, err = io.WriteString(p.out, clean.Text(text))
	p.reportRedacted(clean)
	if clean.Count > 0 && p.flags.wire {
		fmt.Fprintln(p.err, "They are in the request itself, and in its hash.")
	}
	return err
}

func (p *program) repairCommand() *cobra.Command {
	return p.withJSON(p.conversationCommand("repair [ID]", "List what is damaged in a chat, and what is sent instead",
		(*app).showRepairs))
}

// showRepairs lists the repairs of the next request. If the request would not be sent, because it does not fit or the
// policy refuses damaged messages, its plan is shown nevertheless.
func (a *app) showRepairs(ctx context.Context, s *session.Session) error {
	if err := s.LoadOlder(ctx); err != nil {
		return err
	}
	plan, err := s.Preview(session.Draft{})
	if err != nil && !errors.As(err, new(*history.OverBudgetError)) && !errors.As(err, new(*history.DamagedError)) {
		return err
	}
	whole := func(e history.Entry) bool { return len(e.Repairs) == 0 }
	return a.show(report.RepairList{
		Session: s.Info().ID, Title: report.SessionTitle(s.Info()), Model: s.Model().Ref(), Rules: plan.Rules,
		Entries: slices.DeleteFunc(slices.Clone(plan.Entries), whole),
	})
}
