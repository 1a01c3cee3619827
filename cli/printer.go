package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"

	"winnow/cli/report"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// printer is standard output. What a command writes quotes models, tools, servers, files and paths, so on a terminal
// everything that a terminal would act on is made visible, at this one place. A pipe and a file get the bytes as they
// are. What could not be written is remembered: a command that goes on after it has not succeeded.
type printer struct {
	file   *os.File
	failed error // the first write that did not reach the file
}

func (p *printer) Fd() uintptr { return p.file.Fd() }

// Write writes whole characters.
func (p *printer) Write(text []byte) (int, error) {
	if !term.IsTerminal(p.file.Fd()) {
		n, err := p.file.Write(text)
		return n, p.keep(err)
	}
	return len(text), p.visible(markdown.Visible(string(text)))
}

// visible writes what is visible already, and may hold attributes of winnow's own.
func (p *printer) visible(text string) error {
	_, err := p.file.WriteString(text)
	return p.keep(err)
}

// keep remembers an error of writing and says it in the user's words.
func (p *printer) keep(err error) error {
	if err == nil {
		return nil
	}
	err = fail(Failed, "cannot write to standard output: %w", fileCause(err))
	if p.failed == nil {
		p.failed = err
	}
	return err
}

// show prints what a command found: as JSON where that was asked for, else as a table, which value has to be a
// report.View for. Secrets stay out of both, and that is said on standard error.
func (p *program) show(value any) error {
	clean := p.cleaner()
	defer p.reportRedacted(clean)
	page := &report.Page{Clean: clean.text, Width: p.columns(), Bold: term.IsTerminal(p.out.Fd())}
	if p.flags.json {
		text, err := page.JSON(value)
		if err != nil {
			return err
		}
		_, err = io.WriteString(p.out, text)
		return err
	}
	value.(report.View).Table(page)
	if _, bold := value.(report.Hits); bold {
		return p.out.visible(page.String())
	}
	_, err := io.WriteString(p.out, page.String())
	return err
}

// columns is the width that lines are broken at: the terminal's, and 0 where a program reads.
func (p *program) columns() int {
	width, _, _ := term.GetSize(p.out.Fd())
	return width
}

// cleaner takes secrets out of texts and counts them.
type cleaner struct {
	redact func(string) string
	count  int
}

// redactedSign is what stands where a secret was.
const redactedSign = "[redacted]"

func (c *cleaner) text(text string) string {
	clean := c.redact(text)
	c.count += strings.Count(clean, redactedSign) - strings.Count(text, redactedSign)
	return clean
}

// cleaner takes out known keys and what looks like a secret, nothing with --no-redact.
func (p *program) cleaner() *cleaner {
	if p.flags.noRedact {
		return &cleaner{redact: func(text string) string { return text }}
	}
	return &cleaner{redact: p.redactor.Text}
}

// sentence says that what is written is not all that was said, "" where it is.
func (c *cleaner) sentence() string {
	if c.count == 0 {
		return ""
	}
	return theme.PluralOf(c.count, "possible secret was", "possible secrets were") + " redacted."
}

// reportRedacted says on standard error what was redacted, and how to see it.
func (p *program) reportRedacted(c *cleaner) {
	if text := c.sentence(); text != "" {
		fmt.Fprintln(p.err, strings.TrimSuffix(text, ".")+"; --no-redact shows what they hide.")
	}
}
