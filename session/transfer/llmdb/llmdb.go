// Package llmdb reads the conversations that the program llm keeps in its SQLite database, as rows of threads or of
// responses. It does not open the database, never writes to it and does not store the conversations.
package llmdb

import (
	"context"
	"database/sql"
	"iter"
	"strings"

	"winnow/history/message"
	"winnow/session/store/sqlite"
	"winnow/session/transfer/conversation"
)

// logs is llm's database.
type logs struct {
	ctx  context.Context
	db   *sql.DB
	conv conversation.Conversation // what is read now
	err  error                     // the first error of reading it
}

// Is reports whether a database with these columns is llm's.
func Is(columns map[string]bool) bool {
	return columns["threads.tip_message_hash"] || columns["responses.resolved_model"]
}

// Read reads the conversations of a database, each that went on as a thread there. A conversation that cannot be read
// is Broken.
func Read(ctx context.Context, db *sql.DB, columns map[string]bool) iter.Seq2[conversation.Conversation, error] {
	return func(yield func(conversation.Conversation, error) bool) {
		each := func(read func(*logs, string), ids string) bool {
			l := &logs{ctx: ctx, db: db}
			for _, id := range l.texts(ids) {
				l.conv = conversation.New("llm")
				l.conv.Session.Origin = id[0]
				read(l, id[0])
				if err := ctx.Err(); err != nil {
					yield(l.conv, err)
					return false
				}
				if l.err != nil {
					l.conv.Broken = "conversation " + id[0] + " of llm's logs cannot be read: " + l.err.Error()
				}
				if !yield(l.conv, nil) {
					return false
				}
				l.err = nil
			}
			if l.err != nil {
				yield(l.conv, l.err)
			}
			return l.err == nil
		}
		other := ""
		if columns["threads.tip_message_hash"] {
			other = ` AND conversation_id NOT IN (SELECT id FROM threads)`
			if !each((*logs).thread, `SELECT id FROM threads ORDER BY rowid`) {
				return
			}
		}
		if columns["responses.resolved_model"] {
			_ = each((*logs).conversation, `
				SELECT conversation_id
				FROM responses
				WHERE conversation_id IS NOT NULL`+other+`
				GROUP BY conversation_id
				ORDER BY min(rowid)`) &&
				each((*logs).alone, `SELECT id FROM responses WHERE conversation_id IS NULL ORDER BY rowid`)
		}
	}
}

// texts are the rows of a query, every column as a text, none where a query failed before.
func (l *logs) texts(query string, args ...any) [][]string {
	if l.err != nil {
		return nil
	}
	var all [][]string
	rows, err := l.db.QueryContext(l.ctx, query, args...)
	if err != nil {
		l.err = err
		return nil
	}
	defer rows.Close()
	names, err := rows.Columns()
	for err == nil && rows.Next() {
		row := make([]sql.NullString, len(names))
		to := make([]any, len(names))
		for i := range row {
			to[i] = &row[i]
		}
		err = rows.Scan(to...)
		texts := make([]string, len(names))
		for i, column := range row {
			texts[i] = column.String
		}
		all = append(all, texts)
	}
	if l.err = err; err == nil {
		l.err = rows.Err()
	}
	return all
}

// joined are the texts of the rows of a query with one column, and one more, with an empty line between any two.
func (l *logs) joined(more, query string, args ...any) string {
	var all []string
	for _, row := range l.texts(query, args...) {
		all = append(all, row[0])
	}
	if more != "" {
		all = append(all, more)
	}
	return strings.Join(all, "\n\n")
}

// attachments are the parts that hang on a message. The logs hold the bytes of some, and of others only where they
// were. from is behind the columns of the table attachments, as a.
func (l *logs) attachments(from string, id any) []message.Part {
	if l.err != nil {
		return nil
	}
	parts, err := sqlite.Collect(l.ctx, l.db, func(scan func(...any) error) (message.Part, error) {
		var kind, where string
		var data []byte
		err := scan(&kind, &where, &data)
		return l.attachment(kind, where, data), err
	}, `
		SELECT
			coalesce(a.type, ''),
			coalesce(a.path, a.url, ''),
			a.content
		`+from, id)
	l.err = err
	return parts
}

func (l *logs) attachment(kind, where string, data []byte) message.Part {
	if strings.HasPrefix(kind, "image/") && len(data) > 0 {
		name := where[strings.LastIndexAny(where, `/\`)+1:]
		return message.Part{Kind: message.ImagePart, Name: name, MediaType: kind, Data: data}
	}
	if where == "" {
		where = kind
	}
	l.conv.Odd("", "", "the attachment %q is not in the logs as an image; a note replaces it", where)
	return conversation.Note("file " + where)
}

// timeOf is a time of the database as Unix milliseconds, 0 for none.
func timeOf(text string) int64 {
	ms, _ := conversation.ParseTime(text)
	return ms
}
