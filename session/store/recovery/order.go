package recovery

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/google/uuid"

	"winnow/session/store/sqlite"
)

// recoveredTitle is the title of a session whose own was lost.
const recoveredTitle = "Recovered conversation"

// putInOrder makes a history of the rows that were saved: every session has its row, every branch leads
// to its beginning, no row names a lost one.
func putInOrder(ctx context.Context, tx *sql.Tx, now int64, found Found, steps Steps) (Salvage, error) {
	var filled, out Salvage
	for _, step := range []func() error{
		func() error { return dropNameless(ctx, tx) },
		func() error { return raise(ctx, tx, now) },
		func() error {
			return steps.Check(ctx, tx, func(id int64, damaged bool) {
				if damaged {
					found.Broken = append(found.Broken, id)
				}
			})
		},
		func() error { return notePlaces(ctx, tx) },
		func() (err error) { filled, err = steps.Fill(ctx, tx, found); return err },
		func() error { return raise(ctx, tx, now) },
		func() error { return countLost(ctx, tx, now, &out) },
		func() error { return reparent(ctx, tx) },
		func() error { return removeOrphans(ctx, tx) },
		func() error { return settle(ctx, tx, now) },
		func() error { return verify(ctx, tx, &out, steps) },
	} {
		if err := step(); err != nil {
			return Salvage{}, fmt.Errorf("put the saved rows in order: %w", err)
		}
	}
	out.Backup, out.FromBackup, out.Nameless = filled.Backup, filled.FromBackup, filled.Nameless
	return out, nil
}

// idBits are the lowest bits of an id, which are no part of its time.
const idBits = 12

// tooHigh is the least id that no row of a real history has: one of the day after tomorrow. Such a one was damaged, and
// would leave no higher one for the messages to come.
func tooHigh(now int64) int64 { return (now + 2*24*60*60*1000) << idBits }

// mostMessages is more than any session has.
const mostMessages = 1 << 30

// named selects, for each table whose ids are global, every id that a row names. The options of a request are JSON, and
// name the end of its branch and its summary.
var named = map[string]string{
	"messages": `
		SELECT id FROM messages
		UNION ALL SELECT parent FROM messages
		UNION ALL SELECT leaf FROM sessions
		UNION ALL SELECT forked_at FROM sessions
		UNION ALL SELECT message FROM tool_calls
		UNION ALL SELECT message FROM parts
		UNION ALL SELECT message FROM repairs
		UNION ALL SELECT message FROM flags
		UNION ALL SELECT message FROM remedies
		UNION ALL SELECT message FROM verdicts
		UNION ALL SELECT item FROM registers
		UNION ALL SELECT last FROM summaries
		UNION ALL SELECT user FROM requests
		UNION ALL SELECT CAST(options AS TEXT) ->> '$.leaf'
		FROM requests
		WHERE json_valid(CAST(options AS TEXT))`,
	"requests": `
		SELECT id FROM requests
		UNION ALL SELECT request FROM messages
		UNION ALL SELECT first_request FROM verdicts
		UNION ALL SELECT last_request FROM verdicts`,
	"summaries": `
		SELECT id FROM summaries
		UNION ALL SELECT CAST(options AS TEXT) ->> '$.summary.ID'
		FROM requests
		WHERE json_valid(CAST(options AS TEXT))`,
	"registers":  `SELECT stamp AS id FROM registers`,
	"tombstones": `SELECT id FROM tombstones`,
}

// raise sets the clock of the file so that no id that a row had or is named by is given again. It comes before the names
// of lost rows are cleared.
func raise(ctx context.Context, tx *sql.Tx, now int64) error {
	for table, ids := range named {
		_, err := tx.ExecContext(ctx, `
			WITH named (id) AS (`+ids+`)
			UPDATE home
			SET clock = max(clock, (
				SELECT coalesce(max(id), 0) >> ?1
				FROM named
				WHERE typeof(id) = 'integer'
					AND id < ?2
			))`, idBits, tooHigh(now))
		if err != nil {
			return fmt.Errorf("raise the ids of %s: %w", table, err)
		}
	}
	return nil
}

// Reattach gives messages without a session one: their parent's, or a new one for all that had the same. It returns how
// many are new.
func Reattach(ctx context.Context, tx *sql.Tx, now int64) (nameless int, err error) {
	_, err = tx.ExecContext(ctx, `
		UPDATE OR IGNORE messages
		SET session = (SELECT p.session FROM messages p WHERE p.id = messages.parent)
		WHERE session NOT IN (SELECT n FROM sessions)
			AND (SELECT p.session FROM messages p WHERE p.id = messages.parent) IN (SELECT n FROM sessions)`)
	if err != nil {
		return 0, err
	}
	strays, err := sqlite.Collect(ctx, tx, sqlite.Only[int64], `
		SELECT DISTINCT session
		FROM messages
		WHERE session NOT IN (SELECT n FROM sessions)
		ORDER BY session`)
	if err != nil {
		return 0, err
	}
	for _, n := range strays {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO sessions (n, id, created_ms, updated_ms, used, title, title_from, endpoint, model)
			SELECT
				?1,
				?2,
				min(max(0, min(created_ms) OVER ()), ?4),
				min(max(0, max(created_ms) OVER ()), ?4),
				min(max(0, max(created_ms) OVER ()), ?4),
				?3,
				'auto',
				endpoint,
				model
			FROM messages
			WHERE session = ?1
			ORDER BY model <> '' DESC, id DESC
			LIMIT 1`, n, uuid.Must(uuid.NewV7()).String(), recoveredTitle, now)
		if err != nil {
			return 0, err
		}
	}
	return len(strays), nil
}

// notePlaces keeps the highest place of a message in each session: what a backup fills in comes behind it.
func notePlaces(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `
		CREATE TEMP TABLE places AS
		SELECT
			session,
			max(seq) AS place
		FROM messages
		GROUP BY session`)
	return err
}

// countLost finds what the saved rows say of others that are not there: sessions know how many
// messages they have, places are counted from 1, and rows name messages and sessions.
func countLost(ctx context.Context, tx *sql.Tx, now int64, out *Salvage) error {
	var counted, missing int
	err := tx.QueryRowContext(ctx, `
		WITH kept AS (
			SELECT
				s.messages AS said,
				(SELECT count(*) FROM messages m WHERE m.session = s.n) AS kept,
				(SELECT coalesce(max(p.place), 0) FROM temp.places p WHERE p.session = s.n) AS place
			FROM sessions s
		)
		SELECT coalesce(sum(max(0, place - kept, CASE WHEN said < ? THEN said - kept ELSE 0 END)), 0)
		FROM kept`, mostMessages).Scan(&counted)
	if err != nil {
		return err
	}
	err = tx.QueryRowContext(ctx, `
		WITH named (id) AS (
			SELECT parent FROM messages
			UNION SELECT leaf FROM sessions
			UNION SELECT message FROM tool_calls
			UNION SELECT message FROM parts
			UNION SELECT user FROM requests
			UNION SELECT message FROM flags
		)
		SELECT count(*)
		FROM named
		WHERE id > 0
			AND id NOT IN (SELECT id FROM messages)`).Scan(&missing)
	if err != nil {
		return err
	}
	out.LostMessages = max(counted, missing)
	for table, lost := range map[string]*int{"requests": &out.LostRequests, "summaries": &out.LostSummaries} {
		err := tx.QueryRowContext(ctx, `
			WITH named (id) AS (`+named[table]+`)
			SELECT count(DISTINCT id)
			FROM named
			WHERE typeof(id) = 'integer'
				AND id > 0
				AND id < ?
				AND id NOT IN (SELECT id FROM `+table+`)`, tooHigh(now)).Scan(lost)
		if err != nil {
			return err
		}
	}
	// A session none of whose messages is left is lost: it would be an empty line in the list.
	return tx.QueryRowContext(ctx, `
		WITH named (n) AS (
			SELECT n FROM sessions
			UNION SELECT session FROM requests
			UNION SELECT session FROM tags
			UNION SELECT session FROM summaries
		)
		SELECT count(*)
		FROM named
		WHERE n NOT IN (SELECT session FROM messages)`).Scan(&out.LostSessions)
}

// reparent puts a message whose parent is lost behind the newest one before it, so that its branch
// leads to the beginning. Siblings stay siblings.
func reparent(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE messages
		SET parent = coalesce((
			SELECT max(x.id)
			FROM messages x
			WHERE x.session = messages.session
				AND x.id < messages.parent), 0)
		WHERE parent <> 0
			AND NOT EXISTS (SELECT 1 FROM messages p WHERE p.id = messages.parent AND p.session = messages.session)`)
	if err != nil {
		return err
	}
	// Messages without a place of their own come behind the others, in the order of their numbers.
	_, err = tx.ExecContext(ctx, `
		UPDATE messages
		SET seq = placed.seq
		FROM (
			SELECT
				m.id,
				(SELECT max(0, max(x.seq)) FROM messages x WHERE x.session = m.session)
					+ row_number() OVER (PARTITION BY m.session ORDER BY m.id) AS seq
			FROM messages m
			WHERE m.seq < 0
		) AS placed
		WHERE messages.id = placed.id`)
	return err
}

// removeOrphans removes what belongs to a session, message or request that is lost, and the names of lost rows in those
// that stay. What decided a request stays as it was: it is what the proof of the request is made from.
func removeOrphans(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `
		DELETE FROM sessions WHERE n NOT IN (SELECT session FROM messages);
		DELETE FROM tags WHERE session NOT IN (SELECT n FROM sessions);
		DELETE FROM requests WHERE session NOT IN (SELECT n FROM sessions);
		DELETE FROM verdicts WHERE session NOT IN (SELECT n FROM sessions);
		DELETE FROM verdicts WHERE NOT EXISTS (
			SELECT 1
			FROM requests r
			WHERE r.id BETWEEN first_request AND coalesce(last_request, r.id)
				AND +r.session = verdicts.session
				AND +r.purpose = verdicts.purpose
		);
		DELETE FROM summaries WHERE session NOT IN (SELECT n FROM sessions);
		UPDATE messages SET request = 0 WHERE request <> 0 AND request NOT IN (SELECT id FROM requests);
		UPDATE requests SET user = 0 WHERE user NOT IN (SELECT id FROM messages);
		UPDATE sessions SET forked_at = 0 WHERE forked_at > 0 AND forked_at NOT IN (SELECT id FROM messages);
		DELETE FROM tool_calls WHERE message NOT IN (SELECT id FROM messages);
		DELETE FROM parts
		WHERE message NOT IN (SELECT id FROM messages)
			OR attachment NOT IN (SELECT id FROM attachments);
		DELETE FROM repairs WHERE message NOT IN (SELECT id FROM messages);
		DELETE FROM flags WHERE message NOT IN (SELECT id FROM messages);
		DELETE FROM remedies WHERE message NOT IN (SELECT id FROM messages);
		DELETE FROM drafts WHERE session <> 0 AND session NOT IN (SELECT n FROM sessions);
		DELETE FROM queued WHERE session NOT IN (SELECT n FROM sessions);
		UPDATE prompts SET session = NULL WHERE session NOT IN (SELECT n FROM sessions);`)
	return err
}

// settle replaces times and statuses that cannot be, counts the sessions' messages anew, finds a leaf for
// those that lost theirs and has the full-text index made again.
func settle(ctx context.Context, tx *sql.Tx, now int64) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE sessions
		SET created_ms = iif(created_ms BETWEEN 0 AND ?2, created_ms, ?1),
			updated_ms = iif(updated_ms BETWEEN 0 AND ?2, updated_ms, ?1),
			used = iif(used BETWEEN 0 AND ?2, used, ?1)`, now, tooHigh(now)>>idBits)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE messages
		SET status = 'complete'
		WHERE status NOT IN ('complete', 'streaming', 'interrupted', 'failed', 'quarantined', 'imported');
		UPDATE sessions
		SET messages = (SELECT count(*) FROM messages m WHERE m.session = sessions.n),
			turns = (SELECT count(*) FROM messages m WHERE m.session = sessions.n AND m.role = 'user');
		UPDATE sessions
		SET leaf = (SELECT max(m.id) FROM messages m WHERE m.session = sessions.n)
		WHERE leaf <> 0
			AND leaf NOT IN (SELECT id FROM messages m WHERE m.session = sessions.n)
			OR title = '`+recoveredTitle+`' AND leaf = 0;
		DELETE FROM registers WHERE session NOT IN (SELECT n FROM sessions);
		DELETE FROM unfound;
		INSERT INTO unfound (id) SELECT id FROM messages;`)
	return err
}

// verify counts what was saved: messages that fail their hash are not. They lose it, so that a later check
// tells them from those that are damaged from now on.
func verify(ctx context.Context, tx *sql.Tx, out *Salvage, steps Steps) error {
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sessions").Scan(&out.Sessions); err != nil {
		return err
	}
	var lost []int64
	err := steps.Check(ctx, tx, func(id int64, damaged bool) {
		if damaged {
			lost = append(lost, id)
			return
		}
		out.Messages++
	})
	if err != nil {
		return err
	}
	out.Damaged = len(lost)
	out.LostMessages += len(lost)
	for _, id := range lost {
		if _, err := tx.ExecContext(ctx, `UPDATE messages SET hash = x'' WHERE id = ?`, id); err != nil {
			return err
		}
	}
	return nil
}
