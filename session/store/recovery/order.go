package recovery

import (
	"fmt"

	"github.com/google/uuid"

	"winnow/session/store/sqlite"
)

// recoveredTitle is the title of a session whose own was lost.
const recoveredTitle = "Recovered conversation"

// exec runs a statement, after an error none.
func (r *recovery) exec(query string, args ...any) {
	if r.err == nil {
		_, r.err = r.tx.ExecContext(r.ctx, query, args...)
	}
}

// count is the number that a query yields.
func (r *recovery) count(query string, args ...any) (n int) {
	if r.err == nil {
		r.err = r.tx.QueryRowContext(r.ctx, query, args...).Scan(&n)
	}
	return n
}

// putInOrder makes a history of the rows that were saved: every session has its row, every branch leads to its
// beginning, no row names a lost one.
func (r *recovery) putInOrder(backup bool, steps Steps) error {
	// A session that cannot be real is known by its messages alone.
	r.exec(`
		DELETE FROM sessions
		WHERE length(id) <> 36
			OR id GLOB '*[^0-9a-f-]*'
			OR min(created_ms, updated_ms, used) < 0
			OR max(created_ms, updated_ms, used) > ?`, r.tooHigh()>>idBits)
	if backup {
		r.adopt()
	}
	r.reattach()
	// Sessions count their messages, and places are counted from 1: more messages than are here are lost.
	r.exec(`
		CREATE TEMP TABLE expected AS
		SELECT
			n AS session,
			max(messages, (SELECT coalesce(max(seq), 0) FROM messages WHERE session = n)) AS messages
		FROM sessions
		WHERE messages < 1 << 30`)
	if backup {
		r.fill(steps)
	}
	r.out.LostMessages = r.count(`
		SELECT coalesce(sum(max(0, messages - (SELECT count(*) FROM messages m WHERE m.session = e.session))), 0)
		FROM temp.expected e`)
	r.tie()
	r.verify(steps)
	if r.err != nil {
		return fmt.Errorf("put the saved rows in order: %w", r.err)
	}
	return nil
}

// adopt copies from the backup the rows of lost sessions with the keys that they had, where saved messages show that
// these keys are still theirs.
func (r *recovery) adopt() {
	r.exec(`
		INSERT OR IGNORE INTO sessions
		SELECT *
		FROM backup.sessions
		WHERE n IN (
			SELECT m.session
			FROM messages m
			JOIN backup.messages b ON b.id = m.id AND b.session = m.session
		)`)
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

// damagedMessages are the messages that fail their hash, as a list that json_each takes apart.
func (r *recovery) damagedMessages(steps Steps) (n int, list string) {
	if r.err != nil {
		return 0, ""
	}
	var ids []int64
	ids, r.err = steps.Check(r.ctx, r.tx)
	return len(ids), sqlite.IDs(ids)
}

// fill takes the messages that are lost, or fail their hash, from the backup.
func (r *recovery) fill(steps Steps) {
	_, broken := r.damagedMessages(steps)
	r.exec(`
		DELETE FROM messages
		WHERE id IN (SELECT value FROM json_each(?))
			AND id IN (SELECT id FROM backup.messages)`, broken)
	r.removeOrphans() // a message comes with its calls and parts
	if r.err == nil {
		// Where the table of sessions is sound, one that is not there was purged.
		r.out.FromBackup, r.err = steps.Apply(r.ctx, r.tx, r.damaged["sessions"])
	}
}

// tie sets the clock of the file so that no id that a row had or names is given again, puts a message whose parent is
// lost behind the newest one before it, so that its branch leads to the beginning, and removes what belongs to a lost
// row. What decided a request stays as it was: it is what the proof of the request is made from.
func (r *recovery) tie() {
	r.exec(`UPDATE home SET clock = max(clock, ? >> ?)`, r.newest, idBits)
	r.out.LostSessions = r.count(`SELECT count(*) FROM sessions WHERE n NOT IN (SELECT session FROM messages)`)
	r.exec(`DELETE FROM sessions WHERE n NOT IN (SELECT session FROM messages)`)
	r.removeOrphans()
	r.exec(`
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

// removeOrphans removes what belongs to a row that is lost.
func (r *recovery) removeOrphans() {
	for _, table := range r.tables {
		r.exec("DELETE FROM " + table + `
			WHERE rowid IN (SELECT rowid FROM pragma_foreign_key_check('` + table + `'))`)
	}
	r.exec(`
		DELETE FROM drafts WHERE session <> 0 AND session NOT IN (SELECT n FROM sessions)`)
}

// verify counts what was saved: messages that fail their hash are not. They lose it, so that a later check tells them
// from those that are damaged from now on.
func (r *recovery) verify(steps Steps) {
	n, damaged := r.damagedMessages(steps)
	r.exec(`UPDATE messages SET hash = x'' WHERE id IN (SELECT value FROM json_each(?))`, damaged)
	r.out.LostMessages += n
	r.out.Messages = r.count(`SELECT count(*) - ? FROM messages`, n)
	r.out.Sessions = r.count(`SELECT count(*) FROM sessions`)
}
