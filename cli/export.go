package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/history"
	"winnow/session"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/session/transfer"
	"winnow/session/transfer/archive"
	"winnow/session/transfer/html"
	"winnow/ui/markdown"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// exportFlags is what the command line of winnow sessions export said.
type exportFlags struct {
	format, out string
	all, force  bool
}

func (p *program) sessionsExport() *cobra.Command {
	f := exportFlags{out: "-"}
	c := p.storeCommand("export [ID]", "Write a session, or the last one, as Markdown, HTML, JSON, JSONL or one text",
		func(ctx context.Context, s *store.Store, args []string) error {
			if f.all && len(args) > 0 {
				return fail(Usage, "--all exports every session: use either --all or an id")
			}
			ctx, stop := untilStopped(ctx)
			defer stop()
			err := p.export(ctx, s, f, strings.Join(args, ""))
			return stopped(ctx, err, "stopped; the file was not written")
		})
	c.Long = "Write a session to standard output or to a file. json holds everything, and winnow sessions import " +
		"restores " +
		"it without loss; md, html, jsonl and prompt hold the active branch, for others to read. html is one page " +
		"that marks what the model saw. Possible secrets are redacted in all of them but json."
	c.Example = "  winnow sessions export 0195 > parser.md\n" +
		"  winnow sessions export 0195 -o parser.html\n" +
		"  winnow sessions export --all -o everything.json"
	var formats []string
	for _, format := range transfer.Formats() {
		formats = append(formats, string(format))
	}
	addFlag(c, &f.format, "format", "", "the format; the default is the extension of the file, or md", formats...)
	addFlag(c, &f.out, "out", "o", "the file to write; - is standard output")
	addFlag(c, &f.all, "all", "", "export every session, archived and deleted ones too, as JSON")
	addFlag(c, &f.force, "force", "", "overwrite an existing file")
	apart(c, "all", "format")
	return c
}

// export writes what was asked for and says where it is.
func (p *program) export(ctx context.Context, s *store.Store, f exportFlags, id string) error {
	clean := p.cleaner()
	write := func(out io.Writer) error { return archive.Write(ctx, s, out) }
	if !f.all {
		row, err := findSession(ctx, s, id)
		if err != nil {
			return err
		}
		format, known := transfer.ReadFormat(cmp.Or(f.format, filepath.Ext(f.out)))
		if !known {
			format = transfer.Markdown
		}
		o := transfer.ExportOptions{Format: format, Marks: marksOf, Redact: clean.text}
		write = func(out io.Writer) error { return transfer.Export(ctx, s, row.ID, out, o) }
	}
	defer p.reportRedacted(clean)
	if f.out == "-" {
		return write(p.out)
	}
	n, err := p.writeFile(f.out, f.force, write)
	if err == nil {
		fmt.Fprintf(p.out, "Exported to %s (%s).\n", report.Sentence(f.out), theme.Size(int(n)))
	}
	return err
}

// exportCommand writes a session as the words behind /export want it, a format and a file, and says where it is.
// Without a file it goes to the working directory, under a name that is the session's own.
func (k *conversation) exportCommand(ctx context.Context, s *session.Session, words string) (string, error) {
	row := s.Info()
	format, path, err := exportArguments(words)
	if err != nil {
		return "", err
	}
	clean := cleaner{redact: k.redactor.Text}
	o := transfer.ExportOptions{Format: format, Redact: clean.text, Marks: marksOf}
	row.Title = k.redactor.Text(row.Title)
	if path, err = k.p.expand(path); err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = unusedPath(filepath.Join(path, fileName(row, report.ShortID(row.ID), format)))
	}
	_, err = k.p.writeFile(path, false, func(out io.Writer) error {
		return transfer.Export(ctx, s.Store(), row.ID, out, o)
	})
	switch {
	case errors.Is(err, fs.ErrExist):
		return "", fmt.Errorf("%s already exists; choose another name", path)
	case err != nil:
		return "", err
	}
	sentence := "Exported to " + path + "."
	if clean.count > 0 {
		sentence += " " + theme.PluralOf(clean.count, "possible secret was", "possible secrets were") + " redacted."
	}
	return sentence, nil
}

// unusedPath is a path, or the next one of its kind that nothing has: chat.md, chat-2.md.
func unusedPath(path string) string {
	ending, next := filepath.Ext(path), path
	for n := 2; exists(next); n++ {
		next = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ending), n, ending)
	}
	return next
}

// exportArguments reads a format and a file or folder, either of which may be missing. A file whose ending no format
// has is refused: it was meant for a format.
func exportArguments(words string) (transfer.Format, string, error) {
	first, rest, _ := strings.Cut(strings.TrimSpace(words), " ")
	if format, ok := transfer.ReadFormat(first); ok && !strings.HasPrefix(first, ".") {
		return format, unquoted(rest), nil
	}
	path := unquoted(words)
	if format, ok := transfer.ReadFormat(filepath.Ext(path)); ok {
		return format, path, nil
	}
	if info, err := os.Stat(path); path == "" || err == nil && info.IsDir() {
		return transfer.Markdown, path, nil
	}
	return "", "", fmt.Errorf("/export has no format %q; use md, html, json, jsonl or prompt, followed by the name "+
		"of a "+
		"file", strings.TrimPrefix(cmp.Or(filepath.Ext(path), path), "."))
}

// unquoted is a path without the quotes around it.
func unquoted(path string) string { return strings.Trim(strings.TrimSpace(path), `"'`) }

// marksOf are the verdicts of the request for the newest answer of a branch, and the receipts of its answers, as a page
// shows them.
func marksOf(ctx context.Context, s *store.Store, row store.Session, branch []store.Message) (html.Marks, error) {
	marks := html.Marks{Of: map[int64]html.Mark{}, Receipts: map[int64]string{}}
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
		mark := html.Mark{Glyph: theme.Glyph(e), Word: markWords[theme.Glyph(e)], Text: theme.Verdict(e)}
		if mark.Text == "" {
			mark.Text = mark.Word
		} else {
			mark.Reason = e.Cause.Sentence()
		}
		marks.Of[e.ID] = mark
	}
	return marks, nil
}

// markWords are the verdicts by their signs.
var markWords = map[string]string{
	"●": "whole", "◐": "cut", "○": "dropped", "◆": "pinned", "⊘": "excluded", "▲": "repaired", "↺": "recalled",
}

// fileName is a name for a session's file: the day, the title and an id that no other session has. Of the title it has
// letters, digits and dashes alone, which no shell takes for anything else.
func fileName(row store.Session, id string, format transfer.Format) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r):
			return r
		case r == '-', r == '_', unicode.IsSpace(r):
			return '-'
		}
		return -1
	}, markdown.Visible(strings.Join(strings.Fields(row.Title), " ")))
	if r := []rune(name); len(r) > 40 {
		name = string(r[:40])
	}
	parts := []string{row.Created.UTC().Format("2006-01-02"), cmp.Or(strings.Trim(name, "-"), "conversation"), id}
	return strings.Join(parts, "-") + format.Ending()
}
