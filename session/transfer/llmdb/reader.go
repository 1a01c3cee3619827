// Package llmdb reads the conversations that the program llm keeps in its SQLite database, as rows of responses or
// of threads. It never writes to the database and does not store the conversations.
package llmdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/store/sqlite"
	"winnow/session/transfer/conversation"
)

// Reader reads the conversations that the program llm keeps in its database.
type Reader struct {
	db      *sql.DB
	columns map[string]map[string]bool // of every table
	rest    []logged
	count   int
}

// logged names one conversation of the logs.
type logged struct {
	read func(context.Context, string) (conversation.Conversation, error)
	id   string
}

// ErrNotLLM says that a database is none of llm's.
var ErrNotLLM = errors.New("this is not a database of llm: its tables are missing")

// Open opens llm's database for reading. The program may have it open too.
func Open(ctx context.Context, path string) (*Reader, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("read llm's logs: %w", err)
	}
	for _, mode := range []sqlite.Mode{sqlite.ReadOnly, sqlite.Immutable} {
		l := &Reader{db: sqlite.Pool(path, mode, 1)}
		if err = l.list(ctx); err == nil {
			l.count = len(l.rest)
			return l, nil
		}
		l.db.Close()
		if log, statErr := os.Stat(path + "-wal"); errors.Is(err, ErrNotLLM) || statErr == nil && log.Size() > 0 {
			break // an immutable database is read without its log
		}
	}
	return nil, fmt.Errorf("read llm's logs (%s): %w", path, err)
}

// Close closes the database.
func (l *Reader) Close() error { return l.db.Close() }

// Next returns the next conversation, or io.EOF after the last one. An error that is none of ctx concerns this conversation alone.
func (l *Reader) Next(ctx context.Context) (conversation.Conversation, error) {
	if len(l.rest) == 0 {
		return conversation.Conversation{}, io.EOF
	}
	one := l.rest[0]
	l.rest = l.rest[1:]
	conv, err := one.read(ctx, one.id)
	conv.Index = l.count - len(l.rest) - 1
	if err != nil {
		return conversation.Conversation{}, fmt.Errorf("conversation %s of llm's logs cannot be read: %w", one.id, err)
	}
	return conv, nil
}

// list finds the tables and the conversations in them.
func (l *Reader) list(ctx context.Context) error {
	if err := l.readColumns(ctx); err != nil {
		return err
	}
	known := false
	for _, of := range []struct {
		table, ids string
		read       func(context.Context, string) (conversation.Conversation, error)
	}{
		{"responses", `SELECT conversation_id FROM responses WHERE conversation_id IS NOT NULL` + l.notThreads() + ` GROUP BY conversation_id ORDER BY min(rowid)`, l.conversation},
		{"responses", `SELECT id FROM responses WHERE conversation_id IS NULL ORDER BY rowid`, l.alone},
		{"threads", `SELECT id FROM threads ORDER BY rowid`, l.thread},
	} {
		if l.columns[of.table] == nil {
			continue
		}
		known = true
		ids, err := firstColumn(ctx, l.db, of.ids)
		if err != nil {
			return err
		}
		for _, id := range ids {
			l.rest = append(l.rest, logged{of.read, id})
		}
	}
	if !known {
		return ErrNotLLM
	}
	return nil
}

// notThreads leaves those conversations out that went on as threads: llm keeps both for a time. One whose
// answers are not all found there is read from both.
func (l *Reader) notThreads() string {
	if l.columns["threads"] == nil || l.columns["turns"] == nil || l.columns["parts"] == nil {
		return ""
	}
	return `
		AND conversation_id IN (
			SELECT r.conversation_id
			FROM responses r
			WHERE r.conversation_id NOT IN (SELECT id FROM threads)
				OR r.response <> ''
				AND r.id NOT IN (SELECT id FROM turns)
				AND NOT EXISTS (
					SELECT 1
					FROM parts p
					WHERE p.text = r.response
				)
		)`
}

// readColumns reads which columns every table has.
func (l *Reader) readColumns(ctx context.Context) error {
	l.columns = map[string]map[string]bool{}
	err := sqlite.Each(ctx, l.db, func(scan func(...any) error) error {
		var table, column string
		err := scan(&table, &column)
		if l.columns[table] == nil {
			l.columns[table] = map[string]bool{}
		}
		l.columns[table][column] = true
		return err
	}, `
		SELECT
			t.name,
			c.name
		FROM sqlite_schema t
		JOIN pragma_table_info(t.name) c
		WHERE t.type = 'table'
			AND t.sql NOT LIKE 'CREATE VIRTUAL%'`)
	if err != nil {
		return err
	}
	for table, needs := range map[string]string{"log": "prompt", "logs": "prompt", "responses": "conversation_id", "threads": "tip_message_hash"} {
		if !l.columns[table][needs] {
			delete(l.columns, table) // another program's
		}
	}
	return nil
}

// column is the text of a column in a query, or an empty one where the schema has it not.
func (l *Reader) column(table, as, name string) string {
	if !l.columns[table][name] {
		return "''"
	}
	return fmt.Sprintf("coalesce(CAST(%s[%s] AS TEXT), '')", as, name)
}

// columnsOf are several columns of a table as a query has them.
func (l *Reader) columnsOf(table, as string, names ...string) string {
	var out []string
	for _, name := range names {
		out = append(out, l.column(table, as, name))
	}
	return strings.Join(out, ",\n\t\t\t")
}

// begin is a conversation without its messages.
func begin(row store.Session) conversation.Conversation {
	return conversation.Conversation{Conversation: store.Conversation{Session: row, Leaf: -1}}
}

// firstColumn are the rows of a query with one column.
func firstColumn(ctx context.Context, db *sql.DB, query string, args ...any) ([]string, error) {
	return sqlite.Collect(ctx, db, func(scan func(...any) error) (string, error) {
		var text sql.NullString
		err := scan(&text)
		return text.String, err
	}, query, args...)
}

// rowsOf are the rows of a query, every column as a text.
func rowsOf(ctx context.Context, db *sql.DB, query string, args ...any) ([][]string, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out [][]string
	for rows.Next() {
		row := make([]string, len(names))
		to := make([]any, len(names))
		for i := range row {
			to[i] = &row[i]
		}
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// newMessage is a message of the logs.
func newMessage(label string, role message.Role, text string, at int64) store.ImportedMessage {
	return store.ImportedMessage{Message: store.Message{Message: message.Message{Label: label, Role: role, Content: text, Status: message.Imported, CreatedMS: at}}}
}

// timeOf is a time of the database as Unix milliseconds, 0 for none. Without a zone it is UTC.
func timeOf(text string) int64 {
	ms, _ := conversation.ParseTime(text)
	return ms
}
