package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
)

// Tx is a transaction. It keeps the first error that one of its methods meets; what is called after that does nothing,
// or is rolled back with the rest, and returns zero values. So the steps of a transaction stand one after the other,
// and its end reports what failed.
type Tx struct {
	Err error // the first one

	on  connection
	ctx context.Context
}

// connection is what *sql.DB and *sql.Tx have in common.
type connection interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// WithoutTx returns the methods of a transaction for a connection outside of any: each is a transaction of its own.
func WithoutTx(ctx context.Context, on connection) *Tx { return &Tx{on: on, ctx: ctx} }

// InTx runs f in one transaction, which is committed unless f leaves an error.
func InTx(ctx context.Context, db *sql.DB, f func(t *Tx)) error {
	of, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer of.Rollback() // says only that the transaction is over where it was committed
	t := WithoutTx(ctx, of)
	if f(t); t.Err != nil {
		return t.Err
	}
	return of.Commit()
}

// Fail keeps an error, if it is the first.
func (t *Tx) Fail(err error) {
	if t.Err == nil {
		t.Err = err
	}
}

// Exec runs a statement and returns how many rows it changed.
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

// Rows reads the rows of a query one by one, each into the same variables.
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

// Row reads the first row of a query, and reports whether there is one.
func (t *Tx) Row(into []any, query string, args ...any) (there bool) {
	for range t.Rows(into, query, args...) {
		return true
	}
	return false
}

// reader is a Tx, or what holds one.
type reader interface {
	Rows(into []any, query string, args ...any) func(yield func() bool)
}

// Value reads the only value of a query, the zero value where there is no row.
func Value[T any](t reader, query string, args ...any) (v T) {
	for range t.Rows([]any{&v}, query, args...) {
		break
	}
	return v
}

// List reads the values of a query of one column.
func List[T any](t reader, query string, args ...any) (all []T) {
	var v T
	for range t.Rows([]any{&v}, query, args...) {
		all = append(all, v)
	}
	return all
}

// JSONArray is a set of ids as one parameter, which json_each takes apart.
func JSONArray(ids []int64) string {
	text, err := json.Marshal(append([]int64{}, ids...)) // nil would be null, which json_each takes for one value
	if err != nil {
		panic(err) // numbers always marshal
	}
	return string(text)
}
