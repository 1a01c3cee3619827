//go:build cgo

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/session/store"
	"winnow/session/store/backup"
)

// change does something to one session; rest is what stood behind its id.
type change func(ctx context.Context, s *store.Store, info store.Session, rest []string) error

// sessionsChanges are the commands that change one session.
func (p *program) sessionsChanges() []*cobra.Command {
	one := takes("the id of a session", 1, 1)
	tags := takes("the id of a session and the tags", 2, -1)
	return []*cobra.Command{
		p.sessionsChange("rename ID title", "Rename a session", takes("the id of a session and its new title", 2, -1),
			func(ctx context.Context, s *store.Store, info store.Session, rest []string) error {
				return s.Rename(ctx, info.ID, strings.Join(rest, " "), store.TitleUser)
			}),
		p.sessionsChange("pin ID", "Pin a session to the top of the list", one, pinned(true)),
		p.sessionsChange("unpin ID", "Unpin a session", one, pinned(false)),
		p.sessionsChange("archive ID", "Archive a session: hide it from the list without deleting it", one,
			archived(true)),
		p.sessionsChange("unarchive ID", "Unarchive a session", one, archived(false)),
		p.sessionsChange("tag ID tags", "Add tags to a session", tags, addTags),
		p.sessionsChange("untag ID tags", "Remove tags from a session", tags, removeTags),
		p.sessionsChange("delete ID", "Move a session to the trash", one, byID((*store.Store).Delete)),
		p.sessionsChange("restore ID", "Restore a session from the trash", one, byID((*store.Store).Restore)),
		p.sessionsPurge(),
	}
}

func (p *program) sessionsChange(use, short string, args cobra.PositionalArgs, do change) *cobra.Command {
	return &cobra.Command{
		Use:               use,
		Short:             short,
		Args:              args,
		ValidArgsFunction: p.completeOneSession,
		RunE: p.do(func(ctx context.Context, args []string) error {
			return p.withSession(ctx, args[0], func(s *store.Store, info store.Session) error {
				return do(ctx, s, info, args[1:])
			})
		}),
	}
}

// byID changes a session by its id alone.
func byID(do func(*store.Store, context.Context, string) error) change {
	return func(ctx context.Context, s *store.Store, info store.Session, _ []string) error {
		return do(s, ctx, info.ID)
	}
}

func pinned(is bool) change {
	return func(ctx context.Context, s *store.Store, info store.Session, _ []string) error {
		return s.Update(ctx, info.ID, func(row *store.Session) { row.Pinned = is })
	}
}

func archived(is bool) change {
	return func(ctx context.Context, s *store.Store, info store.Session, _ []string) error {
		return s.Update(ctx, info.ID, func(row *store.Session) { row.Archived = is })
	}
}

func addTags(ctx context.Context, s *store.Store, info store.Session, rest []string) error {
	return s.Update(ctx, info.ID, func(row *store.Session) { row.Tags = append(row.Tags, splitTags(rest)...) })
}

func removeTags(ctx context.Context, s *store.Store, info store.Session, rest []string) error {
	gone := splitTags(rest)
	return s.Update(ctx, info.ID, func(row *store.Session) {
		row.Tags = slices.DeleteFunc(row.Tags, func(t string) bool { return slices.Contains(gone, t) })
	})
}

// splitTags reads tags with commas or spaces between them.
func splitTags(args []string) []string {
	return strings.FieldsFunc(strings.Join(args, " "), func(r rune) bool { return r == ',' || r == ' ' })
}

// sessionsPurge removes a session for good. It asks, and where nobody can answer it wants --yes.
func (p *program) sessionsPurge() *cobra.Command {
	var yes bool
	var copies string
	c := &cobra.Command{
		Use:   "purge ID",
		Short: "Delete a session permanently, and overwrite its text",
		Long: "purge deletes a session with everything that belongs to it, and overwrites its text. Backups and " +
			"files that were set aside may still contain it: " +
			"purge lists them, and --copies decides what to do with them. This also works later, with the full ID of " +
			"the purged session.",
		Args:              takes("the id of a session", 1, 1),
		ValidArgsFunction: p.completeOneSession,
		RunE: p.do(func(ctx context.Context, args []string) error {
			if !slices.Contains([]string{"", keepCopies, rewriteCopies, deleteCopies}, copies) {
				return fail(Usage, "--copies must be %s, %s or %s", keepCopies, rewriteCopies, deleteCopies)
			}
			return p.purge(ctx, args[0], yes, copies)
		}),
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask for confirmation")
	c.Flags().StringVar(&copies, "copies", "", "what to do with backups and files set aside that contain the "+
		"session: keep, rewrite or delete")
	return c
}

// What becomes of the files that hold a purged session.
const (
	keepCopies    = "keep"
	rewriteCopies = "rewrite"
	deleteCopies  = "delete"
)

func (p *program) purge(ctx context.Context, id string, yes bool, how string) error {
	s, err := p.existingStore(ctx, id)
	if err != nil {
		return err
	}
	defer s.Close()
	info, err := s.Session(ctx, id)
	if errors.Is(err, store.ErrNotFound) && how != "" && uuid.Validate(id) == nil {
		return p.purgeCopies(ctx, s.Path(), store.Session{ID: strings.ToLower(id)}, yes, how)
	}
	if err != nil {
		return explainSession(id, err)
	}
	if !yes {
		if err := p.confirmPurge(info); err != nil {
			return err
		}
	}
	purged := s.Purge(ctx, info.ID)
	if purged != nil && !errors.Is(purged, store.ErrNotOverwritten) {
		return purged
	}
	return firstError(p.purgeCopies(ctx, s.Path(), info, yes, how), purged)
}

// purgeCopies names the files beside the history that hold a purged session, and rewrites or deletes
// them. Where it is not said what becomes of them, it asks on a terminal.
func (p *program) purgeCopies(ctx context.Context, path string, info store.Session, yes bool, how string) error {
	files, err := backup.Copies(ctx, path, info.ID)
	if err != nil || len(files) == 0 {
		return err
	}
	if how == "" && !yes && term.IsTerminal(p.in.Fd()) {
		how = p.askCopies(files)
	}
	var failed error
	for _, c := range files {
		var err error
		switch {
		case how == deleteCopies:
			err = c.Delete()
		case how == rewriteCopies && !c.Damaged:
			err = store.PurgeCopy(ctx, c, info)
		case c.Damaged:
			fmt.Fprintf(p.err, "winnow: damaged, may still contain the session: %s\n", c.Path)
			continue
		default:
			fmt.Fprintf(p.err, "winnow: still contains the session: %s\n", c.Path)
			continue
		}
		if err != nil {
			failed = firstError(failed, err)
			continue
		}
		fmt.Fprintf(p.err, "winnow: %s: %s\n", map[string]string{
			deleteCopies: "deleted", rewriteCopies: "rewritten without the session",
		}[how], c.Path)
	}
	if how == "" {
		fmt.Fprintf(p.err, "winnow: to remove it from these files, run: winnow sessions purge --copies rewrite %s "+
			"(or --copies delete)\n", info.ID)
	}
	return failed
}

// askCopies asks what becomes of the files that hold a purged session.
func (p *program) askCopies(files []backup.Copy) string {
	fmt.Fprintln(p.err, "Backups and files set aside that contain or may contain the session:")
	for _, c := range files {
		damaged := ""
		if c.Damaged {
			damaged = " (damaged: can only be deleted)"
		}
		fmt.Fprintf(p.err, "  %s%s\n", c.Path, damaged)
	}
	fmt.Fprint(p.err, "Type rewrite to remove the session from these files, delete to delete the files, or press "+
		"enter to keep them: ")
	answer, _ := bufio.NewReader(p.in).ReadString('\n') // an end of input keeps them
	switch answer = strings.TrimSpace(answer); answer {
	case rewriteCopies, deleteCopies:
		return answer
	}
	return keepCopies
}

// confirmPurge asks whether a session is to go for good, and returns an error where it is not.
func (p *program) confirmPurge(info store.Session) error {
	if !term.IsTerminal(p.in.Fd()) {
		return fail(Usage, "purge deletes a session permanently: confirm with --yes, or run it in a terminal, where "+
			"it asks")
	}
	fmt.Fprintf(p.err, "Delete %q permanently, with %s? This cannot be undone. Type yes to confirm: ",
		report.Line(report.ShownTitle(info)), allMessages(info.Messages))
	answer, _ := bufio.NewReader(p.in).ReadString('\n') // an end of input is not a yes
	if strings.TrimSpace(answer) != "yes" {
		return fail(Failed, "nothing was deleted")
	}
	return nil
}

func allMessages(n int) string {
	if n == 1 {
		return "its one message"
	}
	return fmt.Sprintf("its %d messages", n)
}
