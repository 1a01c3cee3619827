//go:build cgo

package cli

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"winnow/session/store"
)

// change does something to one session; rest is what stood behind its id.
type change func(ctx context.Context, s *store.Store, info store.Session, rest []string) error

// sessionsChanges are the commands that change one session.
func (p *program) sessionsChanges() []*cobra.Command {
	one := takes("the id of a session", 1, 1)
	tags := takes("the id of a session and the tags", 2, -1)
	return []*cobra.Command{
		p.sessionsChange("rename ID title", "Give a session a title of your own", takes("the id of a session and its new title", 2, -1),
			func(ctx context.Context, s *store.Store, info store.Session, rest []string) error {
				return s.Rename(ctx, info.ID, strings.Join(rest, " "), "user")
			}),
		p.sessionsChange("pin ID", "Keep a session on top of the list", one, pinned(true)),
		p.sessionsChange("unpin ID", "Let a session take its place in the list", one, pinned(false)),
		p.sessionsChange("archive ID", "Take a session out of the list without deleting it", one, archived(true)),
		p.sessionsChange("unarchive ID", "Put an archived session back into the list", one, archived(false)),
		p.sessionsChange("tag ID tags", "Give a session tags", tags, addTags),
		p.sessionsChange("untag ID tags", "Take tags from a session", tags, removeTags),
		p.sessionsChange("delete ID", "Move a session to the trash", one,
			func(ctx context.Context, s *store.Store, info store.Session, _ []string) error {
				return s.Delete(ctx, info.ID)
			}),
		p.sessionsChange("restore ID", "Take a session back from the trash", one,
			func(ctx context.Context, s *store.Store, info store.Session, _ []string) error {
				return s.Restore(ctx, info.ID)
			}),
		p.sessionsPurge(),
	}
}

func (p *program) sessionsChange(use, short string, args cobra.PositionalArgs, do change) *cobra.Command {
	return &cobra.Command{
		Use:               use,
		Short:             short,
		Args:              args,
		ValidArgsFunction: p.completeSession,
		RunE: p.do(func(ctx context.Context, args []string) error {
			return p.withSession(ctx, args[0], func(s *store.Store, info store.Session) error {
				return do(ctx, s, info, args[1:])
			})
		}),
	}
}

func pinned(is bool) change {
	return func(ctx context.Context, s *store.Store, info store.Session, _ []string) error {
		return s.SetPinned(ctx, info.ID, is)
	}
}

func archived(is bool) change {
	return func(ctx context.Context, s *store.Store, info store.Session, _ []string) error {
		return s.SetArchived(ctx, info.ID, is)
	}
}

func addTags(ctx context.Context, s *store.Store, info store.Session, rest []string) error {
	return s.SetTags(ctx, info.ID, append(info.Tags, splitTags(rest)...)...)
}

func removeTags(ctx context.Context, s *store.Store, info store.Session, rest []string) error {
	gone := splitTags(rest)
	return s.SetTags(ctx, info.ID, slices.DeleteFunc(info.Tags, func(t string) bool { return slices.Contains(gone, t) })...)
}

// splitTags reads tags with commas or spaces between them.
func splitTags(args []string) []string {
	return strings.FieldsFunc(strings.Join(args, " "), func(r rune) bool { return r == ',' || r == ' ' })
}

// sessionsPurge removes a session for good. It asks, and where nobody can answer it wants --yes.
func (p *program) sessionsPurge() *cobra.Command {
	var yes bool
	c := p.sessionsChange("purge ID", "Remove a session for good, and overwrite its text", takes("the id of a session", 1, 1),
		func(ctx context.Context, s *store.Store, info store.Session, _ []string) error {
			if !yes {
				if err := p.confirmPurge(info); err != nil {
					return err
				}
			}
			return s.Purge(ctx, info.ID)
		})
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}

// confirmPurge asks whether a session is to go for good, and returns an error where it is not.
func (p *program) confirmPurge(info store.Session) error {
	if !term.IsTerminal(p.in.Fd()) {
		return fail(Usage, "purge removes a session for good: say --yes, or run it on a terminal, where it asks")
	}
	fmt.Fprintf(p.err, "Remove %q for good, with %s? It cannot be brought back. Type yes: ", p.line(title(info)), allMessages(info.Messages))
	answer, _ := bufio.NewReader(p.in).ReadString('\n') // an end of input is not a yes
	if strings.TrimSpace(answer) != "yes" {
		return fail(Failed, "nothing was removed")
	}
	return nil
}

func allMessages(n int) string {
	if n == 1 {
		return "its one message"
	}
	return fmt.Sprintf("its %d messages", n)
}
