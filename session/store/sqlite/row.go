package sqlite

import (
	"context"
	"database/sql"
	"reflect"
	"slices"
	"strings"
)

// A struct can be a row of a table: its fields are the columns of the same name. The name is that of the
// field's tag db or, without one, of its tag json; a dash is no column. Behind a comma the tag db says how a
// text or bytes are stored where that is not as they are: as a blob, or as null where there are none of them.

// column is a field of a row.
type column struct {
	name  string
	kind  string // blob, null or ""
	index []int
	text  bool // the field is a text
}

// read is how a query reads the column. A text is cast where it is stored as bytes: no byte of it changes, and
// the driver hands it out as a string, which saves a copy.
func (c column) read() string {
	switch {
	case c.kind == "blob" && c.text:
		return "CAST(" + c.name + " AS TEXT)"
	case c.kind == "null" && c.text:
		return "coalesce(CAST(" + c.name + " AS TEXT), '')"
	}
	return c.name
}

func columnsOf(row reflect.Type) []column {
	var out []column
	for _, field := range reflect.VisibleFields(row) {
		name, kind, _ := strings.Cut(field.Tag.Get("db"), ",")
		if name == "" {
			name, _, _ = strings.Cut(field.Tag.Get("json"), ",")
		}
		if name != "" && name != "-" {
			out = append(out, column{name, kind, field.Index, field.Type.Kind() == reflect.String})
		}
	}
	return out
}

// TableColumns returns the names of a table's columns.
func TableColumns(ctx context.Context, q querier, table string) ([]string, error) {
	return Collect(ctx, q, Only[string], `
		SELECT name
		FROM pragma_table_info(?)`, table)
}

// EachRow calls f with the rows of a query, each as a struct T of its own. from is the query from the name of
// its only table on.
func EachRow[T any](ctx context.Context, q querier, from string, f func(*T) error, args ...any) error {
	columns := columnsOf(reflect.TypeFor[T]())
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.read()
	}
	targets := make([]any, len(columns))
	return Each(ctx, q, func(scan func(...any) error) error {
		row := new(T)
		for i, c := range columns {
			targets[i] = reflect.ValueOf(row).Elem().FieldByIndex(c.index).Addr().Interface()
		}
		if err := scan(targets...); err != nil {
			return err
		}
		return f(row)
	}, "SELECT "+strings.Join(names, ", ")+" FROM "+from, args...)
}

func valuesOf(row any) []sql.NamedArg {
	v := reflect.Indirect(reflect.ValueOf(row))
	var out []sql.NamedArg
	for _, c := range columnsOf(v.Type()) {
		field := v.FieldByIndex(c.index)
		value := field.Interface()
		switch {
		case c.kind == "null" && field.Len() == 0:
			value = nil
		case c.kind != "" && c.text:
			value = []byte(field.String())
		}
		out = append(out, sql.Named(c.name, value))
	}
	return out
}

// InsertRow adds a row, which is a struct or a pointer to one, with more columns to a table and returns its number.
func InsertRow(ctx context.Context, tx *sql.Tx, table string, row any, more ...sql.NamedArg) (int64, error) {
	return Insert(ctx, tx, table, append(valuesOf(row), more...)...)
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

// Upsert adds a row to a table, or where the columns of its key, which have a comma between them, are those of a
// row that is there, changes its other columns.
func Upsert(ctx context.Context, tx *sql.Tx, table, key string, values ...sql.NamedArg) error {
	names, args := parameters(values)
	var changes []string
	for _, name := range names {
		if !slices.Contains(strings.Split(key, ", "), name) {
			changes = append(changes, name+" = excluded."+name)
		}
	}
	_, err := tx.ExecContext(ctx, insertion(table, names)+" ON CONFLICT ("+key+") DO UPDATE SET "+strings.Join(changes, ", "), args...)
	return err
}

// Update changes columns of the rows with a key and returns how many there are.
func Update(ctx context.Context, tx *sql.Tx, table string, key sql.NamedArg, values ...sql.NamedArg) (int64, error) {
	names, args := parameters(values)
	result, err := tx.ExecContext(ctx, "UPDATE "+table+" SET "+strings.Join(names, " = ?, ")+" = ? WHERE "+key.Name+" = ?", append(args, key.Value)...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// UpsertRow is Upsert of a row, which is a struct or a pointer to one, with more columns.
func UpsertRow(ctx context.Context, tx *sql.Tx, table, key string, row any, more ...sql.NamedArg) error {
	return Upsert(ctx, tx, table, key, append(valuesOf(row), more...)...)
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
