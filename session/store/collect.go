package store

import (
	"context"
	"database/sql"
	"slices"
)

// asker is what *sql.DB and *sql.Tx have in common for reading many rows.
type asker interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// collect reads every row of a query. scan gets the Scan of an *sql.Rows and makes a value of the row.
func collect[T any](ctx context.Context, a asker, scan func(scan func(...any) error) (T, error), query string, args ...any) ([]T, error) {
	rows, err := a.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		row, err := scan(rows.Scan)
		if err != nil {
			return nil, err
		}
		if len(all) == cap(all) {
			all = slices.Grow(all, max(4, len(all))) // large rows: to copy them is what append would spend its time on
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// only reads a row of one column.
func only[T any](scan func(...any) error) (value T, err error) {
	err = scan(&value)
	return value, err
}
