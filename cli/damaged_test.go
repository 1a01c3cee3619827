package cli

import (
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestDamagedFileReachesEveryServerRepaired takes a file with every corruption of a tool history at
// once from its import to the servers that refuse each of them. What is stored stays as it came.
func TestDamagedFileReachesEveryServerRepaired(t *testing.T) {
	t.Parallel()
	env := home(t)
	var imported struct {
		Conversations []struct {
			Session struct {
				ID       string
				Messages int
			}
			Errors []any
		}
	}
	winnowJSON(t, env, &imported, "sessions", "import", filepath.Join("testdata", "damaged.jsonl"), "--json")
	all := imported.Conversations
	if len(all) != 1 || all[0].Session.Messages != 32 || len(all[0].Errors) > 0 {
		t.Fatalf("imported %+v, want 32 messages", imported)
	}
	id := all[0].Session.ID
	file := databasePath(env)
	whole := everyRow(t, file, 32)
	rot(t, file, "C15")
	before := everyRow(t, file, 32)
	if before == whole {
		t.Fatal("the sum over the rows does not see one that changed")
	}

	var shown struct {
		Entries []struct {
			Disposition string
			Repairs     []struct{ Kind, Cause string }
		}
	}
	winnowJSON(t, env, &shown, "context", id, "--json")
	kinds := map[string]bool{}
	for _, e := range shown.Entries {
		for _, r := range e.Repairs {
			kinds[r.Kind] = kinds[r.Kind] || r.Cause != ""
		}
	}
	for n := range 15 {
		if kind := fmt.Sprintf("C%d", n+1); !kinds[kind] {
			t.Errorf("winnow context says nothing of %s; it names %v", kind, slices.Sorted(maps.Keys(kinds)))
		}
	}
	if everyRow(t, file, 32) != before {
		t.Error("winnow context changed what is stored")
	}
	for _, target := range strictEndpoints() {
		t.Run(target.endpoint.Name+" "+string(target.profile), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "winnow.db")
			copyFile(t, file, path)
			target.wantAnswer(t, path, id)
			if everyRow(t, path, 32) != before {
				t.Error("the turn changed what was stored before it")
			}
		})
	}
}

// winnowJSON runs winnow and reads what it writes.
func winnowJSON(t *testing.T, env []string, into any, args ...string) {
	t.Helper()
	out := output(t, env, args...)
	if err := json.Unmarshal(out, into); err != nil {
		t.Fatalf("winnow %q: %v\n%s", args, err, out)
	}
}

func openSQL(t *testing.T, file string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// rot damages the stored text of one message, as a disk does.
func rot(t *testing.T, file, label string) {
	t.Helper()
	db := openSQL(t, file)
	defer db.Close()
	done, err := db.Exec(`UPDATE messages SET content = CAST(x'ff00' || substr(content, 3) AS BLOB) WHERE label = ?`,
		label)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := done.RowsAffected(); n != 1 || err != nil {
		t.Fatalf("%d rows are damaged, want 1 (%v)", n, err)
	}
}

// everyRow is a sum over all that is stored of the messages with ids up to last, but for the tokens
// that winnow counts once and keeps beside them.
func everyRow(t *testing.T, file string, last int) [sha256.Size]byte {
	t.Helper()
	db := openSQL(t, file)
	defer db.Close()
	sum := sha256.New()
	for _, query := range []string{
		`SELECT id, session, seq, parent, role, status, created_ms, request, owner, endpoint, model,
			finish_reason, label, name, tool_call_id, hash, tool_calls, parts, extra, reasoning, content
			FROM messages WHERE seq <= ? ORDER BY id`,
		`SELECT a.* FROM messages m JOIN attachments a ON instr(m.parts, a.hash) WHERE m.seq <= ? ORDER BY m.id, a.id`,
	} {
		rows, err := db.Query(query, last)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for ; rows.Next(); n++ {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(any)
			}
			if err := rows.Scan(values...); err != nil {
				t.Fatal(err)
			}
			for i, v := range values {
				fmt.Fprintf(sum, "%s %q\n", columns[i], fmt.Sprint(*v.(*any)))
			}
		}
		if err := rows.Err(); err != nil || n == 0 {
			t.Fatalf("%d rows of %s (%v)", n, query, err)
		}
	}
	return [sha256.Size]byte(sum.Sum(nil))
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
