package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/session/store"
	"winnow/session/transfer"
	"winnow/ui/theme"
)

func (p *program) sessionsImport() *cobra.Command {
	in := importing{p: p}
	c := p.command("import FILE...", "Import conversations from the files of other programs; - is standard input",
		func(ctx context.Context, args []string) error {
			if in.title != "" && len(args) > 1 {
				return fail(Usage, "--title names one conversation, so it cannot be used with several files")
			}
			err := p.withStore(ctx, in.DryRun, func(s *store.Store) error { return in.importAll(ctx, s, args) })
			return errors.Join(p.show(&in), stopped(ctx, err, "stopped; nothing was imported"))
		})
	c.Example = "  winnow sessions import chat.json\n" +
		"  winnow sessions import ~/Downloads/chatgpt-export.zip\n" +
		"  winnow sessions import ~/.claude/projects/*/*.jsonl\n" +
		"  winnow sessions import \"$(llm logs path)\" --dry-run\n" +
		"  jq .request trace.json | winnow sessions import - --json"
	addFlag(c, &in.title, "title", "", "the title of the session; the default is the title in the file, or one made "+
		"from "+
		"the first message")
	addFlag(c, &in.DryRun, "dry-run", "", "show what would be imported, and store nothing")
	p.jsonFlag(c)
	return c
}

// importing is an import of files and what became of it so far.
type importing struct {
	DryRun        bool // nothing is stored
	Conversations []arrived

	p     *program
	title string
}

// arrived is one conversation.
type arrived struct {
	File string
	transfer.Imported
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
			in.p.reportError(err)
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
	f, err := in.p.openImport(name)
	if err != nil {
		return err
	}
	defer f.close()
	ctx, stop := untilStopped(ctx)
	defer stop()
	file := in.p.metered(f)
	defer file.end()
	from := transfer.Source{File: file, Path: f.path, Title: in.title, Dir: f.dir, Time: f.time, DryRun: in.DryRun}
	before := len(in.Conversations)
	err = transfer.Import(ctx, s, from, func(im transfer.Imported) {
		in.Conversations = append(in.Conversations, arrived{name, im})
	})
	if len(in.Conversations) == before+1 {
		in.Conversations[before].Place = 0
	}
	return stopped(ctx, explainImport(name, err), "stopped; what was imported until then is kept")
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
	transfer.File
	path  string // "" where it has no name on the disk
	dir   string
	time  time.Time
	size  int64
	close func() error
}

// openImport opens a regular file, or reads standard input where the name is -.
func (p *program) openImport(name string) (importFile, error) {
	if name == "-" {
		text, err := io.ReadAll(p.in)
		if err != nil {
			return importFile{}, fail(Failed, "cannot read the input: %w", err)
		}
		dir, _ := os.Getwd()
		none := func() error { return nil }
		return importFile{bytes.NewReader(text), "", dir, p.now(), int64(len(text)), none}, nil
	}
	// Asked before it is opened: to open a named pipe waits until somebody writes to it.
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return importFile{}, fail(Failed, "cannot open %s: %w", name, fileCause(err))
	case info.IsDir():
		return importFile{}, fail(Failed, "%s is a folder; sessions import needs files", name)
	case !info.Mode().IsRegular():
		return importFile{}, fail(Failed, "%s is a pipe or a device, not a file; winnow sessions import - <%[1]s "+
			"reads it "+
			"as standard input", name)
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return importFile{}, fail(Failed, "cannot find %s: %w", name, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return importFile{}, fail(Failed, "cannot open %s: %w", name, fileCause(err))
	}
	return importFile{f, path, filepath.Dir(path), info.ModTime(), info.Size(), f.Close}, nil
}

// fate is what became of a conversation.
func (a arrived) fate() string {
	switch {
	case a.New:
		return "new"
	case a.Added > 0:
		return "extended"
	case !a.Session.Deleted.IsZero():
		return "in the trash"
	case a.Again:
		return "already here"
	case len(a.Errors) > 0:
		return "not imported"
	}
	return "empty"
}

// Table says what was imported and how to open it.
func (in *importing) Table(page *report.Page) {
	list, fates := in.Conversations, map[string]int{}
	for _, one := range list {
		fates[one.fate()]++
	}
	var parts []string
	for _, fate := range []string{"new", "extended", "already here", "in the trash", "empty", "not imported"} {
		if fates[fate] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", fates[fate], fate))
		}
	}
	switch text := theme.Plural(len(list), "conversation") + ": " + strings.Join(parts, ", "); {
	case len(list) == 0, len(list) == 1 && list[0].fate() == "empty":
	case in.DryRun:
		page.Line("%s (dry run; nothing was stored).", text)
	case len(list) == 1 && list[0].Session.Messages > 0:
		page.Line("%s. Open it with: winnow -s %s", text, list[0].Session.ID)
	default:
		page.Line("%s. List them with: winnow sessions list", text)
	}
}

// maxRemarks is how many remarks on a file are written out.
const maxRemarks = 20

// writeRemarks writes what of a file was not imported, and what is odd about what was. With --json it is in the object.
func (in *importing) writeRemarks(list []arrived, named bool) {
	var lost, odd []string
	for _, one := range list {
		at := ""
		if named {
			at = one.File + ": "
		}
		if one.Place > 0 {
			at += fmt.Sprintf("conversation %d, %q: ", one.Place, one.Title)
		}
		for _, r := range one.Errors {
			lost = append(lost, "not imported: "+at+r.String())
		}
		for _, r := range one.Warnings {
			odd = append(odd, at+r.String())
		}
	}
	all := append(lost, odd...)
	for i, text := range all {
		switch {
		case in.p.flags.json:
		case i < maxRemarks:
			in.p.warn("%s", report.Sentence(text))
		case i == maxRemarks:
			in.p.warn("%s; --json lists them all", theme.PluralOf(len(all)-maxRemarks, "more remark", "more remarks"))
		}
	}
}
