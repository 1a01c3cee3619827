package store

import (
	"context"
	"database/sql"
	options "flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"winnow/session/store/recovery"
	"winnow/session/store/sqlite"
)

var update = options.Bool("update", false, "write the golden files that the tests of this package compare with")

// neverReleased are the schemas that came and went between two releases: no file has them.
var neverReleased = []int{5, 6, 7}

func goldenName(version int) string { return fmt.Sprintf("schema%d.sql", version) }

// Before a step is added, the schema of before must be held by a file: go test -update writes it
// from the one before, and rows for what is new in it are added by hand.
func TestEverySchemaHasAGolden(t *testing.T) {
	for version := 1; version <= len(allSteps(t)); version++ {
		if slices.Contains(neverReleased, version) || there(filepath.Join("testdata", goldenName(version))) {
			continue
		}
		if !*update || version < len(allSteps(t)) {
			t.Errorf("there is no testdata/%s", goldenName(version))
			continue
		}
		path := goldenFile(t, newestGolden(t))
		db := sqlite.Pool(path, sqlite.Plain, 1)
		defer db.Close()
		for have := 0; have < version; {
			must(t, "step up", sqlite.InTx(context.Background(), db, func(tx *sql.Tx) (err error) {
				have, err = sqlite.StepUp(context.Background(), tx, allSteps(t)[:version])
				return err
			}))
		}
		must(t, "write", os.WriteFile(filepath.Join("testdata", goldenName(version)), []byte(sqlOf(t, db, version)), 0o644))
	}
}

func newestGolden(t *testing.T) string {
	t.Helper()
	for version := len(allSteps(t)); version > 0; version-- {
		if there(filepath.Join("testdata", goldenName(version))) {
			return goldenName(version)
		}
	}
	t.Fatal("there is no golden database")
	return ""
}

// eachGolden runs a test on the file of each schema that a release had, and of the newest.
func eachGolden(t *testing.T, f func(t *testing.T, version int, path string)) {
	t.Helper()
	for version := 1; version <= len(allSteps(t)); version++ {
		if !slices.Contains(neverReleased, version) {
			t.Run(goldenName(version), func(t *testing.T) { f(t, version, goldenFile(t, goldenName(version))) })
		}
	}
}

// A released step is never edited: the golden files have every table as it was.
func TestGoldensAreTheReleasedSchemas(t *testing.T) {
	eachGolden(t, func(t *testing.T, version int, path string) {
		fresh := newPath(t)
		s, err := open(context.Background(), fresh, Options{}, allSteps(t)[:version])
		must(t, "open", err)
		must(t, "close", s.Close())
		if got, want := schemaText(t, path), schemaText(t, fresh); got != want {
			t.Errorf("a released step was edited: the golden file has\n%s\nthe steps make\n%s", got, want)
		}
	})
}

func TestGoldensAreBroughtToTodayWithAllTheyHold(t *testing.T) {
	eachGolden(t, func(t *testing.T, version int, path string) {
		shapes := recovery.Tables(allSteps(t)[:version])
		before := map[string][]string{}
		old := sqlite.Pool(path, sqlite.Plain, 1)
		for _, s := range shapes {
			before[s.Name] = goldenRows(t, old, s)
		}
		must(t, "close", old.Close())
		s := openAt(t, path, Options{Now: noon().now})
		for _, shape := range shapes {
			if got := goldenRows(t, s.reads, shape); !reflect.DeepEqual(got, before[shape.Name]) {
				t.Errorf("%s holds\n%s\nand held\n%s", shape.Name, strings.Join(got, "\n"), strings.Join(before[shape.Name], "\n"))
			}
			if len(before[shape.Name]) == 0 {
				t.Errorf("the golden file has no row of %s: nothing shows that it is kept", shape.Name)
			}
		}
		if c, err := s.Check(context.Background()); err != nil || !c.Sound() || c.Schema != len(allSteps(t)) {
			t.Errorf("the check of the file of today says %+v, %v", c, err)
		}
		if s.salvaged != nil || s.ReadOnly() {
			t.Errorf("an older file was taken for a damaged one: %q", s.Notices())
		}
	})
}

// A damaged file of an older winnow is saved into one of today.
func TestGoldensAreSalvaged(t *testing.T) {
	eachGolden(t, func(t *testing.T, version int, path string) {
		shapes := recovery.Tables(allSteps(t)[:version])
		before := map[string][]string{}
		old := sqlite.Pool(path, sqlite.Plain, 1)
		for _, s := range shapes {
			before[s.Name] = goldenRows(t, old, s)
		}
		must(t, "close", old.Close())
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		must(t, "open", err)
		_, err = f.WriteAt(make([]byte, 100), 0)
		must(t, "damage", err)
		must(t, "close", f.Close())
		s := openAt(t, path, Options{Now: noon().now})
		if s.salvaged == nil {
			t.Fatalf("nothing was salvaged: %q", s.Notices())
		}
		for _, shape := range shapes {
			if got := goldenRows(t, s.reads, shape); !reflect.DeepEqual(got, before[shape.Name]) {
				t.Errorf("%s holds\n%s\nand held\n%s", shape.Name, strings.Join(got, "\n"), strings.Join(before[shape.Name], "\n"))
			}
		}
	})
}

// rowsOf prints the rows of a table as it was in its time. That an answer that was arriving is
// interrupted now is no difference.
func goldenRows(t *testing.T, db *sql.DB, s recovery.Table) []string {
	t.Helper()
	var columns []string
	for _, c := range s.Columns {
		column := "quote(" + c.Name + ")"
		if c.Name == "status" {
			column = "quote(replace(status, 'streaming', 'interrupted'))"
		}
		columns = append(columns, column)
	}
	out, err := sqlite.Collect(context.Background(), db, sqlite.Only[string], fmt.Sprintf("SELECT %s FROM %s ORDER BY 1", strings.Join(columns, " || ', ' || "), s.Name))
	must(t, "read "+s.Name, err)
	return out
}

// sqlOf writes a database as SQL that a person can read.
func sqlOf(t *testing.T, db *sql.DB, version int) string {
	t.Helper()
	ask := func(query string) []string {
		out, err := sqlite.Collect(context.Background(), db, sqlite.Only[string], query)
		must(t, "dump", err)
		return out
	}
	var b strings.Builder
	fmt.Fprintf(&b, "-- A chat history as schema %d kept it. It is never written again: a later winnow must read what this\n-- one wrote.\nBEGIN TRANSACTION;\n", version)
	for _, name := range ask("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite_%' ORDER BY name") {
		for _, text := range ask(fmt.Sprintf("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = '%s'", name)) {
			b.WriteString(text + ";\n")
		}
	}
	for _, name := range ask("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') AND name NOT IN ('sqlite_schema', 'sqlite_sequence') ORDER BY name") {
		var columns []string
		for _, c := range ask(fmt.Sprintf("SELECT name FROM pragma_table_info('%s')", name)) {
			columns = append(columns, fmt.Sprintf("CASE WHEN typeof(%[1]s) = 'blob' AND length(%[1]s) > 0 AND CAST(%[1]s AS TEXT) NOT GLOB '*[^ -~]*' AND instr(%[1]s, x'00') = 0 THEN 'CAST(' || quote(CAST(%[1]s AS TEXT)) || ' AS BLOB)' ELSE quote(%[1]s) END", c))
		}
		for _, row := range ask(fmt.Sprintf("SELECT %s FROM %s", strings.Join(columns, " || ', ' || "), name)) {
			fmt.Fprintf(&b, "INSERT INTO %s VALUES (%s);\n", name, row)
		}
	}
	for _, text := range ask("SELECT sql FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL ORDER BY name") {
		b.WriteString(text + ";\n")
	}
	b.WriteString("DELETE FROM sqlite_sequence;\n")
	for _, row := range ask("SELECT quote(name) || ', ' || seq FROM sqlite_sequence ORDER BY name") {
		fmt.Fprintf(&b, "INSERT INTO sqlite_sequence VALUES (%s);\n", row)
	}
	fmt.Fprintf(&b, "COMMIT;\nPRAGMA application_id = %d;\nPRAGMA user_version = %d;\n", sqlite.ApplicationID, version)
	return b.String()
}

// Settings that equal the defaults of their time become those of the configuration.
func TestDefaultSettingsOfOlderSessionsCountAsNotSet(t *testing.T) {
	path := goldenFile(t, "schema10.sql")
	db := sqlite.Pool(path, sqlite.Plain, 1)
	var ids []string
	rows := []struct{ preset, overrides, wantPreset, wantOverrides string }{
		{"balanced", "", "", ""},
		{"recall", "", "recall", ""},
		{"balanced", "budget = 0\n", "", ""},
		{"balanced", "budget = 4000\nplacement = 'steady'\nsummary_always = false\n", "", "budget = 4000\n"},
		{"full", "history_budget = 0\nbudget = 0\nplacement = 'in-order'\n", "full", "history_budget = 0\nplacement = 'in-order'\n"},
	}
	for i, row := range rows {
		id := fmt.Sprintf("00000000-0000-7000-8000-%012d", i)
		ids = append(ids, id)
		must(t, "add a session", sqlite.InTx(context.Background(), db, func(tx *sql.Tx) error {
			_, err := tx.Exec(`
				INSERT INTO sessions (id, title, title_from, created_ms, updated_ms, used, endpoint, model, preset, overrides, system, parent, forked_at, pinned, archived, dir, source, origin)
				VALUES (?, '', '', 1, 1, 0, '', '', ?, ?, '', '', 0, 0, 0, '', '', '')`, id, row.preset, row.overrides)
			return err
		}))
	}
	must(t, "close", db.Close())
	s, err := Open(context.Background(), path, Options{})
	must(t, "open", err)
	defer s.Close()
	for i, row := range rows {
		got, err := s.Session(context.Background(), ids[i])
		must(t, "read", err)
		if got.Preset != row.wantPreset || got.Overrides != row.wantOverrides || got.SystemFixed {
			t.Errorf("%q with %q became %q with %q, want %q with %q", row.preset, row.overrides, got.Preset, got.Overrides, row.wantPreset, row.wantOverrides)
		}
	}
}
