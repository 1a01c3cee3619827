package store

import (
	"bytes"
	"cmp"
	"database/sql"
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A row is a struct that lists its columns. The list is all that reading and writing the table, dumping and applying
// lines, and taking secrets out know of the struct, so that a new column is one line.
type row interface{ columns() []column }

// column is a column of a table, a key in the lines of archives and segments, or mostly both.
type column struct {
	name string
	in   any // a pointer to the field, or a form of the field, which scans and stores it
	use  use
}

// use says what is special about a column.
type use int

const (
	secret   use = 1 << iota // a text in which there may be a key, which is not stored
	local                    // not in lines: it is of this file, or other rows decide it
	lineOnly                 // not in the table
	given                    // given by SQLite when the row is added, and not in lines
	fixed                    // it does not change when an answer is finished
)

// errColumn says that a column holds something else than its field can have.
var errColumn = errors.New("a column cannot be read")

// millis is a time in Unix milliseconds, 0 for none.
type millis struct{ at *time.Time }

func (f millis) Value() (driver.Value, error) { return milliseconds(*f.at), nil }

func (f millis) Scan(v any) error {
	ms, ok := v.(int64)
	if !ok {
		return errColumn
	}
	*f.at = timeOf(ms)
	return nil
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

// blob is a text that is stored as bytes, because it may hold anything.
type blob struct{ text *string }

func (f blob) Value() (driver.Value, error) { return []byte(*f.text), nil }

func (f blob) Scan(v any) error {
	text, err := bytesOf(v)
	*f.text = string(text)
	return err
}

// raw is JSON that is kept byte for byte, NULL for none.
type raw struct{ json *[]byte }

func (f raw) Value() (driver.Value, error) {
	if len(*f.json) == 0 {
		return nil, nil
	}
	return *f.json, nil
}

func (f raw) Scan(v any) error {
	text, err := bytesOf(v)
	*f.json = append([]byte(nil), text...)
	return err
}

// bytesOf are the bytes of a column, which a line has as a text.
func bytesOf(v any) ([]byte, error) {
	switch v := v.(type) {
	case []byte:
		return v, nil
	case string:
		return []byte(v), nil
	case nil:
		return nil, nil
	}
	return nil, errColumn
}

// asJSON is a value that is stored as JSON, NULL where it is empty. A lenient one is empty where the JSON is damaged:
// other columns matter more.
type asJSON struct {
	in      any
	lenient bool
}

func (f asJSON) Value() (driver.Value, error) {
	text, err := json.Marshal(f.in)
	if string(text) == "null" || string(text) == "[]" {
		return nil, err
	}
	return string(text), err
}

func (f asJSON) Scan(v any) error {
	text, ok := v.(string)
	if v == nil || ok && json.Unmarshal([]byte(text), f.in) == nil || f.lenient {
		return nil
	}
	return errColumn
}

// asText is a value that writes itself as a text.
type asText struct {
	in interface {
		encoding.TextMarshaler
		encoding.TextUnmarshaler
	}
}

func (f asText) Value() (driver.Value, error) {
	text, err := f.in.MarshalText()
	return string(text), err
}

func (f asText) Scan(v any) error {
	text, ok := v.(string)
	if !ok || f.in.UnmarshalText([]byte(text)) != nil {
		return errColumn
	}
	return nil
}

// nested are rows within a line.
type nested[T any] struct {
	rows    *[]T
	columns func(*T) []column
}

func (n nested[T]) MarshalJSON() ([]byte, error) {
	all := make([]json.RawMessage, len(*n.rows))
	for i := range *n.rows {
		text, err := marshalColumns(n.columns(&(*n.rows)[i]))
		if err != nil {
			return nil, err
		}
		all[i] = text
	}
	return json.Marshal(all)
}

func (n nested[T]) UnmarshalJSON(data []byte) error {
	var all []json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	*n.rows = make([]T, len(all))
	for i, text := range all {
		if err := unmarshalColumns(text, n.columns(&(*n.rows)[i])); err != nil {
			return err
		}
	}
	return nil
}

// names are the columns of a table for a query, in which it may have an alias.
func names(columns []column, alias string) string {
	var all []string
	for _, c := range columns {
		if c.use&lineOnly == 0 {
			all = append(all, strings.TrimPrefix(alias+"."+c.name, "."))
		}
	}
	return strings.Join(all, ", ")
}

// fields are what the columns of a table are scanned into.
func fields(columns []column) []any {
	var all []any
	for _, c := range columns {
		if c.use&lineOnly == 0 {
			all = append(all, c.in)
		}
	}
	return all
}

// values are the columns of a row that is to be stored, but for those with some uses. clean takes the secrets out of a
// text; nil takes none.
func values(columns []column, but use, clean func(string) string) []sql.NamedArg {
	var all []sql.NamedArg
	for _, c := range columns {
		if c.use&(lineOnly|given|but) != 0 {
			continue
		}
		value := c.in
		if c.use&secret != 0 && clean != nil {
			value = c.cleaned(clean)
		}
		all = append(all, sql.Named(c.name, value))
	}
	return all
}

// cleaned is what a column is stored as without the secrets in it.
func (c column) cleaned(clean func(string) string) any {
	value := c.in
	if form, ok := c.in.(driver.Valuer); ok {
		value, _ = form.Value() // of texts and JSON that was read or made here
	}
	switch text := value.(type) {
	case *string:
		return clean(*text)
	case string:
		return clean(text)
	case []byte:
		return []byte(clean(string(text)))
	}
	return value
}

// eachRow calls f with every row of a query. from is the query from the name of its only table on.
func eachRow[T any, P interface {
	*T
	row
}](t *tx, from string, f func(P), args ...any) {
	query := "SELECT " + names(P(new(T)).columns(), strings.Fields(from)[0]) + " FROM " + from
	var r, empty T // one for all rows, so that its columns are listed once
	into := fields(P(&r).columns())
	t.each(func(scan func(...any) error) error {
		r = empty
		err := scan(into...)
		if err == nil {
			row := r
			f(&row)
		}
		return cmp.Or(err, t.err)
	}, query, args...)
}

// readRows reads every row of a query. from is as in eachRow.
func readRows[T any, P interface {
	*T
	row
}](t *tx, from string, args ...any) (all []T) {
	eachRow(t, from, func(r P) { all = append(all, *r) }, args...)
	return all
}

// marshalColumns writes a row as a JSON object without the columns that are empty. Texts are kept byte for byte: one
// that is not valid UTF-8 is an object {"base64": "…"}.
func marshalColumns(columns []column) ([]byte, error) {
	out := []byte{'{'}
	for _, c := range columns {
		if c.use&(local|given) != 0 {
			continue
		}
		text, err := c.marshal()
		if err != nil {
			return nil, fmt.Errorf("write the column %s: %w", c.name, err)
		}
		switch string(text) {
		case "0", `""`, "false", "null", "[]":
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(strconv.AppendQuote(out, c.name), ':')
		out = append(out, text...)
	}
	return append(out, '}'), nil
}

func (c column) marshal() ([]byte, error) {
	value := c.in
	if form, ok := c.in.(driver.Valuer); ok {
		var err error
		if value, err = form.Value(); err != nil {
			return nil, err
		}
		if text, ok := value.([]byte); ok {
			value = string(text)
		}
	}
	switch text := value.(type) {
	case *string:
		return marshalText(*text)
	case string:
		return marshalText(text)
	}
	return json.Marshal(value)
}

// encoded is a text that JSON has no string for.
type encoded struct {
	Base64 []byte `json:"base64"`
}

func marshalText(text string) ([]byte, error) {
	if !utf8.ValidString(text) {
		return json.Marshal(encoded{[]byte(text)})
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(text)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}

func unmarshalText(data []byte) (text string, err error) {
	if len(data) > 0 && data[0] == '{' {
		var e encoded
		err := json.Unmarshal(data, &e)
		return string(e.Base64), err
	}
	err = json.Unmarshal(data, &text)
	return text, err
}

// unmarshalColumns reads a JSON object into a row.
func unmarshalColumns(data []byte, columns []column) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	for _, c := range columns {
		text, there := all[c.name]
		if !there || c.use&(local|given) != 0 || string(text) == "null" {
			continue
		}
		if err := c.unmarshal(text); err != nil {
			return fmt.Errorf("read the column %s: %w", c.name, err)
		}
	}
	return nil
}

func (c column) unmarshal(data []byte) (err error) {
	switch in := c.in.(type) {
	case *string:
		*in, err = unmarshalText(data)
		return err
	case json.Unmarshaler:
		return in.UnmarshalJSON(data)
	case sql.Scanner:
		var number int64
		if json.Unmarshal(data, &number) == nil {
			return in.Scan(number)
		}
		text, err := unmarshalText(data)
		if err != nil {
			return err
		}
		return in.Scan(text)
	}
	return json.Unmarshal(data, c.in)
}
