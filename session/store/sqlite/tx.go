package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"iter"
)

// querier is what *sql.DB, *sql.Conn and *sql.Tx have in common for reading.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Values are the values of a query of one column. After an error there is none.
func Values[T any](ctx context.Context, q querier, query string, args ...any) iter.Seq2[T, error] {
	return func(yield func(value T, err error) bool) {
		var value T
		rows, err := q.QueryContext(ctx, query, args...)
		if err != nil {
			yield(value, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(&value); !yield(value, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(value, err)
		}
	}
}

// Collect returns the values of a query of one column, none with an error.
func Collect[T any](ctx context.Context, q querier, query string, args ...any) (all []T, err error) {
	for value, err := range Values[T](ctx, q, query, args...) {
		if err != nil {
			return nil, err
		}
		all = append(all, value)
	}
	return all, nil
}

// IDs is a set of ids as one parameter, which json_each takes apart.
func IDs(ids []int64) string {
	text, err := json.Marshal(append([]int64{}, ids...)) // nil would be null, which json_each takes for one value
	if err != nil {
		panic(err) // numbers always marshal
	}
	return string(text)
}

// InTx runs f in one transaction, which is committed where f returns nil.
func InTx(ctx context.Context, db *sql.DB, f func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // says only that the transaction is over where it was committed
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}
