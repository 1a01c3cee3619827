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
// file get the bytes as they are.
type printer struct {
	file *os.File
	rest []byte // the beginning of a character whose end has not been written yet
}

func (p *printer) Fd() uintptr { return p.file.Fd() }

func (p *printer) Write(text []byte) (int, error) {
	if !term.IsTerminal(p.file.Fd()) {
		return p.file.Write(text)
	}
	all := append(p.rest, text...)
	whole := len(all) - unfinished(all)
	p.rest = append([]byte(nil), all[whole:]...)
	if _, err := p.file.WriteString(markdown.Visible(string(all[:whole]))); err != nil {
		return 0, err
	}
	return len(text), nil
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
