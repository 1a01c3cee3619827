package recovery

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/mattn/go-sqlite3"

	"winnow/session/store/sqlite"
)

// mostDamages is how many damages of one table are read around, which takes a few seconds.
const mostDamages = 2000

// readTable copies every row of a table that SQLite can reach: up to a damage, then backwards from behind it, and so on
// from there, and at last those between two damages whose keys the table's indexes name.
func (r *recovery) readTable(table string) error {
	for from, damages := int64(0), 0; from <= r.tooHigh() && damages < mostDamages; damages++ {
		last, stopped, err := r.copyRows(table, "rowid BETWEEN ? AND ? ORDER BY rowid", from, r.tooHigh())
		if err != nil {
			return err
		}
		if !stopped {
			break
		}
		r.damaged[table] = true
		from = max(from, last+1)
		behind := r.behindDamage(table, from)
		if _, _, err := r.copyRows(table, "rowid BETWEEN ? AND ? ORDER BY rowid DESC", from, behind); err != nil {
			return err
		}
		from = behind + 1
	}
	if !r.damaged[table] {
		return nil
	}
	return r.readIndexed(table)
}

// readIndexed copies the rows that are not here yet and whose keys the indexes of a damaged table name.
func (r *recovery) readIndexed(table string) error {
	indexes, err := sqlite.Collect(r.ctx, r.tx, sqlite.Only[string], `SELECT name FROM pragma_index_list(?)`, table)
	if err != nil {
		return err
	}
	here, err := sqlite.Collect(r.ctx, r.tx, sqlite.Only[int64], "SELECT rowid FROM "+table)
	if err != nil {
		return err
	}
	tried := map[int64]bool{}
	for _, key := range here {
		tried[key] = true
	}
	for _, index := range indexes {
		var keys []int64
		// An error ends what is read of this index. A partial one is always an error.
		_ = sqlite.Each(r.ctx, r.from, func(scan func(...any) error) error {
			key, err := sqlite.Only[int64](scan)
			keys = append(keys, key)
			return err
		}, fmt.Sprintf("SELECT rowid FROM %s INDEXED BY %q", table, index))
		for _, key := range keys {
			if tried[key] || key > r.tooHigh() {
				continue
			}
			tried[key] = true
			if _, _, err := r.copyRows(table, "rowid = ?", key); err != nil {
				return err
			}
		}
	}
	return nil
}

// behindDamage returns a key behind a damage that begins at a key. It looks in steps of doubled size: nothing says how
// many keys the damaged pages have.
func (r *recovery) behindDamage(table string, at int64) int64 {
	for step := int64(1); at+step < r.tooHigh(); step *= 2 {
		var key int64
		err := r.from.QueryRowContext(r.ctx, "SELECT rowid FROM "+table+` NOT INDEXED
			WHERE rowid >= ?
			ORDER BY rowid
			LIMIT 1`, at+step-1).Scan(&key)
		if errors.Is(err, sql.ErrNoRows) || err == nil && key < at {
			return at + step
		}
		if err == nil {
			return key
		}
	}
	return r.tooHigh()
}

// copyRows copies the rows that a condition selects, and returns the key of the last one and whether a damage
// stopped it. A row that breaks a rule of its table is left out: it is damaged, or there already. The error is one of
// writing.
func (r *recovery) copyRows(table, where string, args ...any) (last int64, stopped bool, err error) {
	rows, err := r.from.QueryContext(r.ctx, "SELECT * FROM "+table+" NOT INDEXED WHERE "+where, args...)
	if err != nil {
		return -1, true, r.ctx.Err()
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return -1, true, r.ctx.Err()
	}
	places := strings.Repeat(", ?", len(columns)-1)
	insert, err := r.tx.PrepareContext(r.ctx, "INSERT INTO "+table+" VALUES (?"+places+")")
	if err != nil { // the damaged schema has other columns
		return -1, true, r.ctx.Err()
	}
	defer insert.Close()
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	last = -1
	for rows.Next() {
		if rows.Scan(targets...) != nil {
			return last, true, r.ctx.Err()
		}
		last, _ = values[0].(int64)
		for _, value := range values {
			if n, ok := value.(int64); ok && n < r.tooHigh() {
				r.newest = max(r.newest, n) // ids are the greatest numbers that a row has
			}
		}
		_, err := insert.ExecContext(r.ctx, values...)
		var refused sqlite3.Error
		if errors.As(err, &refused) && (refused.Code == sqlite3.ErrConstraint || refused.Code == sqlite3.ErrMismatch) {
			r.damaged[table] = true
		} else if err != nil {
			return last, true, err
		}
	}
	return last, rows.Err() != nil, r.ctx.Err()
}
