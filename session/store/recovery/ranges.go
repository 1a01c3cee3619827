package recovery

import (
	"database/sql"
	"errors"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// mostDamages is how many damages of one table are read around, which takes a few seconds.
const mostDamages = 2000

// readTable copies every row of a table that SQLite can reach: up to a damage, then backwards from behind it, and so on
// from there.
func (r *recovery) readTable(table string) error {
	for from, damages := int64(0), 0; damages < mostDamages; damages++ {
		last, stopped, err := r.copyRows(table, "rowid BETWEEN ? AND ? ORDER BY rowid", from, r.tooHigh())
		if err != nil || !stopped {
			return err
		}
		r.damaged[table] = true
		from = max(from, last+1)
		behind := r.behindDamage(table, from)
		if _, _, err := r.copyRows(table, "rowid BETWEEN ? AND ? ORDER BY rowid DESC", from, behind); err != nil {
			return err
		}
		from = behind + 1
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
