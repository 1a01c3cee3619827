//go:build cgo

package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"unicode"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/session/transfer"
	"winnow/session/transfer/archive"
	"winnow/session/transfer/html"
	"winnow/ui/markdown"
	"winnow/ui/plain"
	"winnow/ui/theme"
)

// exportFlags is what the command line of winnow sessions export said.
type exportFlags struct {
	format, out          string
	all, force, noRedact bool
}

func (p *program) sessionsExport() *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use:   "export ID",
		Short: "Write a session to standard output or to a file, as Markdown, HTML, JSON, JSONL or one text",
		Long: "Write a session to standard output or to a file. json holds everything, and winnow sessions import " +
			"restores it " +
			"without loss; md, html, jsonl and prompt hold the active branch, for others to read. " +
			"html is one page that marks what the model saw. Possible secrets are redacted in all of them but json.",
		Example: "  winnow sessions export 0195 > parser.md\n" +
			"  winnow sessions export 0195 -o parser.html\n" +
			"  winnow sessions export 0195 -o parser.jsonl\n" +
			"  winnow sessions export --all -o everything.json\n" +
			"  winnow sessions export --all --format md -o notes/",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: p.completeOneSession,
		RunE: p.do(func(ctx context.Context, args []string) error {
			format, err := f.read(args)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			err = p.export(ctx, f, format, strings.Join(args, ""))
			if ctx.Err() != nil && err != nil {
				return &failure{exit: stoppedBy(ctx), text: "stopped; the file was not written", err: err}
			}
			return err
		}),
	}
	c.Flags().StringVar(&f.format, "format", "", "the format: md, html, json, jsonl or prompt; the default is the "+
		"extension of the file, or md")
	c.Flags().StringVarP(&f.out, "out", "o", "-", "the file to write, or a folder with --all in another format than "+
		"json; - is standard output")
	c.Flags().BoolVar(&f.all, "all", false, "export every session, archived and deleted ones too")
	c.Flags().BoolVar(&f.force, "force", false, "overwrite an existing file")
	c.Flags().BoolVar(&f.noRedact, "no-redact", false, "do not redact possible secrets")
	var names []string
	for _, format := range transfer.Formats() {
		names = append(names, string(format))
	}
	c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// read finds the format, or says what the flags take.
func (f exportFlags) read(args []string) (transfer.Format, error) {
	switch {
	case f.all && len(args) > 0:
		return "", fail(Usage, "--all exports every session: use either --all or an id")
	case !f.all && len(args) == 0:
		return "", fail(Usage, "sessions export needs the id of a session, or --all")
	}
	if f.out == "" {
		return "", fail(Usage, "-o is empty; it needs the name of a file, or - for standard output")
	}
	if f.format != "" {
		format, ok := transfer.ReadFormat(f.format)
		if !ok {
			return "", fail(Usage, "--format is %q; must be md, html, json, jsonl or prompt", f.format)
		}
		if f.all && format != transfer.JSON && f.out == "-" {
			return "", fail(Usage, "--all writes a file for each session: name a folder with -o")
		}
		return format, nil
	}
	if format, ok := transfer.ReadFormat(filepath.Ext(f.out)); ok && !(f.all && format != transfer.JSON) {
		return format, nil
	}
	if f.all {
		return transfer.JSON, nil
	}
	return transfer.Markdown, nil
}

// export writes what was asked for and says where it is.
func (p *program) export(ctx context.Context, f exportFlags, format transfer.Format, id string) error {
	w, err := p.setup(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	clean := redaction{redact: w.redactor.Text}
	o := transfer.ExportOptions{Format: format}
	o.Marks = marksOf
	if !f.noRedact {
		o.Redact = clean.text
	}
	switch {
	case !f.all:
		err = p.withSession(ctx, id, func(s *store.Store, row store.Session) error {
			return p.exportTo(f, func(out io.Writer) error { return transfer.Export(ctx, s, row.ID, out, o) })
		})
	default:
		err = p.exportAll(ctx, f, o, w.redactor.Text)
	}
	if err == nil {
		p.reportRedacted(clean.count)
	}
	return err
}

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
			newest, marks.Receipts[m.Request] = m.Request, plain.Receipt(r)
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

// redaction counts what is taken out.
type redaction struct {
	redact func(string) string
	find   func(string) [][2]int // where they stand; for texts with marks
	count  int
}

// redactedSign is what stands where a secret was.
const redactedSign = "[redacted]"

func (t *redaction) text(text string) string {
	clean := t.redact(text)
	t.count += strings.Count(clean, redactedSign) - strings.Count(text, redactedSign)
	return clean
}

// reportRedacted says that what is written is not all that was said.
func (p *program) reportRedacted(n int) {
	switch {
	case n == 1:
		fmt.Fprintln(p.err, "1 possible secret was redacted; --no-redact keeps it.")
	case n > 1:
		fmt.Fprintf(p.err, "%d possible secrets were redacted; --no-redact keeps them.\n", n)
	}
}

// exportTo writes to the file or to standard output.
func (p *program) exportTo(f exportFlags, write func(io.Writer) error) error {
	if f.out == "-" {
		return write(p.out)
	}
	n, err := p.writeNew(f.out, f.force, write)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.out, "Exported to %s (%s).\n", report.Sentence(f.out), theme.Size(int(n)))
	return err
}

// exportAll writes every session: an archive of all of them, or a file for each, under a name without
// secrets.
func (p *program) exportAll(
	ctx context.Context, f exportFlags, o transfer.ExportOptions, redact func(string) string,
) error {
	s, err := p.openStore(ctx, true)
	if err != nil {
		return err
	}
	if s == nil {
		return fail(NotFound, "there are no sessions to export yet")
	}
	defer s.Close()
	if o.Format == transfer.JSON {
		return p.exportTo(f, func(out io.Writer) error { return archive.Write(ctx, s, out) })
	}
	sessions, err := s.Sessions(ctx, store.Filter{All: true})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.out, 0o700); err != nil {
		return fail(Failed, "cannot create the folder %s: %w", f.out, fileCause(err))
	}
	bar := p.countdown("exporting", len(sessions))
	defer bar.end()
	for _, row := range sessions {
		if o.Redact != nil {
			row.Title = redact(row.Title)
		}
		_, err = p.writeNew(filepath.Join(f.out, fileName(row, row.ID, o.Format)), f.force, func(out io.Writer) error {
			return transfer.Export(ctx, s, row.ID, out, o)
		})
		if err != nil {
			return err
		}
		bar.step()
	}
	bar.end()
	_, err = fmt.Fprintf(p.out, "Exported %s to %s.\n", theme.Plural(len(sessions), "session"), report.Sentence(f.out))
	return err
}

// fileName is a name for a session's file: the day, the title and an id that no other session has. Of the
// title it has letters, digits and dashes alone, which no shell takes for anything else.
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
