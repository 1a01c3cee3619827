//go:build cgo

package cli

import (
	"context"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"

	"winnow/session"
	"winnow/ui"
)

// closePatience is how long the last answer may take to be saved when the program ends.
const closePatience = 3 * time.Second

// chat runs the screen. Whatever ends it, the last line says how to go on.
func (p *program) chat(ctx context.Context, search string) error {
	config, err := p.readConfig()
	if err != nil {
		return err
	}
	if !term.IsTerminal(p.in.Fd()) || !term.IsTerminal(p.out.Fd()) {
		return fail(Usage, "the chat needs a terminal; winnow run \"...\" answers without one")
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	k, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer k.close()
	s, err := k.start(ctx)
	if err != nil {
		return err
	}
	id, err := ui.Run(ctx, ui.Options{
		Deps:    k.deps,
		Start:   s,
		Choice:  k.choice,
		Notices: append(k.store.Notices(), p.otherModel(s)...),
		Keys:    config.Keys,
		Theme:   config.UI.Theme,
		Mouse:   config.UI.Mouse,
	})
	if id != "" {
		fmt.Fprintf(p.out, "winnow -s %s\n", k.shortID(id))
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

// otherModel says that a session could not be opened with the model it was left with.
func (p *program) otherModel(s *session.Session) []string {
	return nil
}
