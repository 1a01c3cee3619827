package store

import (
	"cmp"
	"database/sql/driver"
	"encoding/json"
	"iter"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"
)

// A row is a struct that lists its columns. Reading and writing tables, encoding lines and removing secrets all work
// from that list, so a new column is one line of code.
type row interface{ columns() []column }

// rowOf is the constraint for a *T that is a row.
type rowOf[T any] interface {
	*T
	row
}

// column is a column of a table, a key in the lines of archives and segments, or both. In a statement that only writes,
// in may be the value itself instead of a pointer.
type column struct {
	name string // may be an expression if it is only read
	in   any    // a pointer to the field, wrapped if the field itself cannot be scanned, stored or encoded
	use  use
}

// use is a set of flags for a column.
type use int

const (
	secret    use = 1 << iota // a text that may contain an API key, which is removed before it is stored
	local                     // not in lines: it describes this file, or is derived from other rows
	lineOnly                  // not in the table
	generated                 // read from SQLite, never written, and not in lines
	immutable                 // not changed by updates
)

// millis is a time stored as Unix milliseconds, 0 for none.
type millis time.Time

func (m *millis) Value() (driver.Value, error) { return milliseconds(time.Time(*m)), nil }

func (m *millis) Scan(v any) error {
	ms, _ := v.(int64) // the tables are STRICT, so it is always an integer
	*m = millis(timeOf(ms))
	return nil
}

func (m *millis) MarshalJSON() ([]byte, error) { return json.Marshal(milliseconds(time.Time(*m))) }

func (m *millis) UnmarshalJSON(data []byte) error {
	var ms int64
	err := json.Unmarshal(data, &ms)
	*m = millis(timeOf(ms))
	return err
}

// milliseconds returns a time in Unix milliseconds, 0 for the zero time.
func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// timeOf is the inverse of milliseconds. The time is in UTC.
func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// blob is a text that is stored as a BLOB, because it may hold any bytes. In JSON, invalid UTF-8 is encoded as
// {"base64": "…"} to keep its bytes.
type blob string

func (b *blob) Value() (driver.Value, error) { return []byte(*b), nil }

func (b *blob) MarshalJSON() ([]byte, error) {
	if !utf8.ValidString(string(*b)) {
		return json.Marshal(map[string][]byte{"base64": []byte(*b)})
	}
	return json.Marshal(string(*b))
}

func (b *blob) UnmarshalJSON(data []byte) error {
	var encoded struct{ Base64 []byte }
	if json.Unmarshal(data, &encoded) == nil {
		*b = blob(encoded.Base64)
		return nil
	}
	return json.Unmarshal(data, (*string)(b))
}

// jsonColumn is a value that is stored as JSON, or as NULL if it is empty. Damaged JSON is read as an empty value, so
// that the other columns can still be read.
type jsonColumn struct{ in any }

func (f *jsonColumn) Value() (driver.Value, error) {
	text, err := json.Marshal(f.in)
	if reflect.Indirect(reflect.ValueOf(f.in)).IsZero() || string(text) == "[]" {
		return nil, err
	}
	return string(text), err
}

func (f *jsonColumn) Scan(v any) error {
	text, _ := v.(string)
	_ = json.Unmarshal([]byte(text), f.in)
	return nil
}

func (f *jsonColumn) MarshalJSON() ([]byte, error) { return json.Marshal(f.in) }

func (f *jsonColumn) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, f.in) }

// nested encodes rows within a row as a JSON array. Damaged elements are left empty.
type nested[T any] struct {
	rows    *[]T
	columns func(*T) []column
}

func (n *nested[T]) MarshalJSON() ([]byte, error) {
	all := make([]map[string]any, len(*n.rows))
	for i := range all {
		all[i] = object(n.columns(&(*n.rows)[i]))
	}
	return json.Marshal(all)
}

func (n *nested[T]) UnmarshalJSON(data []byte) error {
	var all []json.RawMessage
	err := json.Unmarshal(data, &all)
	*n.rows = make([]T, len(all))
	for i, text := range all {
		err = cmp.Or(err, unmarshal(text, n.columns(&(*n.rows)[i])))
	}
	return err
}

// json returns the field in a form that encodes as JSON even if a text is not valid UTF-8.
func (c column) json() any {
	if text, ok := c.in.(*string); ok {
		return (*blob)(text)
	}
	return c.in
}

// object returns a row as a JSON object without empty columns.
func object(columns []column) map[string]any {
	all := map[string]any{}
	for _, c := range columns {
		if c.use&(local|generated) == 0 && !reflect.ValueOf(c.in).Elem().IsZero() {
			all[c.name] = c.json()
		}
	}
	return all
}

// marshal encodes a row as a JSON object.
func marshal(columns []column) ([]byte, error) { return json.Marshal(object(columns)) }

// unmarshal decodes a JSON object into a row.
func unmarshal(data []byte, columns []column) error {
	var all map[string]json.RawMessage
	err := json.Unmarshal(data, &all)
	for _, c := range columns {
		if text, there := all[c.name]; there && c.use&(local|generated) == 0 && err == nil {
			err = json.Unmarshal(text, c.json())
		}
	}
	return err
}

// scanned returns the names of a row's columns for a SELECT, and their scan targets.
func scanned(columns []column) (names string, into []any) {
	var all []string
	for _, c := range columns {
		if c.use&lineOnly == 0 {
			all, into = append(all, c.name), append(into, c.in)
		}
	}
	return strings.Join(all, ", "), into
}

// values returns the names and the cleaned values of the columns to store, without those that have one of the uses in
// but.
func (t *tx) values(columns []column, but use) (names []string, args []any) {
	for _, c := range columns {
		if c.use&(lineOnly|generated|but) != 0 {
			continue
		}
		value := c.in
		if c.use&secret != 0 {
			value = c.cleaned(t.clean)
		}
		names, args = append(names, c.name), append(args, value)
	}
	return names, args
}

// cleaned returns the stored value of a column without the secrets in it.
func (c column) cleaned(clean func(string) string) any {
	value, _ := driver.DefaultParameterConverter.ConvertValue(c.in) // the driver reports the error again
	switch text := value.(type) {
	case string:
		return clean(text)
	case []byte:
		return []byte(clean(string(text)))
	}
	return c.in
}

// each reads the rows of a query one by one. from is the part of the query that follows FROM.
func each[T any, P rowOf[T]](t *tx, from string, args ...any) iter.Seq[P] {
	return func(yield func(P) bool) {
		var r, empty T // one value for all rows, so that its columns are listed once
		names, into := scanned(P(&r).columns())
		for range t.Rows(into, "SELECT "+names+" FROM "+from, args...) {
			out := r
			if r = empty; !yield(&out) {
				return
			}
		}
	}
}

// readRows reads all rows of a query. from is as in each.
func readRows[T any, P rowOf[T]](t *tx, from string, args ...any) (all []T) {
	for r := range each[T, P](t, from, args...) {
		all = append(all, *r)
	}
	return all
}

// first returns the first row of a query, or the zero value if there is none. from is as in each.
func first[T any, P rowOf[T]](t *tx, from string, args ...any) (none T) {
	return append(readRows[T, P](t, from, args...), none)[0]
}

// put inserts a row and returns the number of rows added or changed. into is the beginning of the statement up to the
// name of the table, and conflict its end, such as an ON CONFLICT clause.
func (t *tx) put(into string, columns []column, conflict string) (rows int64) {
	names, args := t.values(columns, 0)
	places := strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", ")
	return t.Exec(into+" ("+strings.Join(names, ", ")+") VALUES ("+places+") "+conflict, args...)
}

// update sets the mutable columns of the rows that match a condition, and returns the number of rows.
func (t *tx) update(table string, columns []column, condition string, args ...any) (rows int64) {
	names, all := t.values(columns, immutable)
	set := strings.Join(names, " = ?, ") + " = ?"
	return t.Exec("UPDATE "+table+" SET "+set+" WHERE "+condition, append(all, args...)...)
}
