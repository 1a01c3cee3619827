package plain

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
)

// longestLine is the most bytes of a line; a longer one ends the input.
const longestLine = 16 << 20

// linesAhead is how many lines are read ahead of the chat.
const linesAhead = 256

// readLines reads lines until the input or the context ends. A read that waits for the input cannot be ended: its
// goroutine ends with the program.
func readLines(ctx context.Context, in io.Reader) <-chan string {
	typed := make(chan string, linesAhead)
	go func() {
		defer close(typed)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, longestLine)
		for scanner.Scan() {
			select {
			case typed <- strings.TrimSuffix(scanner.Text(), "\r"):
			case <-ctx.Done():
				return
			}
		}
	}()
	return typed
}

// errStopped says that ctrl+c came while a line was waited for.
var errStopped = errors.New("stopped")

// line waits for a line, of those that are held first. Its error is io.EOF at the end of the input.
func (c *chat) line(ctx context.Context) (string, error) {
	if len(c.held) > 0 {
		text := c.held[0]
		c.held = c.held[1:]
		return text, nil
	}
	select {
	case text, ok := <-c.typed:
		if !ok {
			return "", io.EOF
		}
		return text, nil
	case <-c.Stop:
		c.write("\n")
		return "", errStopped
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// answer reads the answer to a question. What a person typed before it is a message. ctrl+c stops the turn.
func (c *chat) answer(ctx context.Context, prompt string, stop func()) (string, error) {
	var before []string
	if c.Terminal {
		before, c.held = c.held, nil
	}
	c.prompt(prompt)
	text, err := c.line(ctx)
	c.held = append(before, c.held...)
	if errors.Is(err, errStopped) {
		stop()
	}
	return text, err
}

// choose asks until one of the words is the answer, of which the first is the safe one. What was typed before the
// question is a message, and answers nothing. From a pipe a line that is none of the words is the next message, and the
// answer is the safe one.
func (c *chat) choose(ctx context.Context, question string, stop func(), words ...string) string {
	if c.Terminal {
		for range len(c.typed) {
			c.held = append(c.held, <-c.typed)
		}
	}
	for {
		c.say("%s.", question)
		text, err := c.answer(ctx, "answer: ", stop)
		if err != nil {
			return words[0]
		}
		answer := ""
		for _, word := range words {
			if typed := strings.ToLower(strings.TrimSpace(text)); typed == word || typed == word[:1] {
				answer = word
			}
		}
		switch {
		case answer == "" && c.Terminal:
			continue
		case answer == "":
			answer, c.held = words[0], append([]string{text}, c.held...)
		}
		if !c.Terminal {
			c.say("answer: %s", answer)
		}
		return answer
	}
}
