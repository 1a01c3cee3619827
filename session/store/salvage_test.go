package store

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// testdata/rows.sql has rows for every table with history.
func TestSalvageSavesRowsOfEveryTable(t *testing.T) {
	path := newPath(t)
	s, err := Open(context.Background(), path, Options{})
	must(t, "open", err)
	rows, err := os.ReadFile(filepath.Join("testdata", "rows.sql"))
	must(t, "read", err)
	_, err = s.durable.Exec(string(rows))
	must(t, "fill", err)
	before := map[string][]string{}
	tables := historyTables(t, s)
	for _, table := range tables {
		before[table] = rowsAsText(t, s, table)
		if len(before[table]) == 0 && !slices.Contains(notRecovered, table) {
			t.Errorf("rows.sql has no row of %s", table)
		}
	}
	must(t, "close", s.Close())
	spoil(t, path, "messages_parent")
	s = openAt(t, path, Options{})
	if s.salvaged == nil {
		t.Fatalf("nothing was salvaged: %q", s.Notices())
	}
	for _, table := range tables {
		if slices.Contains(notRecovered, table) {
			continue
		}
		if got := rowsAsText(t, s, table); !slices.Equal(got, before[table]) {
			t.Errorf("%s holds\n%s\nand held\n%s", table, strings.Join(got, "\n"), strings.Join(before[table], "\n"))
		}
	}
}

// notRecovered lists the tables that are created empty in a recovered file.
var notRecovered = []string{"found_text", "purged", "unfound", "windows", "home", "homes", "segments", "untold"}

func historyTables(t *testing.T, s *Store) []string {
	t.Helper()
	return listOf[string](t, s, `
		SELECT name
		FROM pragma_table_list
		WHERE schema = 'main'
			AND type = 'table'
			AND strict`)
}

func rowsAsText(t *testing.T, s *Store, table string) []string {
	t.Helper()
	var query string
	must(t, "read the columns", s.reads.QueryRow(`
		SELECT 'SELECT ' || group_concat('quote(' || name || ')', ' || '', '' || ') || ' FROM ' || ?1 || ' ORDER BY 1'
		FROM pragma_table_info(?1)`, table).Scan(&query))
	return listOf[string](t, s, query)
}
