package session

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/store"
	"winnow/session/transfer"
	"winnow/session/transfer/archive"
)

// TestAWholeHistoryMoves brings conversations of three programs together with winnow's own, searches and
// opens them, moves all of it to another file, and wants the same digest there. WINNOW_WHOLE says how many
// messages there are, 2,000 where it says nothing.
func TestAWholeHistoryMoves(t *testing.T) {
	t.Parallel()
	messages := 2000
	if n, err := strconv.Atoi(os.Getenv("WINNOW_WHOLE")); err == nil {
		messages = n
	}
	ctx, dir := t.Context(), t.TempDir()
	b := newBench(t)
	home := b.deps.Store
	began := time.Now()
	stage := func(format string, args ...any) {
		t.Logf("%6.1f s, at most %s of memory: %s", time.Since(began).Seconds(), peak(), fmt.Sprintf(format, args...))
		began = time.Now()
	}

	sources := map[string]int{
		writeLines(t, dir, messages*4/10):   messages * 4 / 10,
		writeChatGPT(t, dir, messages*4/10): messages * 4 / 10,
		writeLLM(t, dir, messages*2/10):     messages * 2 / 10,
	}
	stage("%d messages are written for three programs", messages)
	for path, want := range sources {
		got := 0
		if err := importPath(t, home, path, func(i transfer.Imported) { got += i.Session.Messages }); err != nil ||
			got != want {
			t.Fatalf("import %s: %d messages of %d, %v", filepath.Base(path), got, want, err)
		}
		stage("%d messages of %s are imported", got, filepath.Base(path))
	}
	ofOurOwn(t, b)
	for left := int64(1); left > 0; {
		var err error
		if left, err = home.IndexSome(ctx); err != nil {
			t.Fatal(err)
		}
	}
	stage("the search has read all of it")
	for _, word := range []string{"needle-lines", "needle-chatgpt", "needle-llm"} {
		hits, err := home.Search(ctx, store.Search{Text: word, Limit: 5})
		if err != nil || len(hits) != 1 {
			t.Errorf("searching %q finds %+v, %v", word, hits, err)
		}
	}
	all, err := home.Sessions(ctx, store.Filter{All: true})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, row := range all {
		ids = append(ids, row.ID)
	}
	largest := store.Session{}
	for _, id := range ids {
		row, err := home.Session(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if row.Messages > largest.Messages {
			largest = row
		}
	}
	if open := b.open(largest.ID); len(open.Messages()) == 0 {
		t.Error("the longest session opens without a message")
	}
	stage("%d sessions; the search finds three needles, and the longest session, of %d messages, is open", len(ids),
		largest.Messages)

	want := dumped(t, home)
	stage("the digest is %.12s…", want)
	path := filepath.Join(dir, "everything.json")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(archive.Write(ctx, home, f), f.Close()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	stage("all of it is exported, %d kB", info.Size()>>10)
	there := newStoreAt(t)
	sessions, total := 0, 0
	err = importPath(t, there, path, func(i transfer.Imported) {
		sessions, total = sessions+1, total+i.Session.Messages
		if shown := remarksOf([]archive.Restored{i}); shown != "" || i.Again {
			t.Errorf("session %s is imported with %q", i.Session.ID, shown)
		}
	})
	if err != nil || sessions != len(ids) || total < messages {
		t.Fatalf("import the archive: %d sessions of %d, %d messages, %v", sessions, len(ids), total, err)
	}
	stage("%d sessions with %d messages are imported again", sessions, total)
	if got := dumped(t, there); got != want {
		t.Errorf("the digest there is %s, want %s", got, want)
	}
	again := 0
	if err := importPath(t, there, path, func(i transfer.Imported) {
		if i.Again {
			again++
		}
	}); err != nil || again != len(ids) {
		t.Errorf("importing it twice: %d sessions of %d were there already, %v", again, len(ids), err)
	}
	if got := dumped(t, there); got != want {
		t.Errorf("the digest after a second import is %s, want %s", got, want)
	}
	stage("nothing came in twice")
}

// peak is the most memory that this process ever had, as the system says it.
func peak() string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "?"
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line)
}

func importPath(t *testing.T, s *store.Store, path string, report func(transfer.Imported)) error {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return transfer.Import(t.Context(), s, transfer.Source{File: f, Path: path, Time: written}, report)
}

// ofOurOwn adds conversations that winnow had itself: with branches, a fork, flags, a summary, an image,
// records of requests and a session in the trash.
func ofOurOwn(t *testing.T, b *bench) {
	ctx := t.Context()
	s := b.begin()
	for i := range 4 {
		b.steps = append(b.steps, says(fmt.Sprintf("Answer %d.", i)))
		if _, err := drain(s.Send(ctx, say(fmt.Sprintf("Question %d?", i), history.Part{
			Kind: history.ImagePart, Name: "a.png", MediaType: "image/png", Data: []byte{byte(i % 2)},
		}))); err != nil {
			t.Fatal(err)
		}
	}
	b.steps = append(b.steps, says("Another."), breaks("half an ans"))
	drain(s.Send(ctx, Draft{Instead: s.Messages()[4].ID, Text: "Question 2, asked otherwise?"}))
	drain(s.Send(ctx, say("On.")))
	all := s.Messages()
	fork, err := s.Fork(ctx, all[3].ID)
	_, flagged := s.SetFlags(ctx, flagged(history.Pin, all[0].ID))
	err = errors.Join(err, flagged, b.deps.Store.SaveDraft(ctx, s.Info().ID, store.Draft{Text: "unsent"}),
		b.deps.Store.Update(ctx, s.Info().ID,
			func(row *store.Session) { row.Tags = []string{"own"} }), b.deps.Store.Delete(ctx, fork.ID))
	if err == nil {
		_, err = b.deps.Store.AddSummary(ctx, store.Summary{
			Session: s.Info().ID, Sources: history.IDs{{all[0].ID, all[1].ID}}, Messages: 2, Text: "Short.",
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// filler is a text of some length that no other is.
func filler(i int) string {
	return fmt.Sprintf("Message %d says what it says. ", i) + strings.Repeat("größer words, 漢字 and more; ", i%9)
}

// needled puts a word into one of the texts.
func needled(i int, needle string) string {
	if i == 79 {
		return filler(i) + needle
	}
	return filler(i)
}

// writeLines writes one long conversation as Chat Completions messages.
func writeLines(t *testing.T, dir string, messages int) string {
	path := filepath.Join(dir, "long.jsonl")
	writeTo(t, path, func(out *bufio.Writer) {
		for i := range messages {
			line := map[string]any{
				"role": "user", "content": needled(i, "needle-lines"), "timestamp": 1_760_000_000 + i,
			}
			switch i % 4 {
			case 1:
				line["role"], line["content"] = "assistant", ""
				line["tool_calls"] = []any{
					map[string]any{
						"id": fmt.Sprint("c", i), "type": "function", "function": map[string]any{
							"name": "look", "arguments": `{"at": "` + filler(i) + `"}`,
						},
					},
				}
			case 2:
				line["role"], line["tool_call_id"] = "tool", fmt.Sprint("c", i-1)
			case 3:
				line["role"] = "assistant"
			}
			putJSON(t, out, line)
			out.WriteByte('\n')
		}
	})
	return path
}

// writeChatGPT writes conversations of 20 messages as a data export, each with a branch.
func writeChatGPT(t *testing.T, dir string, messages int) string {
	const each = 20
	path := filepath.Join(dir, "conversations.json")
	writeTo(t, path, func(out *bufio.Writer) {
		out.WriteByte('[')
		for c := range messages / each {
			mapping := map[string]any{
				"root": map[string]any{"id": "root", "message": nil, "parent": nil, "children": []string{"m0"}},
			}
			for i := range each {
				parent := "root"
				if i > 0 {
					parent = fmt.Sprint("m", i-1)
				}
				if i == each-1 {
					parent = fmt.Sprint("m", i-2) // a sibling of the message before
				}
				role := "user"
				if i%2 == 1 {
					role = "assistant"
				}
				id := fmt.Sprint("m", i)
				mapping[id] = map[string]any{
					"id": id, "parent": parent, "children": []string{},
					"message": map[string]any{
						"id": fmt.Sprintf("%d-%d", c, i), "author": map[string]any{"role": role},
						"create_time": 1_700_000_000 + 100*c + i,
						"content": map[string]any{
							"content_type": "text", "parts": []string{needled(c*each+i, "needle-chatgpt")},
						}, "status": "finished_successfully",
					},
				}
			}
			for id, node := range mapping {
				if parent, ok := node.(map[string]any)["parent"].(string); ok && parent != "root" {
					of := mapping[parent].(map[string]any)
					of["children"] = append(of["children"].([]string), id)
				}
			}
			if c > 0 {
				out.WriteByte(',')
			}
			putJSON(t, out, map[string]any{
				"id": fmt.Sprint("conversation-", c), "title": fmt.Sprint("Talk ", c), "create_time": 1_700_000_000 +
					100*c, "mapping": mapping, "current_node": fmt.Sprint("m", each-1),
			})
		}
		out.WriteByte(']')
	})
	return path
}

// writeLLM writes conversations of 10 questions and answers as llm logs them.
func writeLLM(t *testing.T, dir string, messages int) string {
	path := filepath.Join(dir, "logs.db")
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`
		CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT);
		CREATE TABLE responses (
			id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, response TEXT,
			conversation_id TEXT, datetime_utc TEXT,
			options_json TEXT, reasoning TEXT, resolved_model TEXT
		);
		CREATE TABLE attachments (id TEXT PRIMARY KEY, type TEXT, path TEXT, url TEXT, content BLOB);
		CREATE TABLE prompt_attachments (response_id TEXT, attachment_id TEXT, [order] INTEGER);
		CREATE TABLE fragments (id INTEGER PRIMARY KEY, content TEXT);
		CREATE TABLE prompt_fragments (response_id TEXT, fragment_id INTEGER, [order] INTEGER);
		CREATE TABLE system_fragments (response_id TEXT, fragment_id INTEGER, [order] INTEGER);
		CREATE TABLE tool_calls (
			id INTEGER PRIMARY KEY, response_id TEXT, name TEXT, arguments TEXT, tool_call_id TEXT
		);
		CREATE TABLE tool_results (
			id INTEGER PRIMARY KEY, response_id TEXT, name TEXT, output TEXT, tool_call_id TEXT, exception TEXT
		);
		CREATE TABLE tool_results_attachments (tool_result_id INTEGER, attachment_id TEXT, [order] INTEGER)`)
	tx, begin := db.Begin()
	if err = errors.Join(err, begin); err != nil {
		t.Fatal(err)
	}
	for r := range messages / 2 {
		c := fmt.Sprintf("c%06d", r/10)
		if r%10 == 0 && err == nil {
			_, err = tx.Exec(`INSERT INTO conversations VALUES (?, ?, 'm')`, c, "Chat "+c)
		}
		if err == nil {
			at := written.Add(time.Duration(r) * time.Second).UTC().Format("2006-01-02T15:04:05")
			_, err = tx.Exec(`INSERT INTO responses VALUES (?, 'm', ?, NULL, ?, ?, ?, NULL, NULL, NULL)`,
				fmt.Sprintf("r%09d", r), needled(r, "needle-llm"), "Said: "+filler(r+3), c, at)
		}
	}
	if err = errors.Join(err, tx.Commit(), db.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func writeTo(t *testing.T, path string, write func(*bufio.Writer)) {
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(f)
	write(out)
	if err := errors.Join(out.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

func putJSON(t *testing.T, out *bufio.Writer, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(text)
}
