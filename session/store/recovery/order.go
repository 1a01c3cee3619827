package recovery

import (
	"github.com/google/uuid"

	"winnow/session/store/sqlite"
)

// recoveredTitle is the title of a session whose own was lost.
const recoveredTitle = "Recovered conversation"

// exec runs a statement and returns how many rows it changed; after an error it does nothing.
func (r *recovery) exec(query string, args ...any) (rows int) {
	if r.err != nil {
		return 0
	}
	result, err := r.tx.ExecContext(r.ctx, query, args...)
	if r.err = err; err != nil {
		return 0
	}
	changed, err := result.RowsAffected()
	r.err = err
	return int(changed)
}

// broken are the messages that fail their hash, as a list that json_each takes apart.
func (r *recovery) broken() (n int, list string) {
	if r.err != nil {
		return 0, ""
	}
	var ids []int64
	ids, r.err = r.check(r.ctx, r.tx)
	return len(ids), sqlite.IDs(ids)
}

// adopt takes lost sessions from the backup, with the keys that they had: none is given twice. Where the table could be
// read, one that is not there and has no messages was purged.
func (r *recovery) adopt() {
	r.exec(`
		INSERT OR IGNORE INTO sessions
		SELECT *
		FROM backup.sessions
		WHERE id NOT IN (SELECT session FROM tombstones)
			AND (? OR n IN (SELECT session FROM messages))`, r.damaged["sessions"])
}

// reattach gives messages whose session is lost a new one, with the key that they name.
func (r *recovery) reattach() {
	if r.err != nil {
		return
	}
	var lost []int64
	lost, r.err = sqlite.Collect[int64](r.ctx, r.tx, `
		SELECT DISTINCT session FROM messages WHERE session NOT IN (SELECT n FROM sessions)`)
	for _, n := range lost {
		r.exec(`
			INSERT INTO sessions (n, id, created_ms, updated_ms, used, title, title_from)
			SELECT ?1, ?2, min(created_ms), max(created_ms), max(created_ms), ?3, 'auto'
			FROM messages
			WHERE session = ?1`, n, uuid.Must(uuid.NewV7()).String(), recoveredTitle)
	}
}

// fill takes the rows of sessions that are here from the backup, where they are lost. A message that fails its hash is
// lost too, and so is its attachment.
func (r *recovery) fill() {
	_, broken := r.broken()
	r.exec(`
		DELETE FROM messages
		WHERE id IN (SELECT value FROM json_each(?))
			AND id IN (SELECT id FROM backup.messages)`, broken)
	for _, table := range []string{"messages", "requests", "verdicts", "summaries", "registers"} {
		rows := r.exec("INSERT OR IGNORE INTO " + table + " SELECT * FROM backup." + table + `
			WHERE session IN (SELECT n FROM sessions JOIN backup.sessions USING (n, id))`)
		if table == "messages" {
			r.out.FromBackup = rows
		}
	}
	_, broken = r.broken()
	r.exec(`
		INSERT OR REPLACE INTO attachments (hash, data)
		SELECT hash, data
		FROM backup.attachments
		WHERE hash IN (
			SELECT part.value ->> 'hash'
			FROM json_each(?) broken
			JOIN messages m ON m.id = broken.value
			JOIN json_each(iif(json_valid(m.parts), m.parts, '[]')) part
		)`, broken)
	r.exec(`UPDATE home SET clock = (SELECT clock FROM backup.home)`)
}

// tie sets the clock of the file so that no id that a row had or names is given again, puts a message whose parent is
// lost behind the newest one before it, so that its branch leads to the beginning, and removes what belongs to a lost
// row. What decided a request stays as it was: it is what the proof of the request is made from.
func (r *recovery) tie() {
	r.exec(`UPDATE home SET clock = max(clock, ? >> ?)`, r.newest, idBits)
	r.out.LostSessions = r.exec(`DELETE FROM sessions WHERE n NOT IN (SELECT session FROM messages)`)
	for _, table := range r.tables {
		r.exec("DELETE FROM " + table + `
			WHERE rowid IN (SELECT rowid FROM pragma_foreign_key_check('` + table + `'))`)
	}
	r.exec(`
		DELETE FROM drafts WHERE session <> 0 AND session NOT IN (SELECT n FROM sessions);
		UPDATE messages
		SET parent = coalesce((
			SELECT max(x.id)
			FROM messages x
			WHERE x.session = messages.session
				AND x.id < messages.parent
		), 0)
		WHERE parent <> 0
			AND NOT EXISTS (SELECT 1 FROM messages p WHERE p.id = messages.parent AND p.session = messages.session);
		UPDATE messages SET request = 0 WHERE request NOT IN (SELECT id FROM requests);
		UPDATE messages
		SET status = 'complete'
		WHERE status NOT IN ('complete', 'streaming', 'interrupted', 'failed', 'quarantined', 'imported');
		UPDATE requests SET user = 0 WHERE user NOT IN (SELECT id FROM messages);
		UPDATE sessions SET forked_at = 0 WHERE forked_at NOT IN (SELECT id FROM messages);
		UPDATE sessions
		SET messages = (SELECT count(*) FROM messages m WHERE m.session = sessions.n),
			turns = (SELECT count(*) FROM messages m WHERE m.session = sessions.n AND m.role = 'user'),
			leaf = coalesce(
				(SELECT m.id FROM messages m WHERE m.id = sessions.leaf AND m.session = sessions.n),
				(SELECT max(m.id) FROM messages m WHERE m.session = sessions.n)
			)`)
}

// count counts what was saved: messages that fail their hash are not. They lose it, so that a later check tells them
// from those that are damaged from now on.
func (r *recovery) count() {
	n, broken := r.broken()
	r.exec(`UPDATE messages SET hash = x'' WHERE id IN (SELECT value FROM json_each(?))`, broken)
	if r.err == nil {
		r.err = r.tx.QueryRowContext(r.ctx, `
			SELECT
				(SELECT count(*) FROM sessions),
				(SELECT count(*) - ?1 FROM messages),
				?1 + coalesce(sum(max(0, messages - (SELECT count(*) FROM messages m WHERE m.session = e.session))), 0)
			FROM temp.expected e`, n).Scan(&r.out.Sessions, &r.out.Messages, &r.out.LostMessages)
	}
}
