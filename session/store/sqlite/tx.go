package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
)

// querier is what *sql.DB and *sql.Tx have in common for reading many rows.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Each calls f for every row of a query with the Scan of its *sql.Rows.
func Each(ctx context.Context, q querier, f func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Collect reads every row of a query. scan gets the Scan of an *sql.Rows and makes a value of the row.
func Collect[T any](
	ctx context.Context, q querier, scan func(scan func(...any) error) (T, error), query string, args ...any,
) ([]T, error) {
	var all []T
	err := Each(ctx, q, func(rowScan func(...any) error) error {
		row, err := scan(rowScan)
		if err != nil {
			return err
		}
		all = append(all, row)
		return nil
	}, query, args...)
	if err != nil {
		return nil, err
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

// Only reads a row of one column.
func Only[T any](scan func(...any) error) (value T, err error) {
	err = scan(&value)
	return value, err
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
