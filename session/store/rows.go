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

// A row is a struct that lists its columns. The list is all that reading and writing the table, dumping and applying
// lines, and taking secrets out know of the struct, so that a new column is one line.
type row interface{ columns() []column }

// rowOf is a pointer to a T that is a row.
type rowOf[T any] interface {
	*T
	row
}

// column is a column of a table, a key in the lines of archives and segments, or mostly both. Of one that is only
// written, in may be the value itself.
type column struct {
	name string // for one that is only read, it may be an expression
	in   any    // a pointer to the field, as a form that scans, stores and encodes it where the field cannot do that
	use  use
}

// markUsed says what is special about a column.
type use int

const (
	secret    use = 1 << iota // a text in which there may be a key, which is not stored
	local                     // not in lines: it is of this file, or other rows decide it
	lineOnly                  // not in the table
	generated                 // given by SQLite when the row is added or read, and not in lines
	immutable                 // it does not change once the row is there
)

// millis is a time in Unix milliseconds, 0 for none.
type millis time.Time

func (m *millis) Value() (driver.Value, error) { return milliseconds(time.Time(*m)), nil }

func (m *millis) Scan(v any) error {
	ms, _ := v.(int64) // a STRICT table has nothing else
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

// milliseconds is a time as it is stored.
func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// timeOf is a time as it was stored.
func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// blob is a text that is stored as bytes, because it may hold anything. In JSON one that is not valid UTF-8 is an
// object {"base64": "…"}, so that its bytes are kept.
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

// jsonColumn is a value that is stored as JSON, and NULL where it is empty. It is empty where what is stored is
// damaged: other columns matter more.
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

// nested are rows within a row, or within a line, as a JSON array. What is damaged is left out.
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

// json is the column as it is in JSON, which has no other texts than UTF-8.
func (c column) json() any {
	if text, ok := c.in.(*string); ok {
		return (*blob)(text)
	}
	return c.in
}

// object is a row as a JSON object without the columns that are empty.
func object(columns []column) map[string]any {
	all := map[string]any{}
	for _, c := range columns {
		if c.use&(local|generated) == 0 && !reflect.ValueOf(c.in).Elem().IsZero() {
			all[c.name] = c.json()
		}
	}
	return all
}

// marshal writes a row as a JSON object.
func marshal(columns []column) ([]byte, error) { return json.Marshal(object(columns)) }

// unmarshal reads a JSON object into a row.
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

// scanned are the columns of a table for a query, and what they are scanned into.
func scanned(columns []column) (names string, into []any) {
	var all []string
	for _, c := range columns {
		if c.use&lineOnly == 0 {
			all, into = append(all, c.name), append(into, c.in)
		}
	}
	return strings.Join(all, ", "), into
}

// values are the names and the values of the columns of a row that is to be stored, but for those with some uses.
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

// cleaned is what a column is stored as without the secrets in it.
func (c column) cleaned(clean func(string) string) any {
	value, _ := driver.DefaultParameterConverter.ConvertValue(c.in) // the driver meets the error again
	switch text := value.(type) {
	case string:
		return clean(text)
	case []byte:
		return []byte(clean(string(text)))
	}
	return c.in
}

// each reads the rows of a query one by one. from is the query from the name of its only table on.
func each[T any, P rowOf[T]](t *tx, from string, args ...any) iter.Seq[P] {
	return func(yield func(P) bool) {
		var r, empty T // one for all rows, so that its columns are listed once
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

// first reads the first row of a query, the zero value where there is none. from is as in each.
func first[T any, P rowOf[T]](t *tx, from string, args ...any) (none T) {
	return append(readRows[T, P](t, from, args...), none)[0]
}

// put adds a row of these columns, and returns how many rows it added or changed. into is how the statement begins, up
// to the name of the table, and conflict how it ends: what happens where the row is there.
func (t *tx) put(into string, columns []column, conflict string) (rows int64) {
	names, args := t.values(columns, 0)
	places := strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", ")
	return t.Exec(into+" ("+strings.Join(names, ", ")+") VALUES ("+places+") "+conflict, args...)
}

// update sets the columns that may change of the rows that a condition picks, and returns how many there are.
func (t *tx) update(table string, columns []column, condition string, args ...any) (rows int64) {
	names, all := t.values(columns, immutable)
	set := strings.Join(names, " = ?, ") + " = ?"
	return t.Exec("UPDATE "+table+" SET "+set+" WHERE "+condition, append(all, args...)...)
}
