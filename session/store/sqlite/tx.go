package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
)

// Tx is a transaction. It keeps the first error of its methods. After an error its methods do nothing and return zero
// values, so a transaction can be written as a sequence of steps whose error is checked at the end.
type Tx struct {
	Err error // the first error, nil if there was none

	on  connection
	ctx context.Context
}

// connection is implemented by *sql.DB and *sql.Tx.
type connection interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// WithoutTx returns a Tx whose methods run directly on a connection, each in a transaction of its own.
func WithoutTx(ctx context.Context, on connection) *Tx { return &Tx{on: on, ctx: ctx} }

// InTx runs f in one transaction. It commits unless f leaves an error in t, which it then returns.
func InTx(ctx context.Context, db *sql.DB, f func(t *Tx)) error {
	of, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer of.Rollback() // does nothing after a commit
	t := WithoutTx(ctx, of)
	if f(t); t.Err != nil {
		return t.Err
	}
	return of.Commit()
}

// Fail sets Err unless it is set already.
func (t *Tx) Fail(err error) {
	if t.Err == nil {
		t.Err = err
	}
}

// Exec runs a statement and returns the number of rows that it changed.
func (t *Tx) Exec(query string, args ...any) (rows int64) {
	if t.Err != nil {
		return 0
	}
	result, err := t.on.ExecContext(t.ctx, query, args...)
	if err == nil {
		rows, err = result.RowsAffected()
	}
	t.Fail(err)
	return rows
}

// Rows iterates over the rows of a query. It scans each row into the same variables.
func (t *Tx) Rows(into []any, query string, args ...any) func(yield func() bool) {
	return func(yield func() bool) {
		if t.Err != nil {
			return
		}
		rows, err := t.on.QueryContext(t.ctx, query, args...)
		if err != nil {
			t.Fail(err)
			return
		}
		defer rows.Close()
		for t.Err == nil && rows.Next() {
			if t.Fail(rows.Scan(into...)); t.Err == nil && !yield() {
				return
			}
		}
		t.Fail(rows.Err())
	}
}

// Row scans the first row of a query and reports whether there is one.
func (t *Tx) Row(into []any, query string, args ...any) (there bool) {
	for range t.Rows(into, query, args...) {
		return true
	}
	return false
}

// reader is a Tx or a type that embeds one.
type reader interface {
	Rows(into []any, query string, args ...any) func(yield func() bool)
}

// QueryValue returns the single value of a query, or the zero value if there is no row.
func QueryValue[T any](t reader, query string, args ...any) (v T) {
	for range t.Rows([]any{&v}, query, args...) {
		break
	}
	return v
}

// List returns the values of a query with one column.
func List[T any](t reader, query string, args ...any) (all []T) {
	var v T
	for range t.Rows([]any{&v}, query, args...) {
		all = append(all, v)
	}
	return all
}

// JSONArray encodes ids as a single parameter, for json_each.
func JSONArray(ids []int64) string {
	text, err := json.Marshal(append([]int64{}, ids...)) // nil would be null, which json_each takes for a value
	if err != nil {
		panic(err) // numbers always marshal
	}
	return string(text)
}
