package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"winnow/history/message"
)

// MessageText is the text of a message that a search looks through, and that its snippets are cut from: what was said, the
// names and texts of its files, and what it asked of tools.
func MessageText(m message.Message) string {
	texts := []string{m.Content}
	for _, p := range m.Parts {
		texts = append(texts, p.Name, p.Text)
	}
	for _, c := range m.ToolCalls {
		texts = append(texts, c.Name, plainArguments(c.Arguments))
	}
	return strings.Join(texts, "\n")
}

// plainArguments returns the names and values of a call's arguments as a person reads them, without the escapes of
// JSON. What is not JSON stays as it is.
func plainArguments(arguments string) string {
	var plain []string
	d := json.NewDecoder(strings.NewReader(arguments))
	d.UseNumber()
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return strings.Join(plain, " ")
		}
		if err != nil {
			return arguments
		}
		if _, bracket := token.(json.Delim); !bracket {
			plain = append(plain, fmt.Sprint(token))
		}
	}
}

// IndexText is a text as the index takes it: its words with a space between.
func IndexText(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, w := range words(text) {
		b.WriteString(w.text)
		b.WriteByte(' ')
	}
	return b.String()
}
