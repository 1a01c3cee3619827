package cli

import (
	"bytes"
	"database/sql"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"winnow/history"
)

// TestTurnThatCannotBeProvenSaysSo changes the file behind winnow's back. What is rebuilt is shown
// all the same, with a line on standard error and exit code 0.
func TestTurnThatCannotBeProvenSaysSo(t *testing.T) {
	t.Parallel()
	script := newScriptedServer("200\n" +
		`data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"One."},"finish_reason":"stop"}]}` + "\ndata: [DONE]")
	_, env := serve(t, home(t), script)
	winnow := func(args ...string) (stdout, stderr string) {
		t.Helper()
		var out, errs bytes.Buffer
		cmd := exec.Command(winnowPath(t), args...)
		cmd.Env, cmd.Stdout, cmd.Stderr = env, &out, &errs
		if err := cmd.Run(); err != nil {
			t.Fatalf("winnow %q: %v\n%s", args, err, errs.String())
		}
		return out.String(), errs.String()
	}
	winnow("run", "-m", "openai/small", "First?")
	list, _ := winnow("sessions", "list", "--json")
	id := idPattern.FindString(list)
	winnow("run", "-s", id, "Second?")
	path, _ := winnow("db", "path")
	db, err := sql.Open("sqlite3", filepath.Clean(strings.TrimSpace(path)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, test := range []struct {
		name, change, doubt string
		same                bool // the bytes are those that were sent
	}{
		{"sound", `SELECT 1`, "", true},
		{"another hash", `UPDATE requests SET body_hash = '00'`, "its hash differs from the recorded one", true},
		{"other rules", `UPDATE requests SET rules = 999`, "it was made by version 999 of the rules", true},
		{
			"a damaged message",
			fmt.Sprintf(`UPDATE requests SET rules = %d; UPDATE messages SET content = CAST('Uno.' AS BLOB) WHERE role = 'assistant'`, history.Rules),
			"a stored message is damaged", false,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := db.Exec(test.change); err != nil {
				t.Fatal(err)
			}
			got, said := winnow("context", id, "--turn", "2", "--wire")
			if (got == string(script.asked)) != test.same {
				t.Errorf("it is %s, and %s was sent", got, script.asked)
			}
			proven := test.name == "sound"
			if !strings.Contains(said, test.doubt) || (said == "") != proven {
				t.Errorf("on standard error: %q, want %q", said, test.doubt)
			}
			if text, _ := winnow("context", id, "--turn", "2", "--json"); strings.Contains(text, `"proven": true`) != proven {
				t.Errorf("the JSON says otherwise: %s", text)
			}
			// The verdicts are those of the record, whatever became of the bytes.
			if table, _ := winnow("context", id, "--turn", "2"); !strings.Contains(table, "3 of 3 messages sent: kept 3") {
				t.Errorf("the table is\n%s", table)
			}
		})
	}
}
