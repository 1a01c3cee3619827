package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"winnow/history/message"
)

// MessageText returns the searchable text of a message: its content, the names and texts of its files, and the names
// and arguments of its tool calls.
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

// plainArguments returns the keys and values of a call's JSON arguments, unescaped and separated by spaces. Invalid
// JSON is returned unchanged.
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

// IndexText returns a text in the form in which it is added to the index: its words, each followed by a space.
func IndexText(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, w := range words(text) {
		b.WriteString(w.text)
		b.WriteByte(' ')
	}
	return b.String()
}
