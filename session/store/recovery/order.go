package recovery

import (
	"github.com/google/uuid"

	"winnow/session/store/sqlite"
)

// recoveredTitle is the title of a session whose own was lost.
const recoveredTitle = "Recovered conversation"

// damagedIDs are the messages that fail their hash, as a list that json_each takes apart.
func (r *recovery) damagedIDs() (n int, list string) {
	ids := r.findDamaged(r.Tx)
	return len(ids), sqlite.JSONArray(ids)
}

// repair makes a history of the rows that were saved: every session has its row, every branch leads to its
// beginning, no row names a lost one.
func (r *recovery) repair(backup bool) {
	// A session that cannot be real is known by its messages alone.
	r.Exec(`
		DELETE FROM sessions
		WHERE length(id) <> 36
			OR id GLOB '*[^0-9a-f-]*'
			OR min(created_ms, updated_ms, used) < 0
			OR max(created_ms, updated_ms, used) > ?`, r.idLimit()>>idBits)
	if backup {
		r.takeSessionsFromBackup()
	}
	r.replaceLostSessions()
	if backup {
		r.takeRowsFromBackup()
	}
	r.repairReferences()
}

// takeSessionsFromBackup takes lost sessions from the backup, with the keys that they had: none is given twice. Where the table could be
// read, one that is not there and has no messages was purged.
func (r *recovery) takeSessionsFromBackup() {
	r.Exec(`
		INSERT OR IGNORE INTO sessions
		SELECT *
		FROM backup.sessions
		WHERE id NOT IN (SELECT session FROM tombstones)
			AND (? OR n IN (SELECT session FROM messages))`, r.damagedTables["sessions"])
}

// replaceLostSessions gives messages whose session is lost a new one, with the key that they name.
func (r *recovery) replaceLostSessions() {
	lost := sqlite.List[int64](r, `SELECT DISTINCT session FROM messages WHERE session NOT IN (SELECT n FROM sessions)`)
	for _, n := range lost {
		r.Exec(`
			INSERT INTO sessions (n, id, created_ms, updated_ms, used, title, title_from)
			SELECT ?1, ?2, min(created_ms), max(created_ms), max(created_ms), ?3, 'auto'
			FROM messages
			WHERE session = ?1`, n, uuid.Must(uuid.NewV7()).String(), recoveredTitle)
	}
}

// takeRowsFromBackup takes the rows of sessions that are here from the backup, where they are lost. A message that fails its hash is
// lost too, and so is its attachment.
func (r *recovery) takeRowsFromBackup() {
	_, broken := r.damagedIDs()
	r.Exec(`
		DELETE FROM messages
		WHERE id IN (SELECT value FROM json_each(?))
			AND id IN (SELECT id FROM backup.messages)`, broken)
	for _, table := range []string{"messages", "requests", "verdicts", "summaries", "registers"} {
		added := r.Exec("INSERT OR IGNORE INTO " + table + " SELECT * FROM backup." + table + `
			WHERE session IN (SELECT n FROM sessions JOIN backup.sessions USING (n, id))`)
		if table == "messages" {
			r.result.FromBackup = int(added)
		}
	}
	_, broken = r.damagedIDs()
	r.Exec(`
		INSERT OR REPLACE INTO attachments (hash, data)
		SELECT hash, data
		FROM backup.attachments
		WHERE hash IN (SELECT hash FROM attached WHERE message IN (SELECT value FROM json_each(?)))`, broken)
	r.Exec(`UPDATE home SET clock = (SELECT clock FROM backup.home)`)
}

// repairReferences sets the clock of the file so that no id that a row had or names is given again, puts a message whose parent is
// lost behind the newest one before it, so that its branch leads to the beginning, and removes what belongs to a lost
// row. What decided a request stays as it was: it is what the proof of the request is made from.
//
// Messages that fail their hash are not saved. They lose it, so that a later check tells them from those that are
// damagedTables from now on.
func (r *recovery) repairReferences() {
	r.Exec(`UPDATE home SET clock = max(clock, ? >> ?)`, r.newest, idBits)
	// Sessions count their messages, and places are counted from 1: more messages than are here are lost.
	lost := sqlite.Value[int](r, `
		SELECT coalesce(sum(missing), 0)
		FROM (
			SELECT max(0, max(s.messages, coalesce(max(m.seq), 0)) - count(m.id)) AS missing
			FROM sessions s
			LEFT JOIN messages m ON m.session = s.n
			WHERE s.messages < 1 << 30
			GROUP BY s.n
		)`)
	r.result.LostSessions = int(r.Exec(`DELETE FROM sessions WHERE n NOT IN (SELECT session FROM messages)`))
	for _, table := range tables {
		r.Exec("DELETE FROM " + table + `
			WHERE rowid IN (SELECT rowid FROM pragma_foreign_key_check('` + table + `'))`)
	}
	broken, list := r.damagedIDs()
	r.Exec(`
		UPDATE messages SET hash = x'' WHERE id IN (SELECT value FROM json_each(?));
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
		SET (messages, turns, leaf) = (
			SELECT messages, turns, leaf FROM settled_sessions r WHERE r.n = sessions.n
		)`, list)
	r.result.LostMessages = lost + broken
	r.result.Messages = sqlite.Value[int](r, `SELECT count(*) FROM messages`) - broken
	r.result.Sessions = sqlite.Value[int](r, `SELECT count(*) FROM sessions`)
}
