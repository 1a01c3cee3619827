package recovery

import (
	"fmt"

	"github.com/google/uuid"

	"winnow/session/store/sqlite"
)

// recoveredTitle is the title of a session whose own was lost.
const recoveredTitle = "Recovered conversation"

// idBits are the lowest bits of an id, which are no part of its time.
const idBits = 12

// tooHigh is the least id that no row of a real history has: one of the day after tomorrow. Such a one was damaged, and
// would leave no higher one for the messages to come.
func (r *recovery) tooHigh() int64 { return (r.now + 2*24*60*60*1000) << idBits }

// putInOrder makes a history of the rows that were saved: every session has its row, every branch leads
// to its beginning, no row names a lost one.
func (r *recovery) putInOrder() error {
	for _, step := range []func() error{r.expect, r.adopt, r.reattach, r.fill, r.countLost, r.tie, r.verify} {
		if err := step(); err != nil {
			return fmt.Errorf("put the saved rows in order: %w", err)
		}
	}
	return nil
}

func (r *recovery) exec(query string, args ...any) error {
	_, err := r.tx.ExecContext(r.ctx, query, args...)
	return err
}

// expect notes how many messages each session had: sessions count theirs, and places are counted from 1. What a backup
// adds comes behind them. A session that cannot be real is known by its messages alone.
func (r *recovery) expect() error {
	err := r.exec(`
		DELETE FROM sessions
		WHERE length(id) <> 36
			OR id GLOB '*[^0-9a-f-]*'
			OR min(created_ms, updated_ms, used) < 0
			OR max(created_ms, updated_ms, used) > ?`, r.tooHigh()>>idBits)
	if err != nil {
		return err
	}
	return r.exec(`
		CREATE TEMP TABLE expected AS
			SELECT n AS session, messages FROM sessions WHERE messages < 1 << 30
			UNION ALL SELECT session, max(seq) FROM messages WHERE seq < 1 << 30 GROUP BY session`)
}

// adopt copies the rows of lost sessions from the backup, with the keys that they had: saved messages name them.
// A key that another session has by now, as its messages show, is left alone. Of what Apply does not know, rows of
// damaged tables come as they were.
func (r *recovery) adopt() error {
	if !r.backup {
		return nil
	}
	// Where the table is sound, a session that is not there was purged.
	if r.damaged["sessions"] {
		err := r.exec(`
			INSERT OR IGNORE INTO sessions
			SELECT *
			FROM backup.sessions b
			WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.session = b.n)
				OR EXISTS (
					SELECT 1
					FROM messages m
					JOIN backup.messages k ON k.id = m.id
					WHERE m.session = b.n
						AND k.session = b.n
				)`)
		if err != nil {
			return err
		}
	}
	for _, table := range []string{
		"tags", "drafts", "prompts", "flags", "remedies", "tombstones", "endpoints", "tool_permissions",
	} {
		if !r.damaged[table] {
			continue
		}
		if err := r.exec("INSERT OR IGNORE INTO " + table + " SELECT * FROM backup." + table); err != nil {
			return err
		}
	}
	return nil
}

// reattach gives messages whose session is lost a new one, with the key that they name.
func (r *recovery) reattach() error {
	for ; ; r.out.Nameless++ {
		result, err := r.tx.ExecContext(r.ctx, `
			INSERT INTO sessions (n, id, created_ms, updated_ms, used, title, title_from)
			SELECT
				session,
				?,
				min(created_ms),
				max(created_ms),
				max(created_ms),
				?,
				'auto'
			FROM messages
			WHERE session NOT IN (SELECT n FROM sessions)
			GROUP BY session
			LIMIT 1`, uuid.Must(uuid.NewV7()).String(), recoveredTitle)
		if err != nil {
			return err
		}
		if added, err := result.RowsAffected(); added == 0 || err != nil {
			return err
		}
	}
}

// fill takes the messages that are lost, or fail their hash, from the backup.
func (r *recovery) fill() error {
	if !r.backup {
		return nil
	}
	var broken []int64
	err := r.steps.Check(r.ctx, r.tx, func(id int64, damaged bool) {
		if damaged {
			broken = append(broken, id)
		}
	})
	if err == nil {
		err = r.exec(`
			DELETE FROM messages
			WHERE id IN (SELECT value FROM json_each(?))
				AND id IN (SELECT id FROM backup.messages)`, sqlite.IDs(broken))
	}
	if err == nil {
		err = r.removeOrphans() // A message comes with its calls and parts.
	}
	if err == nil {
		r.out.FromBackup, err = r.steps.Apply(r.ctx, r.tx, r.damaged["sessions"])
	}
	return err
}

// countLost counts the rows that others name and that are not there. Sessions know how many messages they had, too.
func (r *recovery) countLost() error {
	for _, lost := range []struct {
		query string
		n     *int
	}{
		{`
			SELECT parent AS id FROM messages
			UNION SELECT leaf FROM sessions
			UNION SELECT user FROM requests
			EXCEPT SELECT id FROM messages`, &r.out.LostMessages},
		{`
			SELECT request AS id FROM messages
			UNION SELECT first_request FROM verdicts
			UNION SELECT last_request FROM verdicts
			EXCEPT SELECT id FROM requests`, &r.out.LostRequests},
		{`
			SELECT CAST(options AS TEXT) ->> '$.summary.ID' AS id FROM requests WHERE json_valid(CAST(options AS TEXT))
			EXCEPT SELECT id FROM summaries`, &r.out.LostSummaries},
	} {
		query := "SELECT count(*) FROM (" + lost.query + ") WHERE typeof(id) = 'integer' AND id > 0 AND id < ?"
		if err := r.tx.QueryRowContext(r.ctx, query, r.tooHigh()).Scan(lost.n); err != nil {
			return err
		}
	}
	return r.tx.QueryRowContext(r.ctx, `
		SELECT max(?, coalesce(sum(max(0, expected - kept)), 0))
		FROM (
			SELECT
				max(e.messages) AS expected,
				(SELECT count(*) FROM messages m WHERE m.session = e.session) AS kept
			FROM temp.expected e
			GROUP BY e.session
		)`, r.out.LostMessages).Scan(&r.out.LostMessages)
}

// tie sets the clock of the file so that no id that a row had or names is given again, puts a message whose parent is
// lost behind the newest one before it, so that its branch leads to the beginning, and removes what belongs to a lost
// row. What decided a request stays as it was: it is what the proof of the request is made from.
func (r *recovery) tie() error {
	if err := r.exec(`UPDATE home SET clock = max(clock, ? >> ?)`, r.newest, idBits); err != nil {
		return err
	}
	result, err := r.tx.ExecContext(r.ctx, `DELETE FROM sessions WHERE n NOT IN (SELECT session FROM messages)`)
	if err != nil {
		return err
	}
	lost, err := result.RowsAffected()
	if err != nil {
		return err
	}
	r.out.LostSessions = int(lost)
	if err := r.removeOrphans(); err != nil {
		return err
	}
	return r.exec(`
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
			);`)
}

// removeOrphans removes what belongs to a row that is lost.
func (r *recovery) removeOrphans() error {
	removals, err := sqlite.Collect(r.ctx, r.tx, sqlite.Only[string], `
		SELECT format('DELETE FROM %s WHERE %s NOT IN (SELECT %s FROM %s)', t.name, k."from", k."to", k."table")
		FROM pragma_table_list t
		JOIN pragma_foreign_key_list(t.name) k
		WHERE t.schema = 'main'
			AND t.name <> 'messages'`)
	if err != nil {
		return err
	}
	for _, removal := range removals {
		if err := r.exec(removal); err != nil {
			return err
		}
	}
	return r.exec(`
		DELETE FROM drafts WHERE session <> 0 AND session NOT IN (SELECT n FROM sessions);
		DELETE FROM verdicts WHERE NOT EXISTS (
			SELECT 1
			FROM requests r
			WHERE r.id BETWEEN first_request AND coalesce(last_request, r.id)
				AND +r.session = verdicts.session
				AND +r.purpose = verdicts.purpose
		)`)
}

// verify counts what was saved: messages that fail their hash are not. They lose it, so that a later check
// tells them from those that are damaged from now on.
func (r *recovery) verify() error {
	var lost []int64
	err := r.steps.Check(r.ctx, r.tx, func(id int64, damaged bool) {
		if damaged {
			lost = append(lost, id)
			return
		}
		r.out.Messages++
	})
	if err != nil {
		return err
	}
	r.out.Damaged = len(lost)
	r.out.LostMessages += len(lost)
	err = r.exec(`UPDATE messages SET hash = x'' WHERE id IN (SELECT value FROM json_each(?))`, sqlite.IDs(lost))
	if err != nil {
		return err
	}
	return r.tx.QueryRowContext(r.ctx, "SELECT count(*) FROM sessions").Scan(&r.out.Sessions)
}
