package store

import (
	"regexp"
	"slices"
	"strings"

	"winnow/session/store/sqlite"
)

// shape is how the rows of a table look, so that a row whose table is not known can be told from its
// values: every table of winnow is strict, and hardly two have the same columns.
type shape struct {
	table   string
	columns []column
}

type column struct {
	name  string
	kind  string // INTEGER, TEXT, BLOB, REAL
	must  bool   // NOT NULL
	key   bool   // the row's number, which stands in the row as NULL
	since int    // the step that added it: older rows lack it
}

// shapes returns the tables that hold history, as the steps make them. What can be made anew,
// such as the full-text index, is left out. The steps are read rather than run, which would take some
// milliseconds of every start.
func shapes(all []sqlite.Step) []shape {
	var out []shape
	for _, step := range all {
		text := comment.ReplaceAllString(step.SQL, "")
		for _, found := range tableMade.FindAllStringSubmatchIndex(text, -1) {
			name := text[found[2]:found[3]]
			if slices.Contains(madeAnew, name) || slices.ContainsFunc(out, func(s shape) bool { return s.table == name }) {
				continue
			}
			s := shape{table: name}
			for _, definition := range definitions(text[found[1]:]) {
				s.add(definition, step.Number)
			}
			out = append(out, s)
		}
		for _, found := range columnAdded.FindAllStringSubmatch(text, -1) {
			at := slices.IndexFunc(out, func(s shape) bool { return s.table == found[1] })
			if at >= 0 {
				out[at].add(found[2], step.Number)
			}
		}
	}
	return out
}

// madeAnew are the tables that need not be saved.
var madeAnew = []string{"found_text", "purged", "unfound", "windows"}

var (
	comment     = regexp.MustCompile(`--[^\n]*`)
	tableMade   = regexp.MustCompile(`CREATE TABLE (\w+) \(`)
	columnAdded = regexp.MustCompile(`ALTER TABLE (\w+) ADD COLUMN ([^;]*);`)
)

// definitions are what stands between the commas of a table's definition, up to its closing bracket.
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
func (s *shape) add(definition string, step int) {
	words := strings.Fields(definition)
	if len(words) < 2 || slices.Contains([]string{"UNIQUE", "CHECK", "PRIMARY", "FOREIGN"}, words[0]) {
		return
	}
	s.columns = append(s.columns, column{
		name:  words[0],
		kind:  words[1],
		must:  strings.Contains(definition, "NOT NULL"),
		key:   strings.Contains(definition, "PRIMARY KEY"),
		since: step,
	})
}

// fits reports whether a row can be one of the table's.
func (s shape) fits(values []any) bool {
	if len(values) > len(s.columns) {
		return false
	}
	for i, c := range s.columns {
		if i == len(values) {
			return c.since > s.columns[0].since
		}
		if !c.takes(values[i]) {
			return false
		}
	}
	return true
}

func (c column) takes(value any) bool {
	if c.key {
		return value == nil
	}
	switch value.(type) {
	case nil:
		return !c.must
	case int64:
		return c.kind == "INTEGER" || c.kind == "REAL" // a whole REAL is kept as an integer
	case float64:
		return c.kind == "REAL"
	case string:
		return c.kind == "TEXT"
	}
	return c.kind == "BLOB"
}
