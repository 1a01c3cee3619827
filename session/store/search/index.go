package search

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-sqlite3"

	"winnow/history/message"
	"winnow/session/store/sqlite"
)

// Text is the text of a message that a search looks through, and that its snippets are cut from: what was said, the
// names and texts of its files, and what it asked of tools.
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

// indexed is a text as the index takes it: its words with a space between.
func indexed(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, w := range words(text) {
		b.WriteString(w.text)
		b.WriteByte(' ')
	}
	return b.String()
}

// Add adds the words of a message to the index, where it is not in it. One without words is in the index too.
func Add(ctx context.Context, tx *sql.Tx, id int64, text string) error {
	text = indexed(text)
	known, err := has(ctx, tx, id)
	if known || err != nil {
		return err
	}
	// No INSERT with SELECT: FTS4 would write a segment for each.
	_, err = tx.ExecContext(ctx, `INSERT INTO found (docid, text) VALUES (?, ?)`, id, text)
	return err
}

// Remove removes the words of a message from the index, where they are in it. Text is the text that was added: the
// index asks found_text for it.
func Remove(ctx context.Context, tx *sql.Tx, id int64, text string) error {
	known, err := has(ctx, tx, id)
	if !known || err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO found_text (id, text) VALUES (?, ?)`, id, indexed(text))
	if err == nil {
		_, err = tx.ExecContext(ctx, `DELETE FROM found WHERE docid = ?`, id)
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, `DELETE FROM found_text`)
	}
	return err
}

// has reports whether the words of a message are in the index.
func has(ctx context.Context, tx *sql.Tx, id int64) (known bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM found_docsize WHERE docid = ?)`, id).Scan(&known)
	return known, err
}

// Damaged reports whether an error is that of an index that cannot be read. The file can be sound otherwise.
func Damaged(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.ExtendedCode == sqlite3.ErrCorruptVTab
}

// Renew makes a new index without a message in it, so that a damaged index keeps nobody from saving a message.
func Renew(ctx context.Context, tx *sql.Tx) error {
	var create string
	err := tx.QueryRowContext(ctx, `SELECT sql FROM sqlite_schema WHERE name = 'found'`).Scan(&create)
	if err == nil {
		// What the old index had of purged messages is gone.
		_, err = tx.ExecContext(ctx, `DROP TABLE found; `+create+`; UPDATE purged SET gathered = 1`)
	}
	if err != nil {
		return fmt.Errorf("make the search index anew: %w", err)
	}
	return nil
}

// One step at the backlog ends at the first of these, so that it takes about a twentieth of a second.
const (
	stepMessages = 2_000
	stepBytes    = 250_000 // of content; few messages have more to them
)

// Waiting returns how many messages the index lacks. One that still arrives is none of them.
func Waiting(ctx context.Context, tx *sql.Tx) (left int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM unfound`).Scan(&left)
	return left, err
}

// Newest returns the newest messages that the index lacks, as many as are worth one step.
func Newest(ctx context.Context, tx *sql.Tx) ([]int64, error) {
	return sqlite.Collect[int64](ctx, tx, `
		SELECT id
		FROM (
			SELECT
				id,
				sum(size) OVER (ORDER BY id DESC) - size AS before
			FROM (SELECT id, size FROM unfound ORDER BY id DESC LIMIT ?)
		)
		WHERE before < ?`, stepMessages, stepBytes)
}

// NotePurged records that words were removed whose bytes are to be overwritten. FTS4 merely adds to its tree that they
// are gone, until MergeAll.
func NotePurged(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO purged (id, gathered)
		VALUES (1, 0)
		ON CONFLICT DO UPDATE
		SET gathered = 0`)
	return err
}

// Purged reports whether words were removed whose bytes are to be overwritten.
func Purged(ctx context.Context, tx *sql.Tx) (purged bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM purged)`).Scan(&purged)
	return purged, err
}

// MergeAll makes one segment of the index, in which nothing is left of words that were removed. It writes all of it
// anew, which takes about a second for 200,000 messages.
func MergeAll(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO found (found) VALUES ('optimize')`)
	if err == nil {
		_, err = tx.ExecContext(ctx, `UPDATE purged SET gathered = 1`)
	}
	return err
}
