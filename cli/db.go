//go:build cgo

package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/session/store"
	"winnow/session/store/backup"
	"winnow/ui/theme"
)

func (p *program) dbCommand() *cobra.Command {
	return group(&cobra.Command{Use: "db", Short: "Locate, check, back up and restore the database of conversations"},
		p.dbPathCommand(), p.dbCheck(), p.dbBackup(), p.dbRestore())
}

func (p *program) dbPathCommand() *cobra.Command {
	return p.plainCommand("path", "Print the path of the database", func(context.Context) error {
		path, err := p.configuredDB()
		if err == nil {
			fmt.Fprintln(p.out, path)
		}
		return err
	})
}

// configuredDB is where the conversations are, whether the file is there or not.
func (p *program) configuredDB() (string, error) {
	c, err := p.readConfig()
	if err != nil {
		return "", err
	}
	return p.dbPath(c)
}

func (p *program) dbCheck() *cobra.Command {
	var asJSON bool
	c := p.plainCommand("check", "Check the whole database and report what is damaged",
		func(ctx context.Context) error { return p.checkDB(ctx, asJSON) })
	c.Long = "check reads every page and every index, and compares every message with its hash. It changes nothing. " +
		"If something is damaged, it reports what, and exits with status 1."
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return c
}

// checkedJSON is a check in db check --json. It is a contract: fields are added, never renamed or
// removed.
type checkedJSON struct {
	Path     string   `json:"path"`
	Sound    bool     `json:"sound"`
	Schema   int      `json:"schema"`
	Bytes    int64    `json:"bytes"`
	Sessions int      `json:"sessions"`
	Messages int      `json:"messages"`
	Requests int      `json:"requests"`
	Damaged  []int64  `json:"damaged"`   // messages that fail their hash
	Lost     []int64  `json:"lost"`      // messages that an earlier damage cost; the file was saved from it
	SetAside []string `json:"set_aside"` // the damaged files of then, as far as they are there
	Faults   []string `json:"faults"`    // sentences
}

func (p *program) checkDB(ctx context.Context, asJSON bool) error {
	path, err := p.configuredDB()
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, path, store.Options{Now: p.now, ReadOnly: true})
	if errors.Is(err, store.ErrDamaged) {
		return fail(Failed, "%w; the next start of winnow recovers what can be read into a new file", err)
	}
	if err != nil {
		return err
	}
	defer s.Close()
	c, err := s.Check(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		err = report.WriteJSON(p.out, checkedJSON{
			Path: c.Path, Sound: c.Sound(), Schema: c.Schema, Bytes: c.Bytes, Sessions: c.Sessions,
			Messages: c.Messages, Requests: c.Requests,
			Damaged: append([]int64{}, c.Damaged...), Lost: append([]int64{}, c.Lost...),
			SetAside: append([]string{}, c.SetAside...), Faults: append([]string{}, c.Faults...),
		})
	} else {
		p.printCheck(c)
	}
	if err != nil || c.Sound() {
		return err
	}
	return fail(Failed, "the file is damaged; winnow db restore --list shows its backups")
}

func (p *program) printCheck(c store.CheckResult) {
	fmt.Fprintf(p.out, "%s: schema %d, %s, %s, %s, %s\n", c.Path, c.Schema, theme.Size(int(c.Bytes)),
		theme.Plural(c.Sessions, "session"), theme.Plural(c.Messages, "message"), theme.Plural(c.Requests, "request"))
	for _, f := range c.Faults {
		fmt.Fprintln(p.out, f)
	}
	if n := len(c.Damaged); n > 0 {
		fmt.Fprintf(p.out, "messages that differ from what was stored: %d, numbers %s\n", n, someNumbers(c.Damaged))
	}
	if c.Sound() {
		fmt.Fprintln(p.out, "No damage found.")
	}
	if len(c.Lost) > 0 || len(c.SetAside) > 0 {
		was := "The file was damaged before, and what could be read was recovered"
		if n := len(c.Lost); n > 0 {
			was += fmt.Sprintf("; %s lost their text, numbers %s", theme.Plural(n, "message"), someNumbers(c.Lost))
		}
		fmt.Fprintln(p.out, was+".")
	}
	for _, file := range c.SetAside {
		fmt.Fprintf(p.out, "The damaged file: %s\n", file)
	}
}

// someNumbers writes the first of many numbers.
func someNumbers(all []int64) string {
	const limit = 20
	var text string
	for i, n := range all[:min(limit, len(all))] {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(n)
	}
	if len(all) > limit {
		text += " …"
	}
	return text
}

func (p *program) dbBackup() *cobra.Command {
	return &cobra.Command{
		Use:   "backup [FILE]",
		Short: "Back up the conversations to a file; winnow may be running",
		Long: "backup writes a complete, checked copy. Without FILE, the copy is named after the current time, in " +
			"the folder backups beside the database, where the daily backups of the chat are too. An existing file " +
			"is not overwritten.\n\nTo back up every change within a second, to another disk or to S3, run " +
			"Litestream beside winnow: docs/storage.md has a configuration for it.",
		Args: takes("at most one argument, the name of a new file", 0, 1),
		RunE: p.do(func(ctx context.Context, args []string) error {
			s, err := p.openStore(ctx, true)
			if err != nil {
				return err
			}
			if s == nil {
				return fail(Failed, "there are no conversations to back up yet")
			}
			defer s.Close()
			to := s.BackupName()
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
		}),
	}
}

func (p *program) dbRestore() *cobra.Command {
	var list bool
	c := &cobra.Command{
		Use:   "restore FILE|latest",
		Short: "Restore the conversations from a backup; the current ones are set aside",
		Long: "restore takes the name of a backup, or latest for the newest one. The current database is renamed, " +
			"with the date in its name, and never deleted. While winnow is running with it, nothing is restored.",
		Args: takes("the name of a backup, or latest", 0, 1),
		RunE: p.do(func(ctx context.Context, args []string) error {
			path, err := p.configuredDB()
			if err != nil {
				return err
			}
			if list {
				return p.listBackups(ctx, path)
			}
			if len(args) == 0 {
				return fail(Usage, "winnow db restore needs the name of a backup, or latest; --list lists the backups")
			}
			return p.restoreDB(ctx, path, args[0])
		}),
	}
	c.Flags().BoolVar(&list, "list", false, "list the backups")
	return c
}

func (p *program) listBackups(ctx context.Context, path string) error {
	all := backup.List(ctx, path, p.now())
	if len(all) == 0 {
		_, err := fmt.Fprintln(p.err, "There are no backups yet: the chat makes one a day.")
		return err
	}
	w := tabwriter.NewWriter(p.out, 0, 8, 2, ' ', 0)
	for _, b := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", b.Day.Format("2006-01-02"), theme.Plural(b.Sessions, "session"),
			theme.Plural(b.Messages, "message"), theme.Size(int(b.Bytes)), b.Path)
	}
	return w.Flush()
}

func (p *program) restoreDB(ctx context.Context, path, from string) error {
	if from == "latest" {
		all := backup.List(ctx, path, p.now())
		if len(all) == 0 {
			return fail(NotFound, "there is no backup of %s", path)
		}
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
