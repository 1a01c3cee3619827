package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/history"
	"winnow/session"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/session/transfer"
	"winnow/session/transfer/archive"
	"winnow/session/transfer/html"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

func (p *program) sessionsImport() *cobra.Command {
	in := importing{program: p}
	c := p.withJSON(p.command("import FILE...",
		"Import chats from the files of other programs; - is standard input",
		func(ctx context.Context, args []string) error {
			err := p.with(ctx, toChange, func(a *app) error { return in.importAll(ctx, a.store, args) })
			return errors.Join(p.show(in.Import), err)
		}))
	c.Example = "  winnow sessions import ~/Downloads/chatgpt-export.zip\n" +
		"  winnow sessions import ~/.claude/projects/*/*.jsonl\n" +
		"  winnow sessions import \"$(llm logs path)\"\n" +
		"  jq .request trace.json | winnow sessions import - --json"
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
	if in.flags.json {
		return
	}
	for _, text := range all[:min(len(all), maxRemarks)] {
		in.warn("%s", text)
	}
	if more := len(all) - maxRemarks; more > 0 {
		in.warn("%s; --json lists them all", theme.PluralOf(more, "more remark", "more remarks"))
	}
}

func (p *program) sessionsExport() *cobra.Command {
	f := &p.flags
	c := p.storeCommand("export [ID]", "Write a chat, or the last one, as Markdown, HTML, JSON, JSONL or one text",
		func(ctx context.Context, s *store.Store, args []string) error {
			if f.all && len(args) > 0 {
				return fail(Usage, "--all exports every chat: use either --all or an id")
			}
			ctx, stop := untilStopped(ctx)
			defer stop()
			err := p.export(ctx, s, strings.Join(args, ""))
			return stopped(ctx, err, "stopped; the file was not written")
		})
	c.Long = "Write a chat to standard output or to a new file. json holds everything, and winnow sessions import " +
		"restores it without loss; md, html, jsonl and prompt hold the active branch, for others to read. html marks " +
		"what the model saw. Possible secrets are redacted in all of them but json."
	c.Example = "  winnow sessions export 0195 -o parser.html\n" +
		"  winnow sessions export --all -o everything.json"
	c.Flags().StringVar(&f.format, "format", "", "the format; the default is the extension of the file, or md")
	only(c, "format", transfer.Formats()...)
	c.Flags().StringVarP(&f.out, "out", "o", "-", "the file to write; - is standard output")
	c.Flags().BoolVar(&f.all, "all", false, "export every chat, archived and deleted ones too, as JSON")
	c.MarkFlagsMutuallyExclusive("all", "format")
	return c
}

// export writes what was asked for and says where it is.
func (p *program) export(ctx context.Context, s *store.Store, id string) error {
	clean := p.cleaner()
	write := func(out io.Writer) error { return archive.Write(ctx, s, out) }
	if !p.flags.all {
		row, err := findSession(ctx, s, id)
		if err != nil {
			return err
		}
		format, _ := transfer.ParseFormat(cmp.Or(p.flags.format, filepath.Ext(p.flags.out)))
		write = exportOf(ctx, s, row, cmp.Or(format, transfer.Markdown), clean)
	}
	defer p.reportRedacted(clean)
	if p.flags.out == "-" {
		return write(p.out)
	}
	n, err := p.writeFile(p.flags.out, write)
	if err == nil {
		fmt.Fprintf(p.out, "Exported to %s (%s).\n", report.Sentence(p.flags.out), theme.Size(int(n)))
	}
	return err
}

// exportOf writes a session in a format.
func exportOf(
	ctx context.Context, s *store.Store, row store.Session, format transfer.Format, clean *cleaner,
) func(io.Writer) error {
	o := transfer.ExportOptions{Format: format, Annotate: marksOf, Redact: clean.text}
	return func(out io.Writer) error { return transfer.Export(ctx, s, row.ID, out, o) }
}

// exportCommand writes a session as the words behind /export want it, a format and a file, and says where it is.
// Without a file it goes to the working directory, under a name that is the session's own.
func (a *app) exportCommand(ctx context.Context, s *session.Session, words string) (string, error) {
	format, path, err := exportArguments(words)
	if err == nil {
		path, err = a.expand(path)
	}
	if err != nil {
		return "", err
	}
	row, clean := s.Info(), &cleaner{redact: a.redactor.Text}
	row.Title = a.redactor.Text(row.Title)
	if isFolder(path) { // In it the file is chat.md, or chat-2.md where that is taken.
		name, ending := filepath.Join(path, fileName(row)), format.Extension()
		path = name + ending
		for n := 2; exists(path); n++ {
			path = fmt.Sprintf("%s-%d%s", name, n, ending)
		}
	}
	if _, err = a.writeFile(path, exportOf(ctx, s.Store(), row, format, clean)); err != nil {
		return "", err
	}
	return strings.TrimSpace("Exported to " + path + ". " + clean.sentence()), nil
}

// exportArguments reads a format and a file or folder, either of which may be missing. A file whose ending no format
// has is refused: it was meant for a format.
func exportArguments(words string) (transfer.Format, string, error) {
	first, path, _ := strings.Cut(strings.TrimSpace(words), " ")
	named, _ := transfer.ParseFormat(first)
	if named == "" {
		path = words
	}
	path = strings.Trim(strings.TrimSpace(path), `"'`)
	ending, _ := transfer.ParseFormat(filepath.Ext(path))
	switch format := cmp.Or(named, ending); {
	case format != "":
		return format, path, nil
	case path == "" || isFolder(path):
		return transfer.Markdown, path, nil
	}
	return "", "", fmt.Errorf("/export has no format %q; use %s, followed by the name of a file",
		strings.TrimPrefix(cmp.Or(filepath.Ext(path), path), "."), theme.Choices(transfer.Formats()))
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// marksOf are the verdicts of the request for the newest answer of a branch, and the receipts of its answers, as a page
// shows them.
func marksOf(ctx context.Context, s *store.Store, row store.Session, branch []store.Message) (html.Annotations, error) {
	marks := html.Annotations{Verdicts: map[int64]html.Verdict{}, Receipts: map[int64]string{}}
	receipts, err := record.Records{Store: s, Session: row.ID}.Receipts(ctx)
	if err != nil {
		return marks, err
	}
	var newest int64
	for _, m := range branch {
		if r, ok := receipts[m.Request]; ok && m.Role == history.Assistant {
			newest, marks.Receipts[m.Request] = m.Request, transcript.Receipt(r)
		}
	}
	if newest == 0 {
		return marks, nil
	}
	verdicts, err := s.Verdicts(ctx, newest)
	if err != nil {
		return marks, err
	}
	for _, e := range verdicts.Entries {
		word := markWords[theme.Glyph(e)]
		mark := html.Verdict{Glyph: theme.Glyph(e), Class: word, Text: cmp.Or(theme.Verdict(e), word)}
		if mark.Glyph != "●" {
			mark.Reason = e.Cause.Sentence()
		}
		marks.Verdicts[e.ID] = mark
	}
	return marks, nil
}

// markWords are the verdicts by their signs.
var markWords = map[string]string{
	"●": "whole", "◐": "cut", "○": "dropped", "◆": "pinned", "⊘": "excluded", "▲": "repaired", "↺": "recalled",
}

// notInName are the characters of a title that a shell or a file system may take for something else.
var notInName = regexp.MustCompile(`[^\pL\pM\pN_-]+`)

// fileName is a name for a session's file, without its ending: the day, the title and the beginning of its id.
func fileName(row store.Session) string {
	title := []rune(notInName.ReplaceAllString(row.Title, "-"))
	name := strings.Trim(string(title[:min(len(title), 40)]), "-")
	return row.Created.UTC().Format(time.DateOnly) + "-" + cmp.Or(name, "chat") + "-" + report.ShortID(row.ID)
}
