// Package search is the full-text index of the messages: which words they have, what a typed query means,
// which messages the index finds for it, their rank and the snippets that are shown. It does not read
// messages: their texts are passed to it.
package search

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"winnow/history/message"
	"winnow/session/store/sqlite"
)

// The full-text index has the words of every message that is whole, and gets and loses them in the
// transaction that writes or removes the message. What was here before the index was, or came in too
// great a number to wait for, is in the backlog.

// Text is the text of a message that a search looks through, and that its snippets are cut from:
// what was said, the names and texts of its files, and what it asked of tools.
func Text(m message.Message) string {
	if len(m.Parts) == 0 && len(m.ToolCalls) == 0 {
		return m.Content
	}
	var b strings.Builder
	b.WriteString(m.Content)
	for _, p := range m.Parts {
		b.WriteString("\n" + p.Name + "\n" + p.Text)
	}
	for _, c := range m.ToolCalls {
		b.WriteString("\n" + c.Name + "\n" + plainArguments(c.Arguments))
	}
	return b.String()
}

// plainArguments returns the names and values of a call's arguments as a person reads them, without the
// escapes of JSON. What is not JSON stays as it is.
func plainArguments(arguments string) string {
	var said []string
	d := json.NewDecoder(strings.NewReader(arguments))
	d.UseNumber()
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return strings.Join(said, " ")
		}
		switch t := token.(type) {
		case string:
			said = append(said, t)
		case json.Number:
			said = append(said, t.String())
		}
		if err != nil {
			return arguments
		}
	}
}

// indexed returns a text as the index takes it: its words with a space between.
func indexed(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for w := range words(text) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
	}
	return b.String()
}

// Add adds the words of a message to the index.
func Add(ctx context.Context, tx *sql.Tx, id int64, text string) error {
	text = indexed(text)
	if text == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO found (docid, text)
		VALUES (?, ?)`, id, text)
	return err
}

// Missing returns those of these messages that are not in the index, in order.
func Missing(ctx context.Context, tx *sql.Tx, ids []int64) ([]int64, error) {
	return sqlite.Collect(ctx, tx, sqlite.Only[int64], `
		SELECT value
		FROM json_each(?)
		WHERE value NOT IN (SELECT docid FROM found_docsize)
		ORDER BY value`, sqlite.IDs(ids))
}

// Present returns those of these messages that are in the index, in order.
func Present(ctx context.Context, tx *sql.Tx, ids []int64) ([]int64, error) {
	return sqlite.Collect(ctx, tx, sqlite.Only[int64], `
		SELECT docid
		FROM found_docsize
		WHERE docid IN (SELECT value FROM json_each(?))
		ORDER BY docid`, sqlite.IDs(ids))
}

// Remove removes the words of a message from the index. Text is the text that was added.
func Remove(ctx context.Context, tx *sql.Tx, id int64, text string) error {
	for _, step := range []struct {
		query string
		args  []any
	}{
		{`INSERT INTO found_text (id, text) VALUES (?, ?)`, []any{id, indexed(text)}},
		{`DELETE FROM found WHERE docid = ?`, []any{id}},
		{`DELETE FROM found_text`, nil},
	} {
		if _, err := tx.ExecContext(ctx, step.query, step.args...); err != nil {
			return err
		}
	}
	return nil
}
