//go:build cgo

package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/session/store"
)

func (p *program) sessionsFork() *cobra.Command {
	var at int
	var asJSON bool
	var c *cobra.Command
	c = &cobra.Command{
		Use:               "fork ID",
		Short:             "Copy a session, or the beginning of one, to a new session",
		Args:              takes("the id of a session", 1, 1),
		ValidArgsFunction: p.completeOneSession,
		RunE: p.do(func(ctx context.Context, args []string) error {
			return p.withSession(ctx, args[0], func(s *store.Store, info store.Session) error {
				end := info.Leaf
				if c.Flags().Changed("at") {
					var err error
					if end, err = numbered(ctx, s, info, at); err != nil {
						return err
					}
				}
				fork, err := s.Fork(ctx, info.ID, end)
				if err != nil {
					return err
				}
				if asJSON {
					return report.WriteJSON(p.out, report.SessionJSON(fork))
				}
				_, err = fmt.Fprintf(p.out, "%s is a fork of %s: winnow -s %s\n", report.Line(report.ShownTitle(fork)),
					report.Line(report.ShownTitle(info)), fork.ID)
				return err
			})
		}),
	}
	c.Flags().IntVar(&at, "at", 0, "the number of the last message to copy, from sessions show --tree; the default "+
		"is the whole active branch")
	c.Flags().BoolVar(&asJSON, "json", false, "print the new session as a JSON object, as list does")
	return c
}

// numbered is the id of the message with a number in its session, as sessions show --tree lists them.
func numbered(ctx context.Context, s *store.Store, info store.Session, number int) (int64, error) {
	all, err := s.Messages(ctx, info.ID)
	if err != nil {
		return 0, err
	}
	for _, m := range all {
		if m.Seq == number {
			return m.ID, nil
		}
	}
	return 0, fail(NotFound, "there is no message %d in this session; winnow sessions show --tree lists them", number)
}
