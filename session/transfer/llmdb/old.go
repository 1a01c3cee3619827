package llmdb

import (
	"context"
	"fmt"

	"winnow/session/store"
	"winnow/session/transfer/conversation"
)

// chatOf is what the first schema knows a conversation by: the row of its first prompt.
func (l *Reader) chatOf(table string) string {
	if l.columns[table]["chat_id"] {
		return "coalesce(chat_id, rowid)"
	}
	return "rowid"
}

// chats lists the conversations of the first schema.
func (l *Reader) chats(table string) string {
	return fmt.Sprintf("SELECT CAST(%s AS TEXT) FROM [%s] GROUP BY %[1]s ORDER BY min(rowid)", l.chatOf(table), table)
}

// chatIn reads a conversation from the one table of the first schema, which had three names for its time.
func (l *Reader) chatIn(table string) func(context.Context, string) (conversation.Conversation, error) {
	return func(ctx context.Context, id string) (conversation.Conversation, error) {
		rows, err := rowsOf(ctx, l.db, `
			SELECT
				CAST(rowid AS TEXT),
				`+l.columnsOf(table, "", "model", "prompt", "system", "response", "options_json", "datetime_utc", "timestamp_utc", "timestamp")+`
			FROM [`+table+`]
			WHERE CAST(`+l.chatOf(table)+` AS TEXT) = ?
			ORDER BY rowid`, id)
		if err != nil {
			return conversation.Conversation{}, err
		}
		// Rows are counted from 1 in both tables, so their name goes into what the conversation is known by.
		c := chain{logs: l, conv: begin(store.Session{Source: "llm", Origin: table + " " + id})}
		for _, r := range rows {
			at := timeOf(r[6] + r[7] + r[8])
			if err := c.response(ctx, replied{id: table + " " + r[0], model: r[1], prompt: r[2], system: r[3], response: r[4], options: r[5], at: at}); err != nil {
				return conversation.Conversation{}, err
			}
		}
		return c.conv, nil
	}
}
