//go:build cgo

package cli

import (
	"os"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"

	"winnow/ui/markdown"
)

// printer is standard output. What a command writes quotes models, tools, servers, files and paths, so on
// a terminal everything that a terminal would act on is made visible, at this one place. A pipe and a
// file get the bytes as they are. What could not be written is remembered: a command that goes on after it
// has not succeeded.
type printer struct {
	file   *os.File
	rest   []byte // the beginning of a character whose end has not been written yet
	failed error  // the first write that did not reach the file
}

func (p *printer) Fd() uintptr { return p.file.Fd() }

func (p *printer) Write(text []byte) (int, error) {
	if !term.IsTerminal(p.file.Fd()) {
		n, err := p.file.Write(text)
		return n, p.keep(err)
	}
	all := append(p.rest, text...)
	whole := len(all) - unfinished(all)
	p.rest = append([]byte(nil), all[whole:]...)
	if err := p.visible(markdown.Visible(string(all[:whole]))); err != nil {
		return 0, err
	}
	return len(text), nil
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

// unfinished is how many bytes at the end of a text are the beginning of a character.
func unfinished(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if end := text[len(text)-n:]; utf8.RuneStart(end[0]) {
			if utf8.FullRune(end) {
				return 0
			}
			return n
		}
	}
	return 0
}

// columns is the width that lines are broken at: the terminal's, and 0 where a program reads.
func (p *program) columns() int {
	if !term.IsTerminal(p.out.Fd()) {
		return 0
	}
	width, _, err := term.GetSize(p.out.Fd())
	if err != nil {
		return 80
	}
	return width
}
