package recovery

import (
	"errors"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// idBits are the lowest bits of an id, which are no part of its time.
const idBits = 12

// tooHigh is the least id that no row of a real history has: one of the day after tomorrow. Such a one was damaged, and
// would leave no higher one for the messages to come.
func (r *recovery) tooHigh() int64 { return (r.now + 2*24*60*60*1000) << idBits }

// mostRanges is how many ranges of one table are read, which takes a second or two.
const mostRanges = 1000

// readTable copies every row of a table that SQLite can reach: of a range of keys those before the first damage and
// those behind the last one, and then of both halves of what is between them, the widest ranges first.
func (r *recovery) readTable(table string) error {
	type keys struct{ from, to int64 }
	ranges := []keys{{0, r.tooHigh()}}
	for n := 0; n < len(ranges) && n < mostRanges; n++ {
		from, to := ranges[n].from, ranges[n].to
		last, damaged, err := r.copyRows(table, "ASC", from, to)
		if err != nil {
			return err
		}
		if !damaged {
			continue
		}
		r.damaged[table] = true
		first, _, err := r.copyRows(table, "DESC", max(from, last+1), to)
		if err != nil {
			return err
		}
		if first == -1 {
			first = to + 1
		}
		if from, to = max(from, last+1), first-1; from < to {
			middle := from + (to-from)/2
			ranges = append(ranges, keys{from, middle}, keys{middle + 1, to})
		}
	}
	return nil
}

// copyRows copies the rows with keys in a range, in an order, and returns the key of the last one, -1 for none, and
// whether a damage stopped it. A row that breaks a rule of its table is left out: it is damaged, or there already. The
// error is one of writing.
func (r *recovery) copyRows(table, order string, from, to int64) (last int64, damaged bool, err error) {
	last = -1
	rows, err := r.from.QueryContext(r.ctx,
		"SELECT * FROM "+table+" NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid "+order, from, to)
	if err != nil {
		return last, true, r.ctx.Err()
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return last, true, r.ctx.Err()
	}
	places := strings.Repeat(", ?", len(columns)-1)
	insert, err := r.tx.PrepareContext(r.ctx, "INSERT INTO "+table+" VALUES (?"+places+")")
	if err != nil { // the damaged schema has other columns
		return last, true, r.ctx.Err()
	}
	defer insert.Close()
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
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
