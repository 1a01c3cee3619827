//go:build cgo

package cli

import (
	"context"
	"fmt"

	"github.com/charmbracelet/x/term"

	"winnow/session"
)

// count counts what a session has not counted yet, so that its plan goes by no guess. A person sees
// how far it is.
func (p *program) count(ctx context.Context, s *session.Session) error {
	watched, shown := term.IsTerminal(p.err.Fd()), false
	err := s.CountAll(ctx, func(c session.Counting) {
		if watched && !c.Done() {
			fmt.Fprintf(p.err, "\rcounting tokens: %d of %d messages", c.Counted, c.Of)
			shown = true
		}
	})
	if shown {
		fmt.Fprintln(p.err)
	}
	return err
}
