//go:build cgo

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/session"
	"winnow/session/store"
)

func (p *program) contextCommand() *cobra.Command {
	var f contextFlags
	c := &cobra.Command{
		Use:   "context ID",
		Short: "Show what the model would see of a session in the next request, and why",
		Long: "Show what the model would see of a session in the next request, and why. With --turn it is a " +
			"request of the past, put together again from its record. Nothing is sent, and the session stays as it is.",
		Example: "  winnow context 0195\n" +
			"  winnow context 0195 --draft \"and what about tests?\" --budget 4000 --json\n" +
			"  winnow context 0195 --wire | jq .messages\n" +
			"  winnow context 0195 --turn 7 --diff 6\n" +
			"  winnow context 0195 --prompt > handover.txt",
		Args:              takes("the id of a session", 1, 1),
		ValidArgsFunction: p.completeSession,
		RunE: p.do(func(ctx context.Context, args []string) error {
			asked, err := f.read(p.flags)
			if err != nil {
				return err
			}
			p.flags.session = args[0]
			return p.showContext(ctx, args[0], asked)
		}),
	}
	f.add(c)
	return c
}

// showContext shows what was asked of a session's context.
func (p *program) showContext(ctx context.Context, id string, asked contextAsked) error {
	k, err := p.openFor(ctx, id)
	if err != nil {
		return err
	}
	defer k.close()
	s, err := k.resume(ctx, id)
	if err != nil {
		return err
	}
	if p.flags.model != "" {
		asked.trial.Model = k.choice.Ref
		if err := s.Consider(ctx, k.choice.Ref); err != nil {
			return err
		}
	}
	if asked.diff {
		return p.contextDiff(ctx, s, asked)
	}
	l, err := p.look(ctx, s, asked)
	if err != nil {
		return err
	}
	if l.past != nil && !l.past.Proven {
		p.complain(p.err, fmt.Errorf("request %d of turn %d is rebuilt, but not proven to be what was sent: %s", l.past.Nth, l.past.Request.Turn, l.past.Doubt))
	}
	switch {
	case asked.json:
		return writeJSON(p.out, l.object())
	case asked.prompt, asked.wire:
		return p.writeRequest(l, asked, k.redactor)
	}
	return p.contextTable(l)
}

// look is a request to be shown: the next one, or one of the past.
type look struct {
	info     store.Session
	model    string
	plan     history.Plan
	messages []store.Message          // those the plan is about
	body     func() ([]byte, error)   // the bytes that the plan gives
	over     *history.OverBudgetError // why the next request would not be sent, nil where it would
	input    pricing.Cost             // what the next request costs before its answer
	past     *session.Replayed        // nil for the next request
	settings []session.Setting        // what decides the next request
	window   llm.Window               // of the model that the next request asks
}

// look finds the request that was asked for.
func (p *program) look(ctx context.Context, s *session.Session, asked contextAsked) (look, error) {
	if asked.turn != (moment{}) {
		return lookBack(ctx, s, asked.turn)
	}
	return p.lookAhead(ctx, s, asked)
}

// lookAhead plans the next request as the flags want it.
func (p *program) lookAhead(ctx context.Context, s *session.Session, asked contextAsked) (look, error) {
	if err := s.LoadRest(ctx); err != nil {
		return look{}, err
	}
	if err := p.count(ctx, s); err != nil {
		return look{}, err
	}
	s.Model().FindPrices(ctx)
	tried := s.Try(asked.trial)
	plan, err := tried.Preview(asked.draft)
	l := look{
		info: s.Info(), model: cmp.Or(asked.trial.Model, s.Ref()), plan: plan, messages: s.Messages(), window: tried.Window(),
		body: func() ([]byte, error) { return tried.Body(plan) },
	}
	var wrong *session.TrialError
	var unread error
	if err == nil || errors.As(err, &l.over) {
		l.settings, unread = tried.Settings()
	}
	switch {
	case unread != nil:
		return look{}, unread
	case errors.As(err, &l.over):
		return l, nil
	case errors.As(err, &wrong):
		return l, fail(Usage, "%w", err)
	case err != nil:
		return l, err
	}
	l.input = tried.InputCost(plan)
	return l, nil
}

// lookBack puts a past request together again. What became of the messages is what its record says:
// that needs no proof.
func lookBack(ctx context.Context, s *session.Session, at moment) (look, error) {
	r, err := s.Replay(ctx, at.turn, at.nth)
	if err != nil {
		return look{}, explainMoment(err)
	}
	l := look{
		info: s.Info(), model: r.Request.Endpoint + "/" + r.Request.Model, plan: r.Plan, messages: r.Messages, past: &r,
		body: func() ([]byte, error) { return r.Body, nil },
	}
	l.plan.Spans = r.Plan.SpansAmong(r.Verdicts.Entries)
	l.plan.Sum, l.plan.Entries, l.plan.Added, l.plan.Rules = r.Verdicts.Sum, r.Verdicts.Entries, r.Verdicts.Added, r.Request.Rules
	if !r.Proven {
		l.plan.Next = nil // of another plan
	}
	return l, nil
}

// explainMoment makes a request that is not there one that was not found.
func explainMoment(err error) error {
	if missing := (*session.NoRequestError)(nil); errors.As(err, &missing) {
		return fail(NotFound, "%w", err)
	}
	return err
}

// writeRequest writes a request as text: its bytes, or all of it as one text. What looks like a secret
// stays out on the way, and that is said; what is sent, and its hash, has it.
func (p *program) writeRequest(l look, asked contextAsked, r *llm.Redactor) error {
	if l.over != nil {
		return fail(Failed, "nothing would be sent: %w", l.over)
	}
	text, err := l.wire()
	if asked.prompt {
		text, err = asText(l, asked)
	}
	if err != nil {
		return err
	}
	clean := secretsTaken{redact: r.Text}
	if !asked.noRedact {
		text = clean.text(text)
	}
	if _, err = io.WriteString(p.out, text); err == nil {
		p.sayTaken(clean.count)
	}
	if err == nil && clean.count > 0 && asked.wire {
		_, err = fmt.Fprintln(p.err, "They are in the request itself, and in its hash.")
	}
	return err
}

// wire is the bytes of the request.
func (l look) wire() (string, error) {
	body, err := l.body()
	return string(body), err
}
