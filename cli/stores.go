package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/session"
	"winnow/session/store"
)

// openStore opens the conversations for a command that needs no model. To look at what was never begun makes no file:
// where there is none, readOnly gives an empty history in memory.
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
		path = store.Memory
	}
	s, err := store.Open(ctx, path, store.Options{Now: p.now, Redact: p.redactor(c, p.endpoints(c)).Known})
	if err == nil {
		p.reportSalvage(s)
	}
	return s, err
}

// reportSalvage says what became of a damaged history: it is said once, at the opening that met it.
func (p *program) reportSalvage(s *store.Store) {
	if _, met := s.Salvaged(); met {
		for _, n := range s.Notices() {
			fmt.Fprintln(p.err, n)
		}
	}
}

// withSession finds a stored session by its id or the beginning of it; "" is the last one.
func (p *program) withSession(ctx context.Context, id string, use func(*store.Store, store.Session) error) error {
	s, err := p.openStore(ctx, true)
	if err != nil {
		return err
	}
	defer s.Close()
	info, err := findSession(ctx, s, id)
	if err != nil {
		return err
	}
	return use(s, info)
}

// findSession finds a session by its id or the beginning of it; "" is the one used last.
func findSession(ctx context.Context, s *store.Store, id string) (store.Session, error) {
	if id != "" {
		info, err := s.Session(ctx, id)
		return info, explainSession(id, err)
	}
	last, err := s.Sessions(ctx, store.Filter{LastUsed: true, Limit: 1})
	if err == nil && len(last) == 0 {
		return store.Session{}, fail(NotFound, "there is no session yet; start one with winnow")
	}
	if err != nil {
		return store.Session{}, err
	}
	return s.Session(ctx, last[0].ID)
}

// explainSession is the sentence for a session that did not open.
func explainSession(id string, err error) error {
	if many := (*store.AmbiguousError)(nil); errors.As(err, &many) {
		return &failure{exit: NotFound, text: many.Error(), err: err}
	}
	if errors.Is(err, store.ErrNotFound) {
		text := fmt.Sprintf("there is no session %q; winnow sessions list lists all sessions", id)
		return &failure{exit: NotFound, text: text, err: err}
	}
	return err
}

// withConversation opens a session to be read as it would be continued; "" is the last one.
func (p *program) withConversation(
	ctx context.Context, id string, use func(*conversation, *session.Session) error,
) error {
	err := p.withSession(ctx, id, func(_ *store.Store, info store.Session) error {
		p.flags.session = info.ID
		return nil
	})
	if err != nil {
		return err
	}
	k, err := p.open(ctx, toRead)
	if err != nil {
		return err
	}
	defer k.close()
	s, err := session.Open(ctx, k.deps, p.flags.session, k.choice.Ref)
	if err != nil {
		return explainSession(id, err)
	}
	return use(k, s)
}

// completeSession offers the ids of the newest sessions with their titles.
func (p *program) completeSession(
	c *cobra.Command, _ []string, _ string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, one := range p.recentSessions(c.Context()) {
		out = append(out, cobra.CompletionWithDesc(report.ShortID(one.ID), report.Line(report.Title(one))))
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// recentSessions are the sessions used last, none where they cannot be read.
func (p *program) recentSessions(ctx context.Context) []store.Session {
	s, err := p.openStore(ctx, true)
	if err != nil {
		return nil
	}
	defer s.Close()
	list, _ := s.Sessions(ctx, store.Filter{Limit: 50})
	return list
}
