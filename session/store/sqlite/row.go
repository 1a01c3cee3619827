package sqlite

import (
	"context"
	"database/sql"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// A struct can be a row of a table: its fields are the columns of the same name. The name is that of the
// field's tag db or, without one, of its tag json; a dash is no column. Behind commas the tag db says how a
// value is stored where that is not as it is:
//
//	blob  a text as bytes
//	null  NULL where the value is empty
//	json  any value as JSON
//
// A time is in Unix milliseconds, 0 for none, and a duration in microseconds. A type with methods of its own
// for the database or for texts is stored as they say.

// column is a field of a row.
type column struct {
	name             string
	blob, null, json bool
	scans, marshals  bool // its type has a method Scan, or MarshalText
	index            []int
	kind             reflect.Type
}

// ErrColumn says that a column holds something else than its field can have.
var ErrColumn = errors.New("a column cannot be read")

// columnsOfTypes are the columns of each type that was asked for: to find them takes longer than to read a row.
var columnsOfTypes sync.Map

func columnsOf(row reflect.Type) []column {
	if known, ok := columnsOfTypes.Load(row); ok {
		return known.([]column)
	}
	var out []column
	for _, field := range reflect.VisibleFields(row) {
		name, options, _ := strings.Cut(field.Tag.Get("db"), ",")
		if name == "" {
			name, _, _ = strings.Cut(field.Tag.Get("json"), ",")
		}
		if name != "" && name != "-" {
			has := strings.Split(options, ",")
			out = append(out, column{
				name: name, index: field.Index, kind: field.Type,
				blob: slices.Contains(has, "blob"), null: slices.Contains(has, "null"), json: slices.Contains(has, "json"),
				scans:    reflect.PointerTo(field.Type).Implements(reflect.TypeFor[sql.Scanner]()),
				marshals: field.Type.Implements(reflect.TypeFor[encoding.TextMarshaler]()),
			})
		}
	}
	columnsOfTypes.Store(row, out)
	return out
}

// Columns are the columns of a struct T in a query, in which the table has an alias. A text that is stored as bytes
// is cast: no byte of it changes, and the driver hands it out as a string, which saves a copy.
func Columns[T any](alias string) string {
	var names []string
	for _, c := range columnsOf(reflect.TypeFor[T]()) {
		name := alias + "." + c.name
		if c.blob && c.kind.Kind() == reflect.String {
			name = "CAST(" + name + " AS TEXT)"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// RowScan returns a function that reads a row with the columns of a struct T behind those that go to more. A value
// that no T can have is an ErrColumn, and then its field is empty.
func RowScan[T any](more ...any) func(scan func(...any) error) (T, error) {
	columns := columnsOf(reflect.TypeFor[T]())
	values := make([]any, len(columns)) // as the driver gives them, which costs less than any other type
	targets := slices.Clone(more)
	var row, empty T // one for all rows, so that its fields are looked up once
	fields := make([]reflect.Value, len(columns))
	for i, c := range columns {
		targets = append(targets, &values[i])
		fields[i] = reflect.ValueOf(&row).Elem().FieldByIndex(c.index)
	}
	return func(scan func(...any) error) (T, error) {
		row = empty
		err := scan(targets...)
		if err != nil {
			return row, err
		}
		for i, c := range columns {
			if unread := c.read(fields[i], values[i]); unread != nil {
				err = fmt.Errorf("%w: %s: %w", ErrColumn, c.name, unread)
			}
		}
		return row, err
	}
}

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
)

// read puts a value of the driver into a field, which is empty.
func (c column) read(field reflect.Value, value any) error {
	switch {
	case value == nil:
		return nil
	case c.scans:
		return field.Addr().Interface().(sql.Scanner).Scan(value)
	}
	switch value := value.(type) {
	case int64:
		if c.readNumber(field, value) {
			return nil
		}
	case float64:
		if field.CanFloat() {
			field.SetFloat(value)
			return nil
		}
	case string:
		switch {
		case c.json:
			return json.Unmarshal([]byte(value), field.Addr().Interface())
		case c.marshals:
			return field.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(value))
		case field.Kind() == reflect.String:
			field.SetString(value)
			return nil
		}
	case []byte:
		if field.Kind() == reflect.Slice {
			field.SetBytes(value)
			return nil
		}
	}
	return fmt.Errorf("a %T is no %s", value, c.kind)
}

// readNumber is read for a whole number; it is false where the field is for something else.
func (c column) readNumber(field reflect.Value, value int64) bool {
	switch {
	case c.kind == timeType:
		*field.Addr().Interface().(*time.Time) = Time(value)
	case c.kind == durationType:
		field.SetInt(value * int64(time.Microsecond))
	case field.CanInt():
		field.SetInt(value)
	case field.Kind() == reflect.Bool:
		field.SetBool(value != 0)
	case field.CanFloat(): // a whole number is kept as an integer
		field.SetFloat(float64(value))
	default:
		return false
	}
	return true
}

// value is what is stored of a field.
func (c column) value(field reflect.Value) (any, error) {
	switch {
	case c.null && (field.IsZero() || field.Kind() == reflect.Slice && field.Len() == 0):
		return nil, nil
	case c.json:
		text, err := json.Marshal(field.Interface())
		return string(text), err
	case c.kind == timeType:
		return Milliseconds(field.Interface().(time.Time)), nil
	case c.kind == durationType:
		return field.Interface().(time.Duration).Microseconds(), nil
	case c.marshals:
		text, err := field.Interface().(encoding.TextMarshaler).MarshalText()
		return string(text), err
	case c.blob && field.Kind() == reflect.String:
		return []byte(field.String()), nil
	}
	return field.Interface(), nil
}

// Milliseconds is a time as it is stored: Unix milliseconds, 0 for none.
func Milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Time is a time as it was stored.
func Time(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
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
	table, _, _ := strings.Cut(from, " ")
	read := RowScan[T]()
	return Each(ctx, q, func(scan func(...any) error) error {
		row, err := read(scan)
		if err != nil {
			return err
		}
		return f(&row)
	}, "SELECT "+Columns[T](table)+" FROM "+from, args...)
}

// Rows reads every row of a query as a struct T. from is as in EachRow.
func Rows[T any](ctx context.Context, q querier, from string, args ...any) ([]T, error) {
	var all []T
	err := EachRow(ctx, q, from, func(row *T) error {
		if len(all) == cap(all) {
			all = slices.Grow(all, max(4, len(all))) // large rows: to copy them is what append would spend its time on
		}
		all = append(all, *row)
		return nil
	}, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Values are the columns of a row, which is a struct or a pointer to one.
func Values(row any) ([]sql.NamedArg, error) {
	v := reflect.Indirect(reflect.ValueOf(row))
	var out []sql.NamedArg
	for _, c := range columnsOf(v.Type()) {
		value, err := c.value(v.FieldByIndex(c.index))
		if err != nil {
			return nil, fmt.Errorf("write the column %s: %w", c.name, err)
		}
		out = append(out, sql.Named(c.name, value))
	}
	return out, nil
}

// InsertRow adds a row, which is a struct or a pointer to one, with more columns to a table and returns its number.
func InsertRow(ctx context.Context, tx *sql.Tx, table string, row any, more ...sql.NamedArg) (int64, error) {
	values, err := Values(row)
	if err != nil {
		return 0, err
	}
	return Insert(ctx, tx, table, append(values, more...)...)
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
