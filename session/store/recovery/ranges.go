package recovery

import (
	"database/sql"
	"errors"
	"sort"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// idBits are the lowest bits of an id, which are no part of its time.
const idBits = 12

// idLimit is the least id that no row of a real history has: one of the day after tomorrow. Such a one was damaged, and
// would leave no higher one for the messages to come.
func (r *recovery) idLimit() int64 { return (r.now + 2*24*60*60*1000) << idBits }

// maxFaults is how many damaged places of one table are passed over, which takes a second or two.
const maxFaults = 1000

// readTable copies every row of a table that SQLite can reach: the range of keys before the first damage, and those
// nextReadable each one.
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

// nextReadable is the first key from which on rows can be read again, where they cannot be read from a key.
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
	first := from + step/2 + 1 // the key before it cannot be read
	return first + int64(sort.Search(int(from+step-first), func(i int) bool { return readable(first + int64(i)) }))
}

// rows are the rows of a table from a key on.
func (r *recovery) rows(table string, from, limit int64) (*sql.Rows, error) {
	return r.from.QueryContext(r.ctx,
		"SELECT * FROM "+table+" NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?",
		from, r.idLimit(), limit)
}

// copyRows copies the rows from a key on. It returns the key of the last one, or from-1, and whether a damage stopped
// it. A row that breaks a rule of its table is left out: it is damaged.
func (r *recovery) copyRows(table string, from int64) (last int64, damaged bool) {
	last = from - 1
	rows, err := r.rows(table, from, -1)
	if err != nil {
		return last, true
	}
	defer rows.Close()
	columns, _ := rows.Columns() // the rows are not closed
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
				r.newest = max(r.newest, n) // ids are the greatest numbers that a row has
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
