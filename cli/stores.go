//go:build cgo

package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/session"
	"winnow/session/store"
)

// completeSession offers the ids of the newest sessions with their titles.
func (p *program) completeSession(
	c *cobra.Command, _ []string, _ string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	list, err := p.recentSessions(c.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []cobra.Completion
	for _, one := range list {
		out = append(out, cobra.CompletionWithDesc(report.ShortID(one.ID), report.Line(report.ShownTitle(one))))
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeOneSession is completeSession for the only argument of a command.
func (p *program) completeOneSession(
	c *cobra.Command, args []string, typed string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.completeSession(c, args, typed)
}

// recentSessions are the sessions used last, none where there is no store yet.
func (p *program) recentSessions(ctx context.Context) ([]store.Session, error) {
	s, err := p.openStore(ctx, true)
	if err != nil || s == nil {
		return nil, err
	}
	defer s.Close()
	return s.Sessions(ctx, store.Filter{Limit: 50})
}

// openStore opens the conversations for a command that needs no model. To look at what was never
// begun makes no file: readOnly gives nil where there is none.
func (p *program) openStore(ctx context.Context, readOnly bool) (*store.Store, error) {
	c, err := p.readConfig()
	if err != nil {
		return nil, err
	}
	path, err := p.dbPath(c)
	if err != nil {
		return nil, err
	}
	if readOnly && !exists(path) {
		if p.flags.db != "" || p.env("WINNOW_DB") != "" {
			return nil, fail(NotFound, "there is no database at %s", path)
		}
		return nil, nil
	}
	s, err := store.Open(ctx, path, store.Options{Now: p.now, Redact: p.redactor(c).Known})
	if err == nil {
		p.reportSalvage(s)
	}
	return s, err
}

// reportSalvage says what became of a damaged history: it is said once, at the opening that met it.
func (p *program) reportSalvage(s *store.Store) {
	if _, met := s.Salvaged(); !met {
		return
	}
	for _, n := range s.Notices() {
		fmt.Fprintln(p.err, n)
	}
}

// existingStore opens the conversations to find one of them.
func (p *program) existingStore(ctx context.Context, id string) (*store.Store, error) {
	s, err := p.openStore(ctx, true)
	if err == nil && s == nil {
		return nil, explainSession(id, store.ErrNotFound)
	}
	return s, err
}

// openSession opens a session that must exist, to be read.
func (p *program) openSession(ctx context.Context, id string) (*conversation, *session.Session, error) {
	st, err := p.existingStore(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	st.Close()
	p.flags.session = id
	k, err := p.open(ctx, toRead)
	if err != nil {
		return nil, nil, err
	}
	s, err := k.resume(ctx, id)
	if err != nil {
		k.close()
	}
	return k, s, err
}
