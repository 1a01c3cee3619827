package sqlite

import (
	"context"
	"database/sql"
	"strings"
)

// Insert adds a row to a table and returns its number.
func Insert(ctx context.Context, tx *sql.Tx, table string, values ...sql.NamedArg) (int64, error) {
	names, args := parameters(values)
	result, err := tx.ExecContext(ctx, insertion(table, names), args...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// Update changes columns of the rows with a key and returns how many there are.
func Update(ctx context.Context, tx *sql.Tx, table string, values []sql.NamedArg, key ...sql.NamedArg) (int64, error) {
	names, args := parameters(values)
	keys, are := parameters(key)
	set, where := strings.Join(names, " = ?, ")+" = ?", strings.Join(keys, " = ? AND ")+" = ?"
	query := "UPDATE " + table + " SET " + set + " WHERE " + where
	result, err := tx.ExecContext(ctx, query, append(args, are...)...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func insertion(table string, names []string) string {
	places := "?" + strings.Repeat(", ?", len(names)-1)
	return "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") VALUES (" + places + ")"
}

func parameters(values []sql.NamedArg) (names []string, args []any) {
	for _, v := range values {
		names, args = append(names, v.Name), append(args, v.Value)
	}
	return names, args
}
