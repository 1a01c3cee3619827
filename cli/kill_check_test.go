package cli

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/store"
)

// check verifies what is left of a killed turn and returns the id of its session, "" if there is none yet.
func (k *killing) check(t *testing.T, c killCase, v *victim, dir string) string {
	t.Helper()
	s, err := store.Open(context.Background(), k.path, store.Options{})
	if err != nil {
		t.Fatalf("open the history after a kill: %v", err)
	}
	defer s.Close()
	info, found := sessionIn(t, s, dir)
	asked := len(c.turn.asked())
	if !found {
		if asked > 0 || v.ended {
			t.Errorf("the server was asked %d times, but nothing of the turn is stored", asked)
		}
		return ""
	}
	messages, err := s.Branch(context.Background(), info.Leaf, 0)
	if err != nil || len(messages) == 0 {
		t.Fatalf("read the session: %d messages, %v", len(messages), err)
	}
	if m := messages[0]; m.Role != history.User || m.Content != c.question() || m.Status != history.Complete {
		t.Errorf("the question is %s %s %q, want %q whole", m.Role, m.Status, m.Content, c.question())
	}
	wantRounds(t, messages[1:], asked)
	k.wantAnswer(t, c, v, messages)
	for _, m := range messages {
		if m.Status == history.Streaming || m.Damaged {
			t.Errorf("message %d of the dead program is %s, damaged %v", m.ID, m.Status, m.Damaged)
		}
	}
	return info.ID
}

// wantRounds verifies the tool calls and their results: whatever a request contained must be stored.
func wantRounds(t *testing.T, messages []store.Message, asked int) {
	t.Helper()
	results := 0
	for i, m := range messages {
		if m.Role == history.Tool {
			results++
			if call := messages[i-1]; len(call.ToolCalls) != 1 || call.ToolCalls[0].ID != m.ToolCallID {
				t.Errorf("result %d answers %q, but the message before has the calls %+v", results, m.ToolCallID,
					call.ToolCalls)
			}
		}
	}
	if results < asked-1 {
		t.Errorf("%d requests were sent, but only %d results are stored", asked, results)
	}
}

// wantAnswer verifies the stored answer: a prefix of what the server sent, at least as long as what was visible for
// long enough, and interrupted unless it is complete.
func (k *killing) wantAnswer(t *testing.T, c killCase, v *victim, messages []store.Message) {
	t.Helper()
	whole, seen := slowAnswer(c.turn.words), 0
	if v.ended {
		seen = c.turn.words
	} else {
		seen = v.seenInTime()
	}
	last := messages[len(messages)-1]
	if last.Role != history.Assistant || len(last.ToolCalls) > 0 {
		if seen > 0 {
			t.Errorf("%d words were seen for %v, but no answer is stored", seen, v.unsaved)
		}
		return
	}
	if !strings.HasPrefix(whole, last.Content) {
		t.Errorf("the answer is %q, which is no beginning of what was said", last.Content)
	}
	if len(last.Content) < len(slowAnswer(seen)) {
		t.Errorf("%d words were seen for %v, but %d are stored", seen, v.unsaved, wordsSeen(last.Content))
	}
	// An answer whose tool call was in transit looks the same, so it may be shorter, but never complete.
	if last.Status == history.Complete && last.Content != whole || last.Status != history.Complete &&
		last.Status != history.Interrupted {
		t.Errorf("an answer of %d words of %d is %s", wordsSeen(last.Content), c.turn.words, last.Status)
	}
}

// goOn runs another turn in the session.
func (k *killing) goOn(t *testing.T, c killCase, env []string, dir, id string) {
	t.Helper()
	next := &slowTurn{words: 3, reach: func(turnPoint) {}}
	env = append(env, "OPENAI_BASE_URL="+k.server.add(next))
	args := []string{"run", "-m", "openai/small"}
	if id != "" {
		args = append(args, "-s", id)
	}
	said := succeed(t, command{Args: append(args, "And now, please?"), Env: env, Dir: dir})
	if !strings.HasPrefix(string(said.Stdout), slowAnswer(3)) {
		t.Fatalf("a turn after the kill: %s%s", said.Stderr, said.Stdout)
	}
	if asked := next.asked(); id != "" && (len(asked) != 1 || !strings.Contains(asked[0], c.question())) {
		t.Errorf("the next request does not hold the question:\n%s", asked)
	}
	text := string(output(t, env, "sessions", "show", sessionID(t, k.path, dir, id)))
	if !strings.Contains(text, "And now, please?") || !strings.Contains(text, slowAnswer(3)) {
		t.Errorf("the turn after the kill is not there:\n%s", text)
	}
	if id != "" && !strings.Contains(text, c.question()) {
		t.Errorf("the question is gone:\n%s", text)
	}
}

// sessionID returns id, or else the id of the session that was started in dir.
func sessionID(t *testing.T, path, dir, id string) string {
	t.Helper()
	if id != "" {
		return id
	}
	s, err := store.Open(context.Background(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	info, found := sessionIn(t, s, dir)
	if !found {
		t.Fatalf("the session that was begun after the kill is not there")
	}
	return info.ID
}

// sessionIn returns the only session that was started in dir.
func sessionIn(t *testing.T, s *store.Store, dir string) (store.Session, bool) {
	t.Helper()
	all, err := s.Sessions(context.Background(), store.SessionFilter{})
	if err != nil {
		t.Fatalf("list the sessions: %v", err)
	}
	all = slices.DeleteFunc(all, func(s store.Session) bool { return s.Dir != dir })
	if len(all) == 0 {
		return store.Session{}, false
	}
	if len(all) > 1 {
		t.Errorf("%d sessions were begun, want one", len(all))
	}
	return all[0], true
}

// configure writes the configuration file of an environment.
func configure(t *testing.T, env []string, text string) {
	t.Helper()
	path := filepath.Join(valueOf(env, "XDG_CONFIG_HOME"), appFolder, "config.toml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// databasePath returns the path of an environment's history.
func databasePath(env []string) string {
	return filepath.Join(valueOf(env, "XDG_DATA_HOME"), appFolder, "winnow.db")
}

// wantSound runs SQLite's integrity and foreign key checks on the file.
func wantSound(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.ToSlash(path)+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	faults, err := db.Query("PRAGMA integrity_check")
	if err != nil {
		t.Fatal(err)
	}
	defer faults.Close()
	for faults.Next() {
		var verdict string
		if err := faults.Scan(&verdict); err != nil {
			t.Fatal(err)
		}
		// SQLite cannot verify the full-text index, which keeps no copy of the words, and reports that.
		if verdict != "ok" && verdict != "malformed inverted index for FTS4 table main.found" {
			t.Errorf("integrity_check says %q", verdict)
		}
	}
	if err := faults.Err(); err != nil {
		t.Errorf("integrity_check: %v", err)
	}
	rows, err := db.Query("PRAGMA foreign_key_check")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if rows.Next() {
		t.Error("foreign_key_check found a row that hangs on nothing")
	}
}
