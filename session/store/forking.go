package store

import (
	"context"
	"database/sql"

	"winnow/session/store/search"
)

// forking is a fork on its way: the key of the session that it is made of and its own, and the
// messages to copy in order.
//
// The copies have ids that follow one another, as a branch has: the copy of the message at place i has
// the id first+i.
type forking struct {
	tx       *sql.Tx
	from, to int64
	branch   []int64
	first    int64
}

// copy fills the new session.
func (f *forking) copy(ctx context.Context) error {
	err := f.tx.QueryRowContext(ctx, `
		SELECT coalesce(max(seq), 0) + 1
		FROM sqlite_sequence
		WHERE name = 'messages'`).Scan(&f.first)
	if err != nil {
		return err
	}
	args := []any{
		sql.Named("branch", list(f.branch)),
		sql.Named("first", f.first),
		sql.Named("session", f.from),
		sql.Named("fork", f.to),
	}
	for _, query := range []string{
		copyMessages, copyCalls, copyParts, copyFlags, copyRemedies, copySummaries, countCopies,
	} {
		if _, err := f.tx.ExecContext(ctx, query, args...); err != nil {
			return err
		}
	}
	return f.index(ctx)
}

// indexAtOnce is how many copies are put into the full-text index before a fork is there. A longer
// branch takes seconds: that is done behind the screen, the newest messages first.
const indexAtOnce = 500

// index puts the copies into the full-text index, or on the list of what is to be put there.
func (f *forking) index(ctx context.Context) error {
	if len(f.branch) > indexAtOnce {
		return search.Later(ctx, f.tx, f.first, f.first+int64(len(f.branch))-1)
	}
	copies := make([]int64, len(f.branch))
	for i := range copies {
		copies[i] = f.first + int64(i)
	}
	return indexStored(ctx, f.tx, copies)
}

// The steps of a fork. :branch lists the messages to copy, and a message's key in that list is its
// place, from 0.
const (
	copyMessages = `
		INSERT INTO messages (
			id, session, seq, parent, role, status, created_ms, calls, parts, tokens, tokenizer, endpoint, model,
			finish_reason, label, name, tool_call_id, hash, extra, reasoning, content, alone
		)
		SELECT
			:first + b.key,
			:fork,
			1 + b.key,
			iif(b.key = 0, 0, :first + b.key - 1),
			m.role,
			iif(m.status = 'streaming', 'interrupted', m.status),
			m.created_ms,
			m.calls,
			m.parts,
			m.tokens,
			m.tokenizer,
			m.endpoint,
			m.model,
			m.finish_reason,
			m.label,
			m.name,
			m.tool_call_id,
			m.hash,
			m.extra,
			m.reasoning,
			m.content,
			m.alone
		FROM json_each(:branch) b
		CROSS JOIN messages m ON m.id = b.value
		ORDER BY b.key`

	copyCalls = `
		INSERT INTO tool_calls (message, place, call_id, name, arguments)
		SELECT
			:first + b.key,
			c.place,
			c.call_id,
			c.name,
			c.arguments
		FROM json_each(:branch) b
		CROSS JOIN tool_calls c ON c.message = b.value
		ORDER BY b.key, c.place`

	// Attachments are stored once, however many messages have them.
	copyParts = `
		INSERT INTO parts (message, place, kind, name, media_type, tokens, attachment)
		SELECT
			:first + b.key,
			p.place,
			p.kind,
			p.name,
			p.media_type,
			p.tokens,
			p.attachment
		FROM json_each(:branch) b
		CROSS JOIN parts p ON p.message = b.value
		ORDER BY b.key, p.place`

	copyFlags = `
		INSERT INTO flags (message, flag, created_ms)
		SELECT
			:first + b.key,
			f.flag,
			f.created_ms
		FROM json_each(:branch) b
		CROSS JOIN flags f ON f.message = b.value
		ORDER BY b.key`

	copyRemedies = `
		INSERT INTO remedies (message, remedy, created_ms)
		SELECT
			:first + b.key,
			r.remedy,
			r.created_ms
		FROM json_each(:branch) b
		CROSS JOIN remedies r ON r.message = b.value
		ORDER BY b.key`

	copySummaries = `
		INSERT INTO summaries (session, first, last, messages, created_ms, endpoint, model, text, sources)
		SELECT
			:fork,
			:first + oldest.key,
			:first + newest.key,
			s.messages,
			s.created_ms,
			s.endpoint,
			s.model,
			s.text,
			(
				SELECT json_group_array(json_array(
					:first + (SELECT min(b.key) FROM json_each(:branch) b WHERE b.value >= run.value ->> 0),
					:first + (SELECT max(b.key) FROM json_each(:branch) b WHERE b.value <= run.value ->> 1)))
				FROM json_each(s.sources) run
			)
		FROM summaries s
		CROSS JOIN json_each(:branch) oldest ON oldest.value = s.first
		CROSS JOIN json_each(:branch) newest ON newest.value = s.last
		WHERE s.session = :session
		ORDER BY s.id`

	countCopies = `
		UPDATE sessions
		SET messages = json_array_length(:branch),
			turns = (SELECT count(*) FROM messages WHERE session = :fork AND role = 'user'),
			leaf = :first + json_array_length(:branch) - 1
		WHERE n = :fork`
)
