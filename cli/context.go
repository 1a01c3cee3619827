//go:build cgo

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/history"
	"winnow/llm/mcp"
	"winnow/llm/redact"
	"winnow/session"
	"winnow/session/record"
)

func (p *program) contextCommand() *cobra.Command {
	var f contextFlags
	c := &cobra.Command{
		Use:   "context ID",
		Short: "Show what the model would see of a session in the next request, and why",
		Long: "Show what the model would see of a session in the next request, and why. With --turn, show a " +
			"past request, rebuilt from its record. Nothing is sent, and the session is not changed.",
		Example: "  winnow context 0195\n" +
			"  winnow context 0195 --draft \"and what about tests?\" --budget 4000 --json\n" +
			"  winnow context 0195 --wire | jq .messages\n" +
			"  winnow context 0195 --turn 7 --diff 6\n" +
			"  winnow context 0195 --prompt > handover.txt",
		Args:              takes("the id of a session", 1, 1),
		ValidArgsFunction: p.completeOneSession,
		RunE: p.do(func(ctx context.Context, args []string) error {
			asked, err := f.read(p.flags)
			if err != nil {
				return err
			}
			return p.showContext(ctx, args[0], asked)
		}),
	}
	f.add(c)
	return c
}

// showContext shows what was asked of a session's context.
func (p *program) showContext(ctx context.Context, id string, asked contextAsked) error {
	k, s, err := p.openSession(ctx, id)
	if err != nil {
		return err
	}
	defer k.close()
	if p.flags.model != "" {
		asked.trial.Model = k.choice.Ref
	}
	if asked.diff {
		return p.contextDiff(ctx, s, asked)
	}
	l, err := p.contextOf(ctx, s, asked)
	if err != nil {
		return err
	}
	if l.Past == nil && slices.ContainsFunc(k.servers.List(), func(s mcp.Status) bool { return s.State == mcp.Idle }) {
		fmt.Fprintln(p.err, "winnow: the tools of MCP servers are not counted, because this command starts no "+
			"servers; winnow tools shows their tokens")
	}
	if l.Past != nil && !l.Past.Proven {
		p.reportError(p.err, fmt.Errorf("request %d of turn %d was rebuilt, but is not proven to be what was sent: %s",
			l.Past.Nth, l.Past.Request.Turn, l.Past.Doubt))
	}
	switch {
	case asked.json:
		return report.WriteJSON(p.out, l.JSON())
	case asked.prompt, asked.wire:
		return p.writeRequest(l, asked, k.redactor)
	}
	if err := l.Table(p.out, p.columns()); err != nil || l.Over == nil {
		return err
	}
	return fail(Failed, "nothing would be sent: %s", l.waysOut)
}

// shownContext is a request to be shown, and the bytes that its plan gives.
type shownContext struct {
	report.Context
	body    func() ([]byte, error)
	waysOut string // how much too large the request is, and what helps; "" where it would be sent
}

// contextOf finds the request that was asked for.
func (p *program) contextOf(ctx context.Context, s *session.Session, asked contextAsked) (shownContext, error) {
	next := func() (shownContext, error) { return p.nextContext(ctx, s, asked) }
	if asked.turn != (pastRef{}) {
		next = func() (shownContext, error) { return pastContext(ctx, s, asked.turn) }
	}
	l, err := next()
	if err == nil {
		l.Labels, err = labelsOf(ctx, l.Messages)
	}
	return l, err
}

// nextContext plans the next request as the flags want it.
func (p *program) nextContext(ctx context.Context, s *session.Session, asked contextAsked) (shownContext, error) {
	if err := s.LoadRest(ctx); err != nil {
		return shownContext{}, err
	}
	tried := s.Try(ctx, asked.trial)
	plan, err := tried.Preview(session.Draft{Text: asked.draft})
	l := shownContext{
		Context: report.Context{
			Info: s.Info(), Model: cmp.Or(asked.trial.Model, s.Model().Ref()), Plan: plan, Messages: s.Branch(),
			Window: tried.To.Window(),
		},
		body: func() ([]byte, error) { return tried.Body(plan) },
	}
	var unread error
	if err == nil || errors.As(err, &l.Over) {
		l.Settings, unread = tried.Settings()
	}
	switch {
	case unread != nil:
		return shownContext{}, unread
	case l.Over != nil:
		l.waysOut = waysOut(session.Oversize(l.Over, tried.To.Windows()), tried.To.Client.Endpoint().Name)
		return l, nil
	case tried.Err != nil:
		return l, fail(Usage, "%w", err)
	case err != nil:
		return l, err
	}
	l.Input = tried.To.InputCost(plan.Sum)
	return l, nil
}

// pastContext puts a past request together again. What became of the messages is what its record says:
// that needs no proof.
func pastContext(ctx context.Context, s *session.Session, at pastRef) (shownContext, error) {
	r, err := s.Records().Replay(ctx, at.turn, at.nth)
	if err != nil {
		return shownContext{}, explainMoment(err)
	}
	l := shownContext{
		Context: report.Context{
			Info: s.Info(), Model: r.Request.Endpoint + "/" + r.Request.Model, Plan: r.Plan,
			Messages: r.Messages, Past: &r,
		},
		body: func() ([]byte, error) { return r.Body, nil },
	}
	l.Plan.Spans = r.Plan.SpansAmong(r.Verdicts.Entries)
	l.Plan.Sum, l.Plan.Entries, l.Plan.Added, l.Plan.Rules = r.Verdicts.Sum, r.Verdicts.Entries, r.Verdicts.Added,
		r.Request.Rules
	if !r.Proven {
		l.Plan.Next = nil // of another plan
	}
	return l, nil
}

// explainMoment makes a request that is not there one that was not found.
func explainMoment(err error) error {
	if missing := (*record.NoRequestError)(nil); errors.As(err, &missing) {
		return fail(NotFound, "%w", err)
	}
	return err
}

// writeRequest writes a request as text: its bytes, or all of it as one text. What looks like a secret
// stays out on the way, and that is said; what is sent, and its hash, has it.
func (p *program) writeRequest(l shownContext, asked contextAsked, r *redact.Redactor) error {
	if l.Over != nil {
		return fail(Failed, "nothing would be sent: %s", l.waysOut)
	}
	body, err := l.body()
	text := string(body)
	if asked.prompt {
		text, err = asText(l, asked)
	}
	if err != nil {
		return err
	}
	clean := redaction{redact: r.Text}
	if !asked.noRedact {
		text = clean.text(text)
	}
	if _, err = io.WriteString(p.out, text); err == nil {
		p.reportRedacted(clean.count)
	}
	if err == nil && clean.count > 0 && asked.wire {
		_, err = fmt.Fprintln(p.err, "They are in the request itself, and in its hash.")
	}
	return err
}

// asText is a request as one text.
func asText(l shownContext, asked contextAsked) (string, error) {
	text, err := history.RenderPrompt(history.NewPrompt(l.Plan), asked.templateName, asked.template)
	if err != nil {
		err = fail(Usage, "%w", err)
	}
	return text, err
}
