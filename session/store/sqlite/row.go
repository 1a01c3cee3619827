package sqlite

import (
	"context"
	"database/sql"
	"strings"
)

// TableColumns returns the names of a table's columns.
func TableColumns(ctx context.Context, q querier, table string) ([]string, error) {
	return Collect(ctx, q, Only[string], `SELECT name FROM pragma_table_info(?)`, table)
}

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
	result, err := tx.ExecContext(ctx, "UPDATE "+table+" SET "+strings.Join(names, " = ?, ")+" = ? WHERE "+strings.Join(keys, " = ? AND ")+" = ?", append(args, are...)...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func insertion(table string, names []string) string {
	return "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(names)-1) + ")"
}

func parameters(values []sql.NamedArg) (names []string, args []any) {
	for _, v := range values {
		names, args = append(names, v.Name), append(args, v.Value)
	}
	return names, args
}
