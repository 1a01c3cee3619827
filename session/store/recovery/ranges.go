package recovery

import (
	"database/sql"
	"errors"
	"sort"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// idBits is the number of the lowest bits of an id that are not part of its time.
const idBits = 12

// idLimit returns an id from the day after tomorrow, which no real row has reached. A greater id is damaged; keeping it
// would leave no ids for new messages.
func (r *recovery) idLimit() int64 { return (r.now + 2*24*60*60*1000) << idBits }

// maxFaults is how many damaged places of a table are skipped, which takes one or two seconds.
const maxFaults = 1000

// readTable copies every row of a table that SQLite can read: the rows before the first damaged place and those after
// each one.
func (r *recovery) readTable(table string) {
	from := int64(0)
	for n := 0; n < maxFaults && from < r.idLimit() && r.Err == nil; n++ {
		last, damaged := r.copyRows(table, from)
		if !damaged {
			return
		}
		r.damagedTables[table] = true
		from = r.nextReadable(table, last+1)
	}
}

// nextReadable returns the first key after from, which is not readable, at which rows can be read again.
func (r *recovery) nextReadable(table string, from int64) int64 {
	readable := func(key int64) bool {
		rows, err := r.rows(table, key, 1)
		if err != nil {
			return false
		}
		defer rows.Close()
		return rows.Next() || rows.Err() == nil
	}
	step := int64(1)
	for from+step < r.idLimit() && !readable(from+step) {
		step *= 2
	}
	first := from + step/2 + 1 // the key before it is not readable
	return first + int64(sort.Search(int(from+step-first), func(i int) bool { return readable(first + int64(i)) }))
}

// rows queries the rows of a table from a key on.
func (r *recovery) rows(table string, from, limit int64) (*sql.Rows, error) {
	return r.from.QueryContext(r.ctx,
		"SELECT * FROM "+table+" NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?",
		from, r.idLimit(), limit)
}

// copyRows copies rows from a key on until the end or a damaged place. It returns the key of the last row copied, or
// from-1, and whether it stopped at damage. Rows that violate a constraint are damaged and skipped.
func (r *recovery) copyRows(table string, from int64) (last int64, damaged bool) {
	last = from - 1
	rows, err := r.rows(table, from, -1)
	if err != nil {
		return last, true
	}
	defer rows.Close()
	columns, _ := rows.Columns() // fails only on closed rows
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	insert := "INSERT INTO " + table + " VALUES (?" + strings.Repeat(", ?", len(columns)-1) + ")"
	for rows.Next() && r.Err == nil {
		if rows.Scan(targets...) != nil {
			return last, true
		}
		last, _ = values[0].(int64)
		for _, value := range values {
			if n, ok := value.(int64); ok && n < r.idLimit() {
				r.newest = max(r.newest, n) // the greatest numbers in a row are ids
			}
		}
		r.Exec(insert, values...)
		var refused sqlite3.Error
		if errors.As(r.Err, &refused) && refused.Code == sqlite3.ErrConstraint {
			r.damagedTables[table], r.Err = true, nil
		}
	}
	return last, rows.Err() != nil
}
