package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"winnow/session"
	"winnow/session/store"
)

// storeCommand makes a command that looks at the conversations.
func (p *program) storeCommand(
	use, short string, run func(ctx context.Context, s *store.Store, args []string) error,
) *cobra.Command {
	return p.command(use, short, func(ctx context.Context, args []string) error {
		return p.withStore(ctx, true, func(s *store.Store) error { return run(ctx, s, args) })
	})
}

// sessionCommand makes a command about a session, the last one where none is named; rest is what stood behind its id.
func (p *program) sessionCommand(
	use, short string, run func(ctx context.Context, s *store.Store, info store.Session, rest []string) error,
) *cobra.Command {
	return p.storeCommand(use, short, func(ctx context.Context, s *store.Store, args []string) error {
		args = append(args, "")
		info, err := findSession(ctx, s, args[0])
		if err != nil {
			return err
		}
		return run(ctx, s, info, args[1:])
	})
}

// withStore opens the conversations for a command that needs nothing else.
func (p *program) withStore(ctx context.Context, look bool, use func(*store.Store) error) error {
	return p.withSetup(ctx, look, func(w *setup) error { return use(w.store) })
}

// reportSalvage says what became of a damaged history: it is said once, at the opening that met it.
func (p *program) reportSalvage(s *store.Store) {
	if s.Salvaged() {
		for _, n := range s.Notices() {
			fmt.Fprintln(p.err, n)
		}
	}
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
	p.flags.session, p.flags.last = id, id == ""
	k, err := p.open(ctx, toRead)
	if err != nil {
		return err
	}
	defer k.close()
	p.reportSalvage(k.store)
	s, err := session.Open(ctx, k.deps, p.flags.session, k.choice.Ref)
	if err != nil {
		return explainSession(id, err)
	}
	return use(k, s)
}
