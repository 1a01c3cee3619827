package plain

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// longestLine is the most bytes of a line; a longer one ends the input.
const longestLine = 16 << 20

// waiting is how many lines are read ahead of the chat.
const waiting = 256

// lines are the lines of the input as they come.
type lines struct {
	typed chan string // closed at the end of the input
	held  []string    // that came before a question, and are for the draft
}

// readLines reads lines until the input or the context ends. A read that waits for the input cannot be ended: its
// goroutine ends with the program.
func readLines(ctx context.Context, in io.Reader) *lines {
	l := &lines{typed: make(chan string, waiting)}
	go func() {
		defer close(l.typed)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, longestLine)
		for scanner.Scan() {
			select {
			case l.typed <- strings.TrimSuffix(scanner.Text(), "\r"):
			case <-ctx.Done():
				return
			}
		}
	}()
	return l
}

// first takes a line that is held.
func (l *lines) first() (text string, ok bool) {
	if len(l.held) == 0 {
		return "", false
	}
	text, l.held = l.held[0], l.held[1:]
	return text, true
}

// hold keeps what was typed until now for the draft.
func (l *lines) hold() {
	for {
		select {
		case text, ok := <-l.typed:
			if !ok {
				return
			}
			l.held = append(l.held, text)
		default:
			return
		}
	}
}

// giveBack makes a line the next one.
func (l *lines) giveBack(text string) { l.held = append([]string{text}, l.held...) }
