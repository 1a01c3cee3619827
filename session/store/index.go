package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"winnow/history"
)

// The full-text index has the words of every message that is whole, and gets and loses them in the
// transaction that writes or removes the message. What was here before the index was, or came in too
// great a number to wait for, stands in the backlog.

// findable is the text of a message that a search looks through, and that its snippets are cut from:
// what was said, the names and texts of its files, and what it asked of tools.
func findable(m history.Message) string {
	if len(m.Parts) == 0 && len(m.ToolCalls) == 0 {
		return m.Content
	}
	var b strings.Builder
	b.WriteString(m.Content)
	for _, p := range m.Parts {
		b.WriteString("\n" + p.Name + "\n" + p.Text)
	}
	for _, c := range m.ToolCalls {
		b.WriteString("\n" + c.Name + "\n" + spelledOut(c.Arguments))
	}
	return b.String()
}

// spelledOut returns the names and values of a call's arguments as a person reads them, without the
// escapes of JSON. What is not JSON stays as it is.
func spelledOut(arguments string) string {
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

// index adds the words of a message to the index.
func index(ctx context.Context, tx *sql.Tx, id int64, m history.Message) error {
	return indexText(ctx, tx, id, findable(m))
}

func indexText(ctx context.Context, tx *sql.Tx, id int64, text string) error {
	text = indexed(text)
	if text == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO found (docid, text)
		VALUES (?, ?)`, id, text)
	return err
}

// indexStored adds the words of these stored messages to the index, where they are not in it yet. One
// that is damaged has no words, and one that still arrives gets them when it is whole.
func indexStored(ctx context.Context, tx *sql.Tx, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	ids, err := idsWhere(ctx, tx, `
		SELECT value
		FROM json_each(?)
		WHERE value NOT IN (SELECT docid FROM found_docsize)
		ORDER BY value`, list(ids))
	if err != nil {
		return err
	}
	all, err := soughtMessages(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, m := range all {
		if m.damaged || m.Status == history.Streaming {
			continue
		}
		if err := indexText(ctx, tx, m.ID, m.text); err != nil {
			return err
		}
	}
	return nil
}

// unindex removes the words of these messages from the index. It reads the messages for their words,
// so it comes before they change or go.
func unindex(ctx context.Context, tx *sql.Tx, ids []int64) error {
	ids, err := idsWhere(ctx, tx, `
		SELECT docid
		FROM found_docsize
		WHERE docid IN (SELECT value FROM json_each(?))
		ORDER BY docid`, list(ids))
	if err != nil {
		return err
	}
	all, err := soughtMessages(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, m := range all {
		for _, step := range []struct {
			query string
			args  []any
		}{
			{`INSERT INTO found_text (id, text) VALUES (?, ?)`, []any{m.ID, indexed(m.text)}},
			{`DELETE FROM found WHERE docid = ?`, []any{m.ID}},
			{`DELETE FROM found_text`, nil},
		} {
			if _, err := tx.ExecContext(ctx, step.query, step.args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// unindexSession removes the words of all messages of a session.
func unindexSession(ctx context.Context, tx *sql.Tx, n int64) error {
	const step = 500 // messages in memory at once
	for from := int64(0); ; {
		ids, err := idsWhere(ctx, tx, `
			SELECT id
			FROM messages
			WHERE session = ?
				AND id > ?
			ORDER BY id
			LIMIT ?`, n, from, step)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := unindex(ctx, tx, ids); err != nil {
			return err
		}
		from = ids[len(ids)-1]
	}
}

// idsWhere reads a column of ids.
func idsWhere(ctx context.Context, tx *sql.Tx, query string, args ...any) ([]int64, error) {
	return collect(ctx, tx, only[int64], query, args...)
}
