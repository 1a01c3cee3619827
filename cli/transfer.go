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
	"strings"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/history"
	"winnow/llm/redact"
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
			err := p.withApp(ctx, purposeChange, func(a *app) error { return in.importAll(ctx, a.store, args) })
			return errors.Join(p.show(in.ImportReport), err)
		}))
	c.Example = "  winnow sessions import ~/Downloads/chatgpt-export.zip\n" +
		"  winnow sessions import ~/.claude/projects/*/*.jsonl\n" +
		"  winnow sessions import \"$(llm logs path)\"\n" +
		"  jq .request trace.json | winnow sessions import - --json"
	return c
}

// importing is the state of an import.
type importing struct {
	*program
	report.ImportReport
}

// importAll imports files one after the other. A file that fails does not stop the others. A signal stops the import
// between two conversations; those before it are kept.
func (in *importing) importAll(ctx context.Context, s *store.Store, names []string) error {
	failed := 0
	for _, name := range names {
		before := len(in.Conversations)
		err := in.importFile(ctx, s, name)
		in.writeRemarks(in.Conversations[before:], len(names) > 1)
		if err != nil && (len(names) == 1 || exitOf(err) >= exitInterrupted) {
			return err
		}
		if err != nil {
			in.reportError(err)
			failed++
		}
	}
	if failed > 0 {
		return fail(exitFailed, "%d of %d files could not be imported", failed, len(names))
	}
	return nil
}

// importFile imports one file.
func (in *importing) importFile(ctx context.Context, s *store.Store, name string) error {
	// Until the file has been read a signal ends the program, because reading from a pipe cannot be cancelled.
	from, done, err := in.openImport(name)
	if err != nil {
		return err
	}
	defer done()
	ctx, stop := untilStopped(ctx)
	defer stop()
	before := len(in.Conversations)
	err = transfer.Import(ctx, s, from, func(im transfer.Imported) {
		in.Conversations = append(in.Conversations, report.ImportedConversation{File: name, Imported: im})
	})
	if len(in.Conversations) == before+1 {
		in.Conversations[before].Place = 0
	}
	if name == "-" {
		name = "standard input"
	}
	switch e := new(transfer.FileError); {
	case errors.As(err, &e):
		err = fail(exitFailed, "%s: %w", name, e)
	case errors.Is(err, transfer.ErrNoMessage):
		err = fail(exitFailed, "nothing was imported from %s: %w", name, transfer.ErrNoMessage)
	}
	return stoppedError(ctx, err, "stopped; what was imported until then is kept")
}

// openImport opens a regular file, or reads standard input if name is -. done closes the file.
func (p *program) openImport(name string) (from transfer.Source, done func() error, err error) {
	if name == "-" {
		text, err := io.ReadAll(p.in)
		if err != nil {
			return from, nil, fail(exitFailed, "cannot read the input: %w", err)
		}
		from.File, from.Time = bytes.NewReader(text), p.now()
		from.Dir, _ = os.Getwd()
		return from, func() error { return nil }, nil
	}
	// Checked before opening, because opening a named pipe blocks until somebody writes to it.
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		return from, nil, fail(exitFailed, "%s is not a file; winnow sessions import - reads standard input", name)
	}
	if err == nil {
		from.Path, err = filepath.Abs(name)
	}
	f, opened := os.Open(name)
	if err = cmp.Or(err, opened); err != nil {
		return from, nil, fail(exitFailed, "cannot open %s: %w", name, fileCause(err))
	}
	from.File, from.Dir, from.Time = f, filepath.Dir(from.Path), info.ModTime()
	return from, f.Close, nil
}

// maxRemarks is the number of remarks on a file that are printed.
const maxRemarks = 20

// writeRemarks prints the remarks on the conversations of a file. With --json they are in the result.
func (in *importing) writeRemarks(list []report.ImportedConversation, named bool) {
	all := report.ImportReport{Conversations: list}.Remarks(named)
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
				return fail(exitUsage, "--all exports every chat: use either --all or an id")
			}
			ctx, stop := untilStopped(ctx)
			defer stop()
			err := p.export(ctx, s, strings.Join(args, ""))
			return stoppedError(ctx, err, "stopped; the file was not written")
		})
	c.Long = "Write a chat to standard output or to a new file. json holds everything, and winnow sessions import " +
		"restores it without loss; md, html, jsonl and prompt hold the active branch, for others to read. html marks " +
		"what the model saw. Possible secrets are redacted in all of them but json."
	c.Example = "  winnow sessions export 0195 -o parser.html\n" +
		"  winnow sessions export --all -o everything.json"
	c.Flags().StringVar(&f.format, "format", "", "the format; the default is the extension of the file, or md")
	restrictFlag(c, "format", transfer.Formats()...)
	c.Flags().StringVarP(&f.out, "out", "o", "-", "the file to write; - is standard output")
	c.Flags().BoolVar(&f.all, "all", false, "export every chat, archived and deleted ones too, as JSON")
	c.MarkFlagsMutuallyExclusive("all", "format")
	return c
}

// export exports what the flags select and prints the path of the file.
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
		fmt.Fprintf(p.out, "Exported to %s (%s).\n", report.SafeLine(p.flags.out), theme.Size(int(n)))
	}
	return err
}

// exportOf returns a function that writes a session in a format.
func exportOf(
	ctx context.Context, s *store.Store, row store.Session, format transfer.Format, clean *redact.Counter,
) func(io.Writer) error {
	o := transfer.ExportOptions{Format: format, Annotate: marksOf, Redact: clean.Text}
	return func(out io.Writer) error { return transfer.Export(ctx, s, row.ID, out, o) }
}

// exportCommand exports a session for the command /export. words holds a format and a path, both optional. Without a
// file it chooses a name in the given folder, or in the working directory. It returns a sentence with the path.
func (a *app) exportCommand(ctx context.Context, s *session.Session, words string) (string, error) {
	format, path, err := exportArguments(words)
	if err == nil {
		path, err = a.expand(path)
	}
	if err != nil {
		return "", err
	}
	row, clean := s.Info(), &redact.Counter{Redact: a.redactor.Redact}
	row.Title = a.redactor.Redact(row.Title)
	if isFolder(path) { // the file is chat.md, or chat-2.md if that exists
		name, ending := filepath.Join(path, transfer.FileName(row)), format.Extension()
		path = name + ending
		for n := 2; exists(path); n++ {
			path = fmt.Sprintf("%s-%d%s", name, n, ending)
		}
	}
	if _, err = a.writeFile(path, exportOf(ctx, s.Store(), row, format, clean)); err != nil {
		return "", err
	}
	return strings.TrimSpace("Exported to " + path + ". " + redactedText(clean)), nil
}

// exportArguments parses an optional format and an optional path. A file with an extension that is not a format is
// refused, because a format was meant.
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
		strings.TrimPrefix(cmp.Or(filepath.Ext(path), path), "."), theme.JoinOr(transfer.Formats()))
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// marksOf returns the verdicts of the request for the newest answer of a branch, and the receipts of its answers, for
// an HTML export.
func marksOf(ctx context.Context, s *store.Store, row store.Session, branch []store.Message) (html.Annotations, error) {
	marks := html.Annotations{Verdicts: map[int64]html.Verdict{}, Receipts: map[int64]string{}}
	receipts, err := record.Records{Store: s, Session: row.ID}.Receipts(ctx)
	if err != nil {
		return marks, err
	}
	var newest int64
	for _, m := range branch {
		if r, ok := receipts[m.Request]; ok && m.Role == history.Assistant {
			newest, marks.Receipts[m.Request] = m.Request, transcript.ReceiptText(r)
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
		mark := html.Verdict{Glyph: theme.Glyph(e), Class: word, Text: cmp.Or(theme.VerdictText(e), word)}
		if mark.Glyph != "●" {
			mark.Reason = e.Cause.Sentence()
		}
		marks.Verdicts[e.ID] = mark
	}
	return marks, nil
}

// markWords maps the glyphs of verdicts to words.
var markWords = map[string]string{
	"●": "whole", "◐": "cut", "○": "dropped", "◆": "pinned", "⊘": "excluded", "▲": "repaired", "↺": "recalled",
}
