//go:build cgo

package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/session/store"
	"winnow/session/transfer"
)

func (p *program) sessionsImport() *cobra.Command {
	c := p.importCommand()
	c.Example = "  winnow sessions import chat.json\n" +
		"  winnow sessions import ~/Downloads/chatgpt-export.zip\n" +
		"  winnow sessions import ~/.claude/projects/*/*.jsonl\n" +
		"  winnow sessions import \"$(llm logs path)\" --dry-run\n" +
		"  jq .request trace.json | winnow sessions import - --json"
	return c
}

// importCommand is the command under both of its names.
func (p *program) importCommand() *cobra.Command {
	var in importing
	var asJSON bool
	c := &cobra.Command{
		Use:   "import FILE...",
		Short: "Import conversations from the files of other programs; - is standard input",
		Args:  takes("one or more files, or - for standard input", 1, -1),
		RunE: p.do(func(ctx context.Context, args []string) error {
			if in.title != "" && len(args) > 1 {
				return fail(Usage, "--title names one conversation, so it cannot be used with several files")
			}
			in.p = p
			err := in.importAll(ctx, args)
			if asJSON {
				return firstError(report.WriteJSON(p.out, in.object(args)), err)
			}
			in.writeRemarks()
			return firstError(in.writeSummary(), err)
		}),
	}
	c.Flags().StringVar(&in.title, "title", "",
		"the title of the session; the default is the title in the file, or one made from the first message")
	c.Flags().BoolVar(&in.try, "dry-run", false, "show what would be imported, and store nothing")
	c.Flags().BoolVar(&asJSON, "json", false, "print what was imported, with warnings, as one JSON object")
	return c
}

// importAlias is the import as a command of its own, for people who look for it there.
func (p *program) importAlias() *cobra.Command {
	c := p.importCommand()
	c.Hidden = true
	return c
}

// importing is an import of files and what became of it so far.
type importing struct {
	p     *program
	title string
	try   bool
	all   []arrived
}

// arrived is one conversation, or the error of a file.
type arrived struct {
	file string
	transfer.Imported
	err error
}

// importAll imports the files one after the other. One that cannot be imported does not keep the others
// from it. A signal ends it between two conversations, and what was imported until then stays.
func (in *importing) importAll(ctx context.Context, names []string) error {
	s, err := in.store(ctx)
	if err != nil {
		return in.ended(ctx, err)
	}
	defer s.Close()
	var failed error
	for _, name := range names {
		err := in.importFile(ctx, s, name)
		if err != nil && exitOf(err) >= Interrupted {
			return err
		}
		if err != nil {
			failed = err
			in.all = append(in.all, arrived{file: name, err: err})
		}
	}
	if len(names) == 1 {
		return failed
	}
	return in.outcome(len(names))
}

// store opens the conversations. To say what would be imported makes no file where there is none.
func (in *importing) store(ctx context.Context) (*store.Store, error) {
	s, err := in.p.openStore(ctx, in.try)
	if err != nil || s != nil {
		return s, err
	}
	return store.Open(ctx, store.Memory, store.Options{Now: in.p.now})
}

// outcome is the error of several files where some could not be imported.
func (in *importing) outcome(files int) error {
	failed := 0
	for _, one := range in.all {
		if one.err != nil {
			failed++
		}
	}
	if failed == 0 {
		return nil
	}
	return fail(Failed, "%d of %d files could not be imported", failed, files)
}

// importFile imports one file.
func (in *importing) importFile(ctx context.Context, s *store.Store, name string) error {
	// Until the file is here, a signal ends the program: reading a pipe cannot be stopped.
	f, err := in.p.openImport(name)
	if err != nil {
		return err
	}
	defer f.close()
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	file := in.p.metered(f)
	defer file.end()
	from := transfer.Source{File: file, Path: f.path, Title: in.title, Dir: f.dir, Time: f.time, DryRun: in.try}
	before := len(in.all)
	err = transfer.Import(ctx, s, from, func(im transfer.Imported) {
		in.all = append(in.all, arrived{file: name, Imported: im})
	})
	if len(in.all) == before+1 {
		in.all[before].Place = 0
	}
	return in.ended(ctx, explainImport(name, err))
}

// ended makes of an error that a signal led to one that says what it left.
func (in *importing) ended(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return &failure{exit: stoppedBy(ctx), text: in.stopped(), err: ctx.Err()}
}

func (in *importing) stopped() string {
	if t := in.tally(); t.New+t.Grown > 0 && !in.try {
		return "stopped; what was imported is kept, and importing the file again continues from there"
	}
	return "stopped; nothing was imported"
}

// explainImport is the sentence for a file that could not be imported.
func explainImport(name string, err error) error {
	if name == "-" {
		name = "standard input"
	}
	if e := new(transfer.FileError); errors.As(err, &e) {
		return fail(Failed, "%s: %w", name, e)
	}
	if errors.Is(err, transfer.ErrNoMessage) {
		return fail(Failed, "nothing was imported from %s: %w", name, transfer.ErrNoMessage)
	}
	return err
}

// importFile is an opened file and what is known of it.
type importFile struct {
	*os.File
	path  string // "" where it has no name on the disk
	dir   string
	time  time.Time
	size  int64
	close func()
}

// openImport opens a regular file, or standard input where the name is -, which is copied to a temporary
// file first: an import may read its file twice.
func (p *program) openImport(name string) (importFile, error) {
	if name == "-" {
		dir, _ := os.Getwd()
		return p.spool(p.in, dir)
	}
	// Asked before it is opened: to open a named pipe waits until somebody writes to it.
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return importFile{}, fail(Failed, "cannot open %s: %w", name, fileCause(err))
	case info.IsDir():
		return importFile{}, fail(Failed, "%s is a folder; sessions import needs files", name)
	case !info.Mode().IsRegular():
		const what = "%s is a pipe or a device, not a file; winnow sessions import - <%[1]s reads it as standard input"
		return importFile{}, fail(Failed, what, name)
	}
	f, err := os.Open(name)
	if err != nil {
		return importFile{}, fail(Failed, "cannot open %s: %w", name, fileCause(err))
	}
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		dir = ""
	}
	done := func() { f.Close() }
	return importFile{File: f, path: name, dir: dir, time: info.ModTime(), size: info.Size(), close: done}, nil
}

// spool copies a stream to a file that only this program can open, and that is gone with it.
func (p *program) spool(from io.Reader, dir string) (importFile, error) {
	f, err := os.CreateTemp("", "winnow-import-")
	if err != nil {
		return importFile{}, fail(Failed, "cannot copy the input to a temporary file: %w", err)
	}
	os.Remove(f.Name()) // An open file has no need of a name; where it needs one, close removes it.
	done := func() { f.Close(); os.Remove(f.Name()) }
	size, err := io.Copy(f, from)
	if err != nil {
		done()
		return importFile{}, fail(Failed, "cannot read the input: %w", err)
	}
	return importFile{File: f, dir: dir, time: p.now(), size: size, close: done}, nil
}
