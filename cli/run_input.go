//go:build cgo

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

const (
	inputMost = 10 << 20 // bytes that run takes from standard input

	// alonePatience is how many times longer run waits for a pipe to begin if there is nothing else to send.
	alonePatience = 30

	dash = "-" // the argument that has standard input read, whatever it is
)

// joinInput is the text of the arguments, followed by what standard input holds.
func (p *program) joinInput(args []string) (string, error) {
	asked := slices.Contains(args, dash)
	words := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == dash })
	text := strings.Join(words, " ")
	empty := strings.TrimSpace(text) == ""
	alone := empty && len(p.flags.attach) == 0
	if !asked && (!ownInput(p.in, alone) || !p.inputBegins(alone)) {
		return text, nil
	}
	read, err := io.ReadAll(io.LimitReader(p.in, inputMost+1))
	switch {
	case err != nil:
		return "", fail(Failed, "cannot read standard input: %w", err)
	case len(read) > inputMost:
		return "",
			fail(Failed, "standard input is longer than %d MB, which is too much for one message; pass a part of it",
				inputMost>>20)
	case empty:
		return string(read), nil
	case len(read) == 0:
		return text, nil
	}
	return text + "\n\n" + string(read), nil
}

// ownInput says that standard input is meant for run without being asked for: a pipe, or a file. Beside a text, a file
// that somebody has read from is theirs: in "while read x; do winnow run "about $x"; done <list" it is the rest of the
// list. A pipe does not tell what was read from it.
func ownInput(in *os.File, alone bool) bool {
	info, err := in.Stat()
	switch {
	case err != nil || term.IsTerminal(in.Fd()) || info.Mode()&os.ModeCharDevice != 0:
		return false
	case !info.Mode().IsRegular() || alone:
		return true
	}
	at, err := in.Seek(0, io.SeekCurrent)
	return err == nil && at == 0
}

// inputBegins waits for the first byte or the end of standard input. A pipe may stay open and silent for ever, as under
// cron, ssh and editors: then the text is sent without it, and where there is none, nothing is.
func (p *program) inputBegins(alone bool) bool {
	if readable(p.in, p.patience) {
		return true
	}
	if !alone {
		p.sayOfInput("nothing has come on standard input, which is not waited for; - waits for it")
		return false
	}
	p.sayOfInput("waiting for standard input")
	return readable(p.in, p.patience*(alonePatience-1))
}

func (p *program) sayOfInput(text string) {
	if !p.flags.quiet {
		fmt.Fprintf(p.err, "winnow: %s\n", text)
	}
}

// readable waits until reading from a file would not block: it has data, or has ended. Nothing is read, so that what
// comes later is left to the others who have the file open.
func readable(file *os.File, wait time.Duration) bool {
	polled := []unix.PollFd{{Fd: int32(file.Fd()), Events: unix.POLLIN}}
	for end := time.Now().Add(wait); ; {
		left := max(0, time.Until(end))
		n, err := unix.Poll(polled, int(left.Milliseconds()))
		if !errors.Is(err, unix.EINTR) { // A signal of Go's own scheduler ends a wait early.
			return n > 0 || err != nil // Reading says what is wrong.
		}
	}
}
