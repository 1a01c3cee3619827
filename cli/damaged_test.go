package cli

import (
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/strict"
	"winnow/session"
	"winnow/session/store"
)

// TestDamagedFileReachesEveryServerMended takes a file with every corruption of a tool history at
// once from its import to the servers that refuse each of them. What is stored stays as it came.
func TestDamagedFileReachesEveryServerMended(t *testing.T) {
	env := home(t)
	var imported struct {
		Session  string
		Messages int
		Errors   []any
	}
	winnowJSON(t, env, &imported, "sessions", "import", filepath.Join("testdata", "damaged.jsonl"), "--json")
	if imported.Messages != 32 || len(imported.Errors) > 0 {
		t.Fatalf("imported %+v, want 32 messages", imported)
	}
	file := databaseOf(t, env)
	whole := everyRow(t, file, 32)
	rot(t, file, "C15")
	before := everyRow(t, file, 32)
	if before == whole {
		t.Fatal("the sum over the rows does not see one that changed")
	}

	var shown struct {
		Entries []struct {
			Disposition string
			Repairs     []struct{ Kind, What string }
		}
	}
	winnowJSON(t, env, &shown, "context", imported.Session, "--json")
	kinds := map[string]bool{}
	for _, e := range shown.Entries {
		for _, r := range e.Repairs {
			kinds[r.Kind] = kinds[r.Kind] || r.What != ""
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
		t.Run(target.profile.String(), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "winnow.db")
			copyFile(t, file, path)
			target.wantAnswer(t, path, imported.Session)
			if everyRow(t, path, 32) != before {
				t.Error("the turn changed what was stored before it")
			}
		})
	}
}

// winnowJSON runs winnow and reads what it writes.
func winnowJSON(t *testing.T, env []string, into any, args ...string) {
	t.Helper()
	cmd := exec.Command(winnowPath(t), args...)
	cmd.Env = env
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		t.Fatalf("winnow %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// databaseOf is the file that winnow keeps in env.
func databaseOf(t *testing.T, env []string) string {
	t.Helper()
	for _, v := range env {
		if dir, ok := strings.CutPrefix(v, "XDG_DATA_HOME="); ok {
			return filepath.Join(dir, "winnow", "winnow.db")
		}
	}
	t.Fatal("the environment names no place for data")
	return ""
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
	done, err := db.Exec(`UPDATE messages SET content = CAST(x'ff00' || substr(content, 3) AS BLOB) WHERE label = ?`, label)
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
		`SELECT id, session, seq, parent, role, status, created_ms, calls, parts, request, owner, endpoint, model,
			finish_reason, label, name, tool_call_id, hash, extra, reasoning, content FROM messages WHERE id <= ? ORDER BY id`,
		`SELECT * FROM tool_calls WHERE message <= ? ORDER BY id`,
		`SELECT * FROM parts JOIN attachments ON attachments.id = parts.attachment WHERE message <= ? ORDER BY parts.id`,
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

// strictEndpoint is an endpoint as winnow sets it up, and the server that stands in its place.
type strictEndpoint struct {
	profile  strict.Profile
	endpoint llm.Endpoint
	statuses []int // of its answers
}

// strictEndpoints are those of every kind of server. That DeepSeek sees no images, that its model
// thinks, and that a host of Anthropic's wants tools offered is not known before it has refused a
// request.
func strictEndpoints() []*strictEndpoint {
	thinking, signing, offered := strict.DeepSeek, strict.Gemini, strict.Anthropic
	thinking.Thinking, signing.Signatures, offered.Offered = true, true, true
	list := []*strictEndpoint{
		{profile: strict.LlamaCpp, endpoint: llm.Endpoint{Name: "llamacpp"}, statuses: []int{200}},
		{profile: strict.Strictest, endpoint: llm.Endpoint{Name: "anywhere"}, statuses: []int{200}},
	}
	hosted := map[string]llm.Endpoint{}
	for _, e := range llm.FromEnv(func(name string) string { return strings.Repeat("k", strings.Count(name, "_API_KEY")) }) {
		hosted[e.Name] = e
	}
	for _, x := range []struct {
		name    string
		profile strict.Profile
		refused int
	}{
		{"openai", strict.OpenAI, 0},
		{"mistral", strict.Mistral, 0},
		{"deepseek", strict.DeepSeek, 1},
		{"deepseek", thinking, 2},
		{"anthropic", strict.Anthropic, 0},
		{"anthropic", offered, 1},
		{"gemini", strict.Gemini, 0},
		{"gemini", signing, 0},
	} {
		list = append(list, &strictEndpoint{x.profile, hosted[x.name], append(slices.Repeat([]int{400}, x.refused), 200)})
	}
	return list
}

// wantAnswer opens the session, looks at what would be sent, and sends it.
func (x *strictEndpoint) wantAnswer(t *testing.T, path, id string) {
	t.Helper()
	served := &watched{handler: strict.Handler(x.profile, "Bonjour.")}
	server := httptest.NewServer(served)
	defer server.Close()
	x.endpoint.BaseURL, x.endpoint.Window = server.URL+"/v1", 128_000
	kept, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	deps := session.Deps{Store: kept, Models: llm.NewCatalog(x.endpoint), Policy: policy, Count: llm.NewCounter().Count}
	s, err := session.Open(t.Context(), deps, id, x.endpoint.Name+"/m")
	if err == nil {
		err = s.LoadRest(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	plan, err := s.Preview("And what do you think?")
	if err != nil || len(plan.Entries) < 32 {
		t.Fatalf("a preview of %d entries: %v", len(plan.Entries), err)
	}
	for event := range s.Send(t.Context(), "And what do you think?") {
		if end, ok := event.(session.Finished); ok && end.Err != nil {
			t.Errorf("the turn failed: %v", end.Err)
		}
	}
	if got := served.seen(); !slices.Equal(got, x.statuses) {
		t.Errorf("the server answered with %v, want %v", got, x.statuses)
	}
	messages := s.Messages()
	if last := messages[len(messages)-1]; last.Content != "Bonjour." || last.Status != history.Complete {
		t.Errorf("the answer is %q, %s; want the server's", last.Content, last.Status)
	}
}

// watched notes the statuses of a server's answers to chat requests.
type watched struct {
	handler http.Handler

	mu       sync.Mutex
	statuses []int
}

func (s *watched) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	got := httptest.NewRecorder()
	s.handler.ServeHTTP(got, r)
	if r.Method == http.MethodPost {
		s.mu.Lock()
		s.statuses = append(s.statuses, got.Code)
		s.mu.Unlock()
	}
	maps.Copy(w.Header(), got.Header())
	w.WriteHeader(got.Code)
	_, _ = w.Write(got.Body.Bytes())
}

func (s *watched) seen() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.statuses)
}
