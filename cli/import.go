package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/session/store"
	"winnow/session/transfer"
	"winnow/ui/theme"
)

func (p *program) sessionsImport() *cobra.Command {
	in := importing{program: p}
	c := p.command("import FILE...", "Import conversations from the files of other programs; - is standard input",
		func(ctx context.Context, args []string) error {
			to := toChange
			if in.DryRun {
				to = toLook
			}
			err := p.with(ctx, to, func(a *app) error { return in.importAll(ctx, a.store, args) })
			return errors.Join(p.show(in.Import), err)
		})
	c.Example = "  winnow sessions import chat.json\n" +
		"  winnow sessions import ~/Downloads/chatgpt-export.zip\n" +
		"  winnow sessions import ~/.claude/projects/*/*.jsonl\n" +
		"  winnow sessions import \"$(llm logs path)\" --dry-run\n" +
		"  jq .request trace.json | winnow sessions import - --json"
	c.Flags().BoolVar(&in.DryRun, "dry-run", false, "show what would be imported, and store nothing")
	p.withJSON(c)
	return c
}

// importing is an import of files.
type importing struct {
	*program
	report.Import
}

// importAll imports the files one after the other. One that cannot be imported does not keep the others from it. A
// signal ends it between two conversations, and what was imported until then stays.
func (in *importing) importAll(ctx context.Context, s *store.Store, names []string) error {
	failed := 0
	for _, name := range names {
		before := len(in.Conversations)
		err := in.importFile(ctx, s, name)
		in.writeRemarks(in.Conversations[before:], len(names) > 1)
		if err != nil && (len(names) == 1 || exitOf(err) >= Interrupted) {
			return err
		}
		if err != nil {
			in.reportError(err)
			failed++
		}
	}
	if failed > 0 {
		return fail(Failed, "%d of %d files could not be imported", failed, len(names))
	}
	return nil
}

// importFile imports one file.
func (in *importing) importFile(ctx context.Context, s *store.Store, name string) error {
	// Until the file is here, a signal ends the program: reading a pipe cannot be stopped.
	from, done, err := in.openImport(name)
	if err != nil {
		return err
	}
	defer done()
	ctx, stop := untilStopped(ctx)
	defer stop()
	from.DryRun = in.DryRun
	before := len(in.Conversations)
	err = transfer.Import(ctx, s, from, func(im transfer.Imported) {
		in.Conversations = append(in.Conversations, report.Imported{File: name, Imported: im})
	})
	if len(in.Conversations) == before+1 {
		in.Conversations[before].Place = 0
	}
	if name == "-" {
		name = "standard input"
	}
	switch e := new(transfer.FileError); {
	case errors.As(err, &e):
		err = fail(Failed, "%s: %w", name, e)
	case errors.Is(err, transfer.ErrNoMessage):
		err = fail(Failed, "nothing was imported from %s: %w", name, transfer.ErrNoMessage)
	}
	return stopped(ctx, err, "stopped; what was imported until then is kept")
}

// openImport opens a regular file, or reads standard input where the name is -. Done closes it.
func (p *program) openImport(name string) (from transfer.Source, done func() error, err error) {
	if name == "-" {
		text, err := io.ReadAll(p.in)
		if err != nil {
			return from, nil, fail(Failed, "cannot read the input: %w", err)
		}
		from.File, from.Time = bytes.NewReader(text), p.now()
		from.Dir, _ = os.Getwd()
		return from, func() error { return nil }, nil
	}
	// Asked before it is opened: to open a named pipe waits until somebody writes to it.
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		return from, nil, fail(Failed, "%s is not a file; winnow sessions import - reads standard input", name)
	}
	if err == nil {
		from.Path, err = filepath.Abs(name)
	}
	f, opened := os.Open(name)
	if err = cmp.Or(err, opened); err != nil {
		return from, nil, fail(Failed, "cannot open %s: %w", name, fileCause(err))
	}
	from.File, from.Dir, from.Time = f, filepath.Dir(from.Path), info.ModTime()
	return from, f.Close, nil
}

// maxRemarks is how many remarks on a file are written out.
const maxRemarks = 20

// writeRemarks writes what there is to say about the conversations of a file. With --json it is in the object.
func (in *importing) writeRemarks(list []report.Imported, named bool) {
	all := report.Import{Conversations: list}.Remarks(named)
	for i, text := range all {
		switch {
		case in.flags.json:
		case i < maxRemarks:
			in.warn("%s", text)
		case i == maxRemarks:
			in.warn("%s; --json lists them all", theme.PluralOf(len(all)-maxRemarks, "more remark", "more remarks"))
		}
	}
}
