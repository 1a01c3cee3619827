package recovery

import (
	"regexp"
	"slices"
	"strings"

	"winnow/session/store/sqlite"
)

// Table is how the rows of a table look, so that a row whose table is not known can be told from its
// values: every table of winnow is strict, and hardly two have the same columns.
type Table struct {
	Name    string
	Columns []Column
}

// Column is a column of a table.
type Column struct {
	Name string
	Kind string // INTEGER, TEXT, BLOB, REAL
	Must bool   // NOT NULL
	Key  bool   // the row's number, which is in the row as NULL
}

// Tables returns the tables that hold history, as the schema makes them. What can be made anew, such as the full-text
// index, is left out. The schema is read rather than run, which would take some milliseconds of every start.
func Tables() []Table {
	var out []Table
	text := comment.ReplaceAllString(sqlite.Schema, "")
	for _, found := range tableMade.FindAllStringSubmatchIndex(text, -1) {
		table := Table{Name: text[found[2]:found[3]]}
		if slices.Contains(Derived, table.Name) {
			continue
		}
		for _, definition := range definitions(text[found[1]:]) {
			table.add(definition)
		}
		out = append(out, table)
	}
	return out
}

// Derived are the tables that need not be saved. A file that was saved from damage is another machine for those that it
// was shared with: all of it is told again, and they know what they have already.
var Derived = []string{"found_text", "purged", "unfound", "windows", "home", "homes", "segments", "untold"}

var (
	comment   = regexp.MustCompile(`--[^\n]*`)
	tableMade = regexp.MustCompile(`CREATE TABLE (\w+) \(`)
)

// definitions are what is between the commas of a table's definition, up to its closing bracket.
func definitions(text string) []string {
	var out []string
	depth, start := 0, 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')' && depth == 0:
			return append(out, text[start:i])
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			out = append(out, text[start:i])
			start = i + 1
		}
	}
	return out
}

// add adds the column that a definition makes, if it makes one.
func (s *Table) add(definition string) {
	words := strings.Fields(definition)
	if len(words) < 2 || slices.Contains([]string{"UNIQUE", "CHECK", "PRIMARY", "FOREIGN"}, words[0]) {
		return
	}
	s.Columns = append(s.Columns, Column{
		Name: words[0],
		Kind: words[1],
		Must: strings.Contains(definition, "NOT NULL"),
		Key:  strings.Contains(definition, "PRIMARY KEY"),
	})
}

// Fits reports whether a row can be one of the table's.
func (s Table) Fits(values []any) bool {
	if len(values) != len(s.Columns) {
		return false
	}
	for i, c := range s.Columns {
		if !c.takes(values[i]) {
			return false
		}
	}
	return true
}

func (c Column) takes(value any) bool {
	if c.Key {
		return value == nil
	}
	switch value.(type) {
	case nil:
		return !c.Must
	case int64:
		return c.Kind == "INTEGER" || c.Kind == "REAL" // a whole REAL is kept as an integer
	case float64:
		return c.Kind == "REAL"
	case string:
		return c.Kind == "TEXT"
	}
	return c.Kind == "BLOB"
}
