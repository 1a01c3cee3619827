package plain

import (
	"bufio"
	"context"
	"io"
	"strconv"
	"strings"

	"winnow/ui/list"
	"winnow/ui/theme"
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

// line waits for a line, of those that are held first. Its error is io.EOF at the end of the input.
func (c *chat) line(ctx context.Context, prompt string) (string, error) {
	if len(c.held) > 0 {
		text := c.held[0]
		c.held = c.held[1:]
		return text, nil
	}
	return c.newLine(ctx, prompt)
}

// newLine waits for a line that comes from now on.
func (c *chat) newLine(ctx context.Context, prompt string) (string, error) {
	c.endLine()
	if c.Terminal {
		c.write(prompt)
	}
	select {
	case text, ok := <-c.typed:
		if !ok {
			return "", io.EOF
		}
		c.openLine = false // The person ended it.
		return text, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// message reads a message: a line, or the lines between <<END and END.
func (c *chat) message(ctx context.Context) (string, error) {
	first, err := c.line(ctx, "you: ")
	end, several := strings.CutPrefix(first, "<<")
	if err != nil || !several || len(strings.Fields(end)) != 1 {
		return first, err
	}
	var lines []string
	for {
		switch line, err := c.line(ctx, "... "); {
		case err == io.EOF, err == nil && line == strings.TrimSpace(end):
			return strings.Join(lines, "\n"), nil
		case err != nil:
			return "", err
		default:
			lines = append(lines, line)
		}
	}
}

// ask asks a person until one of the words, or its first letter, is the answer. What was typed before the question is a
// message, and answers nothing. Where nobody types the answer is the first word, which is the safe one.
func (c *chat) ask(ctx context.Context, question string, words ...string) string {
	c.say("%s Answer %s.", question, theme.Choices(words))
	if !c.Terminal {
		c.say("answer: %s", words[0])
		return words[0]
	}
	for len(c.typed) > 0 {
		c.held = append(c.held, <-c.typed)
	}
	for {
		text, err := c.newLine(ctx, "answer: ")
		if err != nil {
			return words[0]
		}
		for _, word := range words {
			if typed := strings.ToLower(strings.TrimSpace(text)); typed == word || typed == word[:1] {
				return word
			}
		}
	}
}

// choice prints a list with notes under it, and reads the number of an item. It is "" where none is chosen.
func (c *chat) choice(ctx context.Context, items []list.Item, notes ...string) string {
	for i, item := range items {
		c.say("%s", strings.Join(strings.Fields(strconv.Itoa(i+1)+". "+item.Label+" "+item.About+" "+item.Right), " "))
	}
	for _, note := range notes {
		c.say("%s", note)
	}
	if !c.Terminal {
		return ""
	}
	text, _ := c.newLine(ctx, "number, or enter to leave it: ")
	n, _ := strconv.Atoi(strings.TrimSpace(text))
	if n < 1 || n > len(items) {
		return ""
	}
	return items[n-1].Value
}
