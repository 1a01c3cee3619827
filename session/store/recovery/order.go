package recovery

import (
	"github.com/google/uuid"

	"winnow/session/store/sqlite"
)

// recoveredTitle is the title of a session whose own title was lost.
const recoveredTitle = "Recovered conversation"

// damagedIDs returns the number of messages that fail their hash, and their ids as a JSON array.
func (r *recovery) damagedIDs() (n int, list string) {
	ids := r.findDamaged(r.Tx)
	return len(ids), sqlite.JSONArray(ids)
}

// repair makes a consistent history of the recovered rows: every session has a row, every branch leads to a first
// message, and no row refers to a lost one.
func (r *recovery) repair(backup bool) {
	// Implausible sessions are damaged. They are rebuilt from the backup or from their messages.
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

// takeSessionsFromBackup adds lost sessions from the backup under their old keys, which are never reused. If the table
// could be read completely, a session without messages that is missing from it was purged, and stays purged.
func (r *recovery) takeSessionsFromBackup() {
	r.Exec(`
		INSERT OR IGNORE INTO sessions
		SELECT *
		FROM backup.sessions
		WHERE id NOT IN (SELECT session FROM tombstones)
			AND (? OR n IN (SELECT session FROM messages))`, r.damagedTables["sessions"])
}

// replaceLostSessions adds a new session, under the same key, for messages whose session is lost.
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

// takeRowsFromBackup adds lost rows of the recovered sessions from the backup. It also replaces messages that fail
// their hash, and damaged attachments.
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

// repairReferences advances the clock of the file so that no lost id is assigned again, attaches a message with a lost
// parent to the newest message before that parent, and removes rows whose session is lost. It keeps the data that the
// proofs of requests are made from.
//
// Messages that still fail their hash count as lost. Their hash is cleared to tell them from messages that are damaged
// later.
func (r *recovery) repairReferences() {
	r.Exec(`UPDATE home SET clock = max(clock, ? >> ?)`, r.newest, idBits)
	// Sessions count their messages, and Seq is counted from 1: if either number exceeds the number of rows, messages
	// are lost.
	lost := sqlite.QueryValue[int](r, `
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
	r.result.Messages = sqlite.QueryValue[int](r, `SELECT count(*) FROM messages`) - broken
	r.result.Sessions = sqlite.QueryValue[int](r, `SELECT count(*) FROM sessions`)
}
