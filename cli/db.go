package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/session/store"
	"winnow/session/store/backup"
)

func (p *program) dbCommand() *cobra.Command {
	keep := p.storeCommand("backup [FILE]", "Back up the chats to a file; winnow may be running", p.backupDB)
	keep.Long = "backup writes a complete, checked copy, without FILE into the folder backups beside the database, " +
		"where the daily backups of the chat are too. An existing file is not overwritten."
	restore := p.command("restore [FILE|latest]",
		"Restore the chats from a backup; the current ones are set aside", p.restoreDB)
	restore.Flags().BoolVar(&p.flags.list, "list", false, "list the backups")
	return group("db", "Locate, check, back up and restore the database of chats",
		p.pathCommand("Print the path of the database", p.dbPath),
		p.withJSON(p.command("check", "Check the whole database and report what is damaged", p.checkDB)), keep, restore)
}

func (p *program) checkDB(ctx context.Context, _ []string) error {
	path, err := p.dbPath()
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, path, store.Options{Now: p.now, ReadOnly: true})
	if errors.Is(err, store.ErrDamaged) {
		return fail(exitFailed, "%w; the next start of winnow recovers what can be read into a new file", err)
	}
	if err != nil {
		return err
	}
	defer s.Close()
	c, err := s.Check(ctx)
	if err == nil {
		err = p.show(report.DatabaseCheck{Sound: c.Sound(), CheckResult: c})
	}
	if err != nil || c.Sound() {
		return err
	}
	return fail(exitFailed, "the file is damaged; winnow db restore --list shows its backups")
}

func (p *program) backupDB(ctx context.Context, s *store.Store, args []string) (err error) {
	if s.Path() == store.InMemory {
		return fail(exitFailed, "there are no conversations to back up yet")
	}
	to := s.NewBackupPath()
	if len(args) > 0 {
		to = args[0]
	}
	if err := s.Backup(ctx, to); err != nil {
		return err
	}
	if to, err = filepath.Abs(to); err == nil {
		fmt.Fprintln(p.out, to)
	}
	return err
}

func (p *program) restoreDB(ctx context.Context, args []string) error {
	path, err := p.dbPath()
	if err != nil {
		return err
	}
	all := backup.List(path, p.now())
	from := strings.Join(args, "")
	switch {
	case p.flags.list && len(all) == 0:
		_, err := fmt.Fprintln(p.err, "There are no backups yet: the chat makes one a day.")
		return err
	case p.flags.list:
		return p.show(report.BackupList(all))
	case from == "":
		return fail(exitUsage, "winnow db restore needs the name of a backup, or latest; --list lists the backups")
	case from == "latest" && len(all) == 0:
		return fail(exitNotFound, "there is no backup of %s", path)
	case from == "latest":
		from = all[0].Path
	}
	aside, err := backup.Restore(ctx, path, from, p.now())
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "Restored the conversations from %s.\n", from)
	if aside != "" {
		fmt.Fprintf(p.out, "The previous conversations are in %s.\n", aside)
	}
	return nil
}
