package recovery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/mattn/go-sqlite3"

	"winnow/session/store/sqlite"
)

// derived are the tables that are not recovered. A recovered file is another machine for those that it was shared with:
// all of it is told again, and they know what they have already.
var derived = []string{"found_text", "purged", "unfound", "windows", "home", "homes", "segments", "untold"}

// querier is a database or a transaction that is read from.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// table is a table that holds history. Its first column is its key.
type table struct {
	name    string
	columns []string
}

// tables returns the tables of a file that hold history.
func tables(ctx context.Context, q querier) ([]table, error) {
	var out []table
	err := sqlite.Each(ctx, q, func(scan func(...any) error) error {
		var t table
		var columns string
		err := scan(&t.name, &columns)
		t.columns = strings.Split(columns, ", ")
		if !slices.Contains(derived, t.name) {
			out = append(out, t)
		}
		return err
	}, `
		SELECT
			t.name,
			(SELECT group_concat(c.name, ', ') FROM pragma_table_info(t.name) c)
		FROM pragma_table_list t
		WHERE t.schema = 'main'
			AND t.type = 'table'
			AND t.strict`)
	return out, err
}

// insertError is the error of a row that could not be written. Any other error is one of reading.
type insertError struct{ error }

func (e insertError) Unwrap() error { return e.error }

// copy copies the rows that a condition selects, and calls each with their keys. A row that breaks a rule of its
// table is left out: it is damaged, or there already.
func (t table) copy(ctx context.Context, from querier, to *sql.Tx, each func(id int64), where string, args ...any) error {
	columns := strings.Join(t.columns, ", ")
	insert, err := to.PrepareContext(ctx, "INSERT INTO "+t.name+" ("+columns+") VALUES (?"+
		strings.Repeat(", ?", len(t.columns)-1)+")")
	if err != nil {
		return insertError{err}
	}
	defer insert.Close()
	values, targets := make([]any, len(t.columns)), make([]any, len(t.columns))
	for i := range values {
		targets[i] = &values[i]
	}
	return sqlite.Each(ctx, from, func(scan func(...any) error) error {
		if err := scan(targets...); err != nil {
			return err
		}
		id, ok := values[0].(int64)
		if !ok {
			return sqlite.ErrDamaged
		}
		each(id)
		_, err := insert.ExecContext(ctx, values...)
		if broken(err) && t.name == "messages" {
			// Its place or its parent was damaged, or another row has taken its place. Neither is a part of what was
			// said: it gets a place at the end, behind the message before it.
			values[slices.Index(t.columns, "seq")] = -id
			values[slices.Index(t.columns, "parent")] = id - 1
			_, err = insert.ExecContext(ctx, values...)
		}
		if err != nil && !broken(err) {
			return insertError{err}
		}
		return nil
	}, "SELECT "+columns+" FROM "+t.name+" NOT INDEXED WHERE "+where, args...)
}

// broken reports whether a row broke a rule of its table.
func broken(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrConstraint || e.Code == sqlite3.ErrMismatch)
}

// mostFailures is how many ranges of one table are halved, which takes a fraction of a second.
const mostFailures = 2000

// span is a range of keys.
type span struct{ low, high int64 }

// read copies every row of a damaged table that SQLite can reach: from both ends up to the damage, then the halves of
// what lies between, the largest first, until all of it is read or given up. Where keys are far from each other, as
// ids are, halving may miss the rows between two damages: so the keys that the table's indexes name are tried as well.
func (t table) read(ctx context.Context, from *sql.DB, to *sql.Tx, now int64) error {
	seen := map[int64]bool{}
	failures := 0
	read := func(s span, order string) (reached int64, err error) {
		reached = s.low - 1
		if order == "DESC" {
			reached = s.high + 1
		}
		err = t.copy(ctx, from, to, func(id int64) { seen[id], reached = true, id },
			t.columns[0]+" BETWEEN ? AND ? ORDER BY "+t.columns[0]+" "+order, s.low, s.high)
		if failed := (insertError{}); errors.As(err, &failed) || ctx.Err() != nil {
			return 0, errors.Join(err, ctx.Err())
		}
		if err != nil {
			failures++
		}
		return reached, nil
	}
	for spans := []span{{0, tooHigh(now) - 1}}; len(spans) > 0 && failures < mostFailures; spans = spans[1:] {
		s, before := spans[0], failures
		last, err := read(s, "ASC")
		if err != nil {
			return err
		}
		if failures == before {
			continue
		}
		first, err := read(span{last + 1, s.high}, "DESC")
		if err != nil {
			return err
		}
		if rest := (span{last + 1, first - 1}); rest.low < rest.high {
			middle := rest.low + (rest.high-rest.low)/2
			spans = append(spans, span{rest.low, middle}, span{middle + 1, rest.high})
		} else if rest.low == rest.high && s.low < s.high {
			spans = append(spans, rest)
		}
	}
	if failures == 0 {
		return nil
	}
	for _, id := range t.indexed(ctx, from, to) {
		if !seen[id] && id < tooHigh(now) {
			if _, err := read(span{id, id}, "ASC"); err != nil {
				return err
			}
		}
	}
	return nil
}

// indexed returns the keys that the indexes of a damaged table name, as far as those can be read.
func (t table) indexed(ctx context.Context, from *sql.DB, to *sql.Tx) []int64 {
	indexes, err := sqlite.Collect(ctx, to, sqlite.Only[string], `SELECT name FROM pragma_index_list(?)`, t.name)
	if err != nil {
		return nil
	}
	var ids []int64
	for _, index := range indexes {
		// An error ends what is read of this index. A partial one is always an error.
		_ = sqlite.Each(ctx, from, func(scan func(...any) error) error {
			id, err := sqlite.Only[int64](scan)
			ids = append(ids, id)
			return err
		}, fmt.Sprintf("SELECT %s FROM %s INDEXED BY %q", t.columns[0], t.name, index))
	}
	return ids
}

// Adopt copies the rows of the sessions that a sound backup has and the history has lost, with the keys that they had:
// saved messages name them. Their messages come later.
func Adopt(ctx context.Context, from, to *sql.Tx, damaged map[string]bool) error {
	all, err := tables(ctx, to)
	if err != nil {
		return err
	}
	ignore := func(int64) {}
	whose := map[string]string{
		"sessions": "n", "tags": "session", "drafts": "session", "queued": "session", "prompts": "session",
	}
	beside := []string{"endpoints", "tool_permissions", "tombstones", "flags", "remedies"}
	for _, t := range all {
		if slices.Contains(beside, t.name) && damaged[t.name] {
			if err := t.copy(ctx, from, to, ignore, "true"); err != nil {
				return err
			}
		}
	}
	if !damaged["sessions"] {
		return nil // a session that is not there was purged
	}
	lost, err := lostSessions(ctx, from, to)
	if err != nil {
		return err
	}
	for _, t := range all {
		if column := whose[t.name]; column != "" {
			where := column + " IN (SELECT value FROM json_each(?))"
			if err := t.copy(ctx, from, to, ignore, where, sqlite.IDs(lost)); err != nil {
				return err
			}
		}
	}
	return nil
}

// lostSessions returns the keys of the sessions of a backup that are lost here. One whose key another session has by
// now, as saved messages show, is not among them.
func lostSessions(ctx context.Context, from, to *sql.Tx) (lost []int64, err error) {
	err = sqlite.Each(ctx, from, func(scan func(...any) error) error {
		var n int64
		var id, messages string
		if err := scan(&n, &id, &messages); err != nil {
			return err
		}
		var taken bool
		err := to.QueryRowContext(ctx, `
			SELECT EXISTS (SELECT 1 FROM sessions WHERE n = ?1 OR id = ?2)
				OR EXISTS (SELECT 1 FROM messages WHERE session = ?1)
				AND NOT EXISTS (
					SELECT 1
					FROM messages
					WHERE session = ?1
						AND id IN (SELECT value FROM json_each(?3))
				)`, n, id, messages).Scan(&taken)
		if !taken {
			lost = append(lost, n)
		}
		return err
	}, `
		SELECT
			n,
			id,
			(SELECT json_group_array(m.id) FROM messages m WHERE m.session = n)
		FROM sessions`)
	return lost, err
}

// dropNameless removes the sessions whose id is damaged: their messages get a new session, or that of a backup.
func dropNameless(ctx context.Context, tx *sql.Tx) error {
	var keys []int64
	err := sqlite.Each(ctx, tx, func(scan func(...any) error) error {
		var n int64
		var id string
		err := scan(&n, &id)
		if uuid.Validate(id) != nil {
			keys = append(keys, n)
		}
		return err
	}, `SELECT n, id FROM sessions`)
	if err == nil {
		_, err = tx.ExecContext(ctx, `DELETE FROM sessions WHERE n IN (SELECT value FROM json_each(?))`, sqlite.IDs(keys))
	}
	return err
}
