package plain

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// longestLine is the most bytes of a line; a longer one ends the input.
const longestLine = 16 << 20

// linesAhead is how many lines are read ahead of the chat.
const linesAhead = 256

// lines are the lines of the input as they come.
type lines struct {
	typed chan string // closed at the end of the input
	held  []string    // came before a question, and are messages
}

// readLines reads lines until the input or the context ends. A read that waits for the input cannot be ended: its
// goroutine ends with the program.
func readLines(ctx context.Context, in io.Reader) *lines {
	l := &lines{typed: make(chan string, linesAhead)}
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

// hold keeps what was typed until now for the next messages.
func (l *lines) hold() {
	for range len(l.typed) {
		l.held = append(l.held, <-l.typed)
	}
}

// line waits for a line, of those that are held first. Stopped says that ctrl+c came instead.
func (c *chat) line(ctx context.Context) (text string, stopped bool, err error) {
	if held := c.in.held; len(held) > 0 {
		c.in.held = held[1:]
		return held[0], false, nil
	}
	return c.typedLine(ctx)
}

// typedLine waits for a line that comes from now on. Its error is io.EOF at the end of the input.
func (c *chat) typedLine(ctx context.Context) (text string, stopped bool, err error) {
	select {
	case text, ok := <-c.in.typed:
		if !ok {
			return "", false, io.EOF
		}
		return text, false, nil
	case <-c.Stop:
		c.write("\n")
		return "", true, nil
	case <-ctx.Done():
		return "", false, ctx.Err()
	}
}

// choose asks until one of the words is the answer, of which the first is the safe one. What was typed before the
// question is a message, and answers nothing. From a pipe a line that is none of the words is the next message, and the
// answer is the safe one.
func (c *chat) choose(ctx context.Context, question string, stop func(), words ...string) string {
	if c.Terminal {
		c.in.hold()
	}
	for {
		c.say("%s.", question)
		text, err := c.answer(ctx, "answer: ", stop)
		if err != nil {
			return words[0]
		}
		for _, word := range words {
			if typed := strings.ToLower(strings.TrimSpace(text)); typed == word || typed == word[:1] {
				return c.echo(word)
			}
		}
		if !c.Terminal {
			c.in.held = append([]string{text}, c.in.held...)
			return c.echo(words[0])
		}
	}
}

// echo prints an answer that came from a pipe.
func (c *chat) echo(word string) string {
	if !c.Terminal {
		c.say("answer: %s", word)
	}
	return word
}

// answer reads the answer to a question. ctrl+c stops the turn, which is an error too.
func (c *chat) answer(ctx context.Context, prompt string, stop func()) (string, error) {
	read := c.line
	if c.Terminal {
		read = c.typedLine
	}
	c.prompt(prompt)
	text, stopped, err := read(ctx)
	if stopped {
		stop()
		err = context.Canceled
	}
	return text, err
}
