package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/store/recovery"
	"winnow/session/store/sqlite"
)

// An id that a lost row had is not given again, however little is left that names it: an answer never shows the record
// of another request.
func TestSalvageGivesNoIDAgain(t *testing.T) {
	ctx := context.Background()
	path := newPath(t)
	s := openAt(t, path, Options{Now: noon().now})
	session, asked := begin(t, s, "t", "question")
	var summary Summary
	var request Request
	for range 3 {
		var err, recordErr error
		sources := history.IDs{{asked.ID, asked.ID}}
		summary, err = s.AddSummary(ctx, Summary{Session: session.ID, Sources: sources, Text: "short"})
		request, recordErr = s.AddRequest(ctx, Request{Session: session.ID, Turn: 1, User: asked.ID})
		must(t, "add a summary and a request", errors.Join(err, recordErr))
	}
	answer := says(session.ID, asked.ID, history.Assistant, "answer")
	answer.Request = request.ID
	answer = add(t, s, answer)
	page := map[string]int{"home": 0, "messages": 0, "requests": 0, "summaries": 0}
	for table := range page {
		page[table] = countOf(t, s, "SELECT rootpage FROM sqlite_schema WHERE name = '"+table+"'")
	}
	must(t, "close", s.Close())
	sound, err := os.ReadFile(path)
	must(t, "read the file", err)

	for _, lost := range []struct {
		table, says string
	}{
		{"requests", "1 session and 2 messages were recovered; nothing was lost."},
		// The other two are named by nothing.
		{"summaries", "1 session and 2 messages were recovered; nothing was lost."},
		{"messages", "Nothing in it could be read"},
	} {
		t.Run(lost.table, func(t *testing.T) {
			damaged := append([]byte{}, sound...)
			for _, table := range []string{"home", lost.table} {
				clear(damaged[(page[table]-1)*4096 : page[table]*4096])
			}
			path := filepath.Join(t.TempDir(), "winnow.db")
			must(t, "write the file", os.WriteFile(path, damaged, 0o600))
			s := openAt(t, path, Options{Now: noon().now})
			if notices := strings.Join(s.Notices(), " "); !strings.Contains(notices, lost.says) {
				t.Errorf("the start says %q, want %q", notices, lost.says)
			}
			if lost.table == "requests" {
				if old := read(t, s, answer.ID); old.Request != 0 {
					t.Errorf("the answer still names the lost request %d", old.Request)
				}
			}
			again, said := begin(t, s, "u", "another question")
			r, err := s.AddRequest(ctx, Request{Session: again.ID, Turn: 1, User: said.ID})
			must(t, "add a request", err)
			sources := history.IDs{{said.ID, said.ID}}
			sum, err := s.AddSummary(ctx, Summary{Session: again.ID, Sources: sources, Messages: 1, Text: "other"})
			must(t, "add a summary", err)
			if said.ID <= answer.ID || r.ID <= request.ID || sum.ID <= summary.ID {
				t.Errorf("message %d, request %d and summary %d have ids of before; the newest were %d, %d and %d",
					said.ID, r.ID, sum.ID, answer.ID, request.ID, summary.ID)
			}
		})
	}
}

// The rows of testdata/rows.sql are of every table that holds history.
func TestSalvageSavesRowsOfEveryTable(t *testing.T) {
	path := newPath(t)
	s, err := Open(context.Background(), path, Options{})
	must(t, "open", err)
	rows, err := os.ReadFile(filepath.Join("testdata", "rows.sql"))
	must(t, "read", err)
	_, err = s.full.Exec(string(rows))
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
	damageIndex(t, path)
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

// notRecovered are the tables that a recovered file makes anew.
var notRecovered = []string{"found_text", "purged", "unfound", "windows", "home", "homes", "segments", "untold"}

func historyTables(t *testing.T, s *Store) []string {
	t.Helper()
	names, err := sqlite.Collect[string](context.Background(), s.reads, `
		SELECT name
		FROM pragma_table_list
		WHERE schema = 'main'
			AND type = 'table'
			AND strict`)
	must(t, "list the tables", err)
	return names
}

func rowsAsText(t *testing.T, s *Store, table string) []string {
	t.Helper()
	var query string
	must(t, "read the columns", s.reads.QueryRow(`
		SELECT 'SELECT ' || group_concat('quote(' || name || ')', ' || '', '' || ') || ' FROM ' || ?1 || ' ORDER BY 1'
		FROM pragma_table_info(?1)`, table).Scan(&query))
	out, err := sqlite.Collect[string](context.Background(), s.reads, query)
	must(t, "read "+table, err)
	return out
}

// salvagedBy is what became of a damaged file that a store met.
func salvagedBy(s *Store) (saved recovery.Salvage, met bool) {
	if s.salvaged == nil {
		return saved, false
	}
	return *s.salvaged, true
}
