package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/session/store/backup"
	"winnow/ui/theme"
)

func (p *program) sessionsCommand() *cobra.Command {
	return group("sessions", "List, find, show, fork, import, export and change chats",
		p.sessionsList(), p.sessionsSearch(), p.sessionsShow(), p.sessionsFork(), p.sessionsImport(),
		p.sessionsExport(),
		p.sessionCommand("rename ID title...", "Rename a chat",
			func(ctx context.Context, s *store.Store, info store.Session, rest []string) error {
				title := strings.TrimSpace(strings.Join(rest, " "))
				return s.UpdateSession(ctx, info.ID, func(row *store.Session) {
					row.Title, row.TitleFrom = title, store.TitleUser
				})
			}),
		p.editSession("pin ID", "Pin a chat to the top of the list",
			func(row *store.Session, _ []string) { row.Pinned = true }),
		p.editSession("unpin ID", "Unpin a chat", func(row *store.Session, _ []string) { row.Pinned = false }),
		p.editSession("archive ID", "Archive a chat: hide it from the list without deleting it",
			func(row *store.Session, _ []string) { row.Archived = true }),
		p.editSession("unarchive ID", "Unarchive a chat",
			func(row *store.Session, _ []string) { row.Archived = false }),
		p.editSession("tag ID tag...", "Add tags to a chat",
			func(row *store.Session, tags []string) { row.Tags = append(row.Tags, tags...) }),
		p.editSession("untag ID tag...", "Remove tags from a chat", func(row *store.Session, tags []string) {
			row.Tags = slices.DeleteFunc(row.Tags, func(t string) bool { return slices.Contains(tags, t) })
		}),
		p.editSession("delete ID", "Move a chat to the trash",
			func(row *store.Session, _ []string) { row.Deleted = p.now() }),
		p.editSession("restore ID", "Restore a chat from the trash",
			func(row *store.Session, _ []string) { row.Deleted = time.Time{} }),
		p.sessionsPurge())
}

// editSession returns a command that edits the row of a session. words is the arguments after the id, separated by
// commas or spaces.
func (p *program) editSession(use, short string, edit func(row *store.Session, words []string)) *cobra.Command {
	return p.sessionCommand(use, short,
		func(ctx context.Context, s *store.Store, info store.Session, rest []string) error {
			words := strings.FieldsFunc(strings.Join(rest, " "), func(r rune) bool { return r == ',' || r == ' ' })
			return s.UpdateSession(ctx, info.ID, func(row *store.Session) { edit(row, words) })
		})
}

func (p *program) sessionsList() *cobra.Command {
	var f store.SessionFilter
	c := p.withJSON(p.storeCommand("list [words]...", "List the chats, most recently used first",
		func(ctx context.Context, s *store.Store, args []string) error {
			f.Text = strings.Join(args, " ")
			list, err := s.Sessions(ctx, f)
			if err != nil {
				return err
			}
			if len(list) == 0 {
				fmt.Fprintln(p.err, "There are no such chats.")
			}
			return p.show(report.SessionList(list))
		}))
	c.Flags().BoolVar(&f.Trash, "trash", false, "list the chats in the trash")
	c.Flags().BoolVar(&f.Archived, "archived", false, "list the archived chats")
	c.Flags().StringVar(&f.Tag, "tag", "", "list the chats with this tag")
	c.Flags().IntVar(&f.Limit, "limit", 0, "list at most this many")
	return c
}

func (p *program) sessionsShow() *cobra.Command {
	return p.withJSON(p.sessionCommand("show [ID]", "Print the messages of a chat, or of the last one",
		func(ctx context.Context, s *store.Store, info store.Session, _ []string) error {
			messages, err := s.Branch(ctx, info.Leaf, 0)
			if err != nil {
				return err
			}
			used, err := record.SessionUsage(ctx, s, info.ID)
			if err != nil {
				return err
			}
			return p.show(report.Conversation{Session: info, Cost: used.CostSum, Messages: messages})
		}))
}

func (p *program) sessionsFork() *cobra.Command {
	return p.withJSON(p.sessionCommand("fork ID", "Copy a chat to a new one",
		func(ctx context.Context, s *store.Store, info store.Session, _ []string) error {
			fork, err := s.Fork(ctx, info.ID, info.Leaf)
			if err != nil {
				return err
			}
			if p.flags.json {
				return p.show(fork)
			}
			fmt.Fprintf(p.out, "winnow -s %s\n", fork.ID)
			return nil
		}))
}

// findSession finds a session by its id or a prefix of it; "" is the session used last.
func findSession(ctx context.Context, s *store.Store, id string) (store.Session, error) {
	if id == "" {
		last, err := s.Sessions(ctx, store.SessionFilter{LastUsed: true, Limit: 1})
		if err == nil && len(last) == 0 {
			err = fail(exitNotFound, "there is no chat yet; start one with winnow")
		}
		if err != nil {
			return store.Session{}, err
		}
		id = last[0].ID
	}
	info, err := s.Session(ctx, id)
	switch {
	case errors.Is(err, store.ErrAmbiguous):
		err = fail(exitNotFound, "%w", err)
	case errors.Is(err, store.ErrNotFound):
		err = fail(exitNotFound, "there is no chat %q; winnow sessions list lists all chats", id)
	}
	return info, err
}

// indexTimeout bounds how long a search first updates the index.
const indexTimeout = 2 * time.Second

func (p *program) sessionsSearch() *cobra.Command {
	var in store.SearchQuery
	c := p.withJSON(p.storeCommand("search words...", "Search the text of all messages, newest first",
		func(ctx context.Context, s *store.Store, args []string) error {
			in.Text = strings.Join(args, " ")
			return p.search(ctx, s, in)
		}))
	c.Example = "  winnow sessions search '\"sourdough starter\" flour' --limit 5"
	c.Flags().IntVar(&in.Limit, "limit", 20, "list at most this many")
	c.Flags().StringVar(&in.Session, "session", "", "search only the chat with this id, or the beginning of its id")
	c.Flags().BoolVar(&in.Trash, "trash", false, "also search the trash")
	return c
}

// search searches the stored messages. It first updates the index for a limited time, and reports on standard error how
// many messages are still missing.
func (p *program) search(ctx context.Context, s *store.Store, in store.SearchQuery) error {
	if in.Session != "" {
		info, err := findSession(ctx, s, in.Session)
		if err != nil {
			return err
		}
		// A named session is searched even in the trash.
		in.Session, in.Trash = info.ID, in.Trash || !info.Deleted.IsZero()
	}
	left, err := s.Unindexed(ctx)
	for end := time.Now().Add(indexTimeout); left > 0 && err == nil && !s.ReadOnly() && time.Now().Before(end); {
		left, err = s.IndexSome(ctx)
	}
	if err != nil {
		return err
	}
	if left > 0 {
		p.warn("%d messages are not in the search index yet; the chat and every search add more of them", left)
	}
	in.Hide = p.cleaner().Redact
	hits, err := s.Search(ctx, in)
	if err != nil {
		return err
	}
	if len(hits) == 0 {
		fmt.Fprintf(p.err, "No message contains all of %s.\n", report.ShortLine(in.Text))
	}
	return p.show(report.SearchHits(hits))
}

// sessionsPurge returns the command that deletes a session permanently. It asks for confirmation, or requires --yes
// without a terminal.
func (p *program) sessionsPurge() *cobra.Command {
	c := p.storeCommand("purge ID", "Delete a chat permanently, and overwrite its text", p.purge)
	c.Long = "purge deletes a chat with everything that belongs to it, and overwrites its text. Backups and files " +
		"that were set aside may still contain it: purge lists them, and --copies decides what to do with them, also " +
		"later, with the full ID of the purged chat."
	c.Flags().BoolVar(&p.flags.yes, "yes", false, "do not ask for confirmation")
	c.Flags().StringVar(&p.flags.copies, "copies", "",
		"what to do with backups and files set aside that contain the chat")
	restrictFlag(c, "copies", "rewrite", "delete")
	return c
}

func (p *program) purge(ctx context.Context, s *store.Store, args []string) error {
	id, copies := args[0], p.flags.copies
	info, err := findSession(ctx, s, id)
	if exitOf(err) == exitNotFound && copies != "" && uuid.Validate(id) == nil {
		return p.purgeCopies(ctx, s.Path(), store.Session{ID: strings.ToLower(id)}, copies)
	}
	if err != nil {
		return err
	}
	if !p.flags.yes {
		if !term.IsTerminal(p.in.Fd()) {
			return fail(exitUsage, "purge deletes a chat permanently: confirm with --yes, or run it in a terminal")
		}
		fmt.Fprintf(p.err, "Delete %q permanently, with %s? This cannot be undone. Type yes to confirm: ",
			report.ShortLine(report.SessionTitle(info)), theme.Plural(info.Messages, "message"))
		answer, _ := bufio.NewReader(p.in).ReadString('\n') // the end of input is not a yes
		if strings.TrimSpace(answer) != "yes" {
			return fail(exitFailed, "nothing was deleted")
		}
	}
	purged := s.Purge(ctx, info.ID)
	if purged != nil && !errors.Is(purged, store.ErrNotOverwritten) {
		return purged
	}
	return errors.Join(purged, p.purgeCopies(ctx, s.Path(), info, copies))
}

// purgeCopies lists the files beside the history that contain a purged session, or rewrites or deletes them as how
// says.
func (p *program) purgeCopies(ctx context.Context, path string, info store.Session, how string) error {
	files, err := backup.FilesWithSession(ctx, path, info.ID)
	if err != nil || len(files) == 0 {
		return err
	}
	var failed error
	for _, c := range files {
		done := "may still contain the chat"
		switch {
		case how == "delete":
			err, done = backup.RemoveDatabase(c.Path), "deleted"
		case how == "rewrite" && !c.Damaged: // a damaged file can only be deleted
			err, done = store.PurgeCopy(ctx, c, info.ID), "rewritten without the chat"
		}
		if failed = errors.Join(failed, err); err == nil {
			p.warn("%s: %s", done, c.Path)
		}
	}
	if how == "" {
		p.warn("to remove it from these files, run: winnow sessions purge --copies rewrite %s (or --copies delete)",
			info.ID)
	}
	return failed
}
