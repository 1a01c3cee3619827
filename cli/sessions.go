//go:build cgo

package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/session/record"
	"winnow/session/store"
)

func (p *program) sessionsCommand() *cobra.Command {
	all := []*cobra.Command{
		p.sessionsList(), p.sessionsSearch(), p.sessionsShow(), p.sessionsFork(), p.sessionsImport(),
		p.sessionsExport(),
	}
	return group(&cobra.Command{Use: "sessions", Short: "List, find, show, fork, import, export and change sessions"},
		append(all, p.sessionsChanges()...)...)
}

func (p *program) sessionsList() *cobra.Command {
	var f store.Filter
	var asJSON, noRedact bool
	var dir string
	c := &cobra.Command{
		Use:   "list [words]",
		Short: "List the sessions, most recently used first",
		RunE: p.do(func(ctx context.Context, args []string) error {
			if f.Limit < 0 {
				return fail(Usage, "--limit must be 1 or more")
			}
			f.Text = strings.Join(args, " ")
			if dir != "" {
				absolute, err := filepath.Abs(dir)
				if err != nil {
					return fmt.Errorf("cannot find the folder %s: %w", dir, err)
				}
				f.Dir = absolute
			}
			s, err := p.openStore(ctx, true)
			if err != nil {
				return err
			}
			if s == nil {
				return p.noSessions(asJSON)
			}
			defer s.Close()
			list, err := s.Sessions(ctx, f)
			if err != nil {
				return err
			}
			clean, err := p.newRedaction(noRedact)
			if err != nil {
				return err
			}
			list = clean.sessions(list)
			defer func() { p.reportRedacted(clean.count) }()
			if asJSON {
				return report.WriteJSON(p.out, report.SessionsJSON(list))
			}
			if len(list) == 0 && narrowed(f) {
				_, err := fmt.Fprintln(p.err, "No session matches.")
				return err
			}
			if len(list) == 0 {
				return p.noSessions(false)
			}
			return report.Sessions(p.out, list)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	c.Flags().BoolVar(&f.Trash, "trash", false, "list the sessions in the trash")
	c.Flags().BoolVar(&f.Archived, "archived", false, "list the archived sessions")
	c.Flags().StringVar(&f.Tag, "tag", "", "list the sessions with this tag")
	c.Flags().StringVar(&dir, "dir", "",
		"list the sessions started in this folder or below it; . is the current folder")
	c.Flags().IntVar(&f.Limit, "limit", 0, "list at most this many")
	noRedactFlag(c, &noRedact)
	return c
}

// narrowed says whether a list was asked for some of the sessions only.
func narrowed(f store.Filter) bool {
	return f.Text != "" || f.Dir != "" || f.Tag != "" || f.Trash || f.Archived
}

// noSessions is the list of somebody who has never chatted.
func (p *program) noSessions(asJSON bool) error {
	if asJSON {
		return report.WriteJSON(p.out, report.SessionsJSON(nil))
	}
	_, err := fmt.Fprintln(p.err, "There are no sessions yet.")
	return err
}

func (p *program) sessionsShow() *cobra.Command {
	var asJSON, tree, noRedact bool
	c := &cobra.Command{
		Use:               "show ID",
		Short:             "Print a session's messages",
		Args:              takes("the id of a session", 1, 1),
		ValidArgsFunction: p.completeOneSession,
		RunE: p.do(func(ctx context.Context, args []string) error {
			return p.withSession(ctx, args[0], func(s *store.Store, info store.Session) error {
				clean, err := p.newRedaction(noRedact)
				if err != nil {
					return err
				}
				defer func() { p.reportRedacted(clean.count) }()
				if tree {
					return p.showTree(ctx, s, info, clean, asJSON)
				}
				messages, err := s.Branch(ctx, info.Leaf, 0)
				if err != nil {
					return err
				}
				used, err := record.UsageIn(ctx, s, info.ID)
				if err != nil {
					return err
				}
				info, messages = clean.conversation(info, messages)
				if asJSON {
					return report.WriteJSON(p.out, report.ConversationJSON(info, used.Spent, messages))
				}
				report.Conversation(p.out, info, used.Spent, messages)
				return nil
			})
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	c.Flags().BoolVar(&tree, "tree", false, "show all branches, one line per message; * marks the active branch")
	noRedactFlag(c, &noRedact)
	return c
}

// withSession finds a stored session by its id or the beginning of it.
func (p *program) withSession(ctx context.Context, id string, use func(*store.Store, store.Session) error) error {
	s, err := p.existingStore(ctx, id)
	if err != nil {
		return err
	}
	defer s.Close()
	info, err := s.Session(ctx, id)
	if err != nil {
		return explainSession(id, err)
	}
	return use(s, info)
}

// showTree writes every branch of a session.
func (p *program) showTree(
	ctx context.Context, s *store.Store, info store.Session, clean *redaction, asJSON bool,
) error {
	messages, err := s.Messages(ctx, info.ID)
	if err != nil {
		return err
	}
	info, messages = clean.conversation(info, messages)
	t := report.NewTree(messages, info.Leaf)
	if asJSON {
		return report.WriteJSON(p.out, t.JSON(info))
	}
	return t.Write(p.out, info)
}
