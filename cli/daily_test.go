package cli

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"winnow/ui/uitest/terminal"
)

// dailyPictures keeps a picture of each step of TestDailyPath.
var dailyPictures = flag.String("pictures", "", "write a picture of each step of TestDailyPath into this folder")

// dailyServer has two models. The first answer of deep comes to its middle and no further; every other answer is
// whole, and names its model.
type dailyServer struct {
	mu    sync.Mutex
	asked []dailyRequest
}

// dailyRequest is what a test reads of a request for an answer.
type dailyRequest struct {
	Model    string
	Messages []struct{ Role, Content string }
}

// last is the text of the newest message of a request.
func (r dailyRequest) last() string { return r.Messages[len(r.Messages)-1].Content }

// dailyCode is the code block of every answer.
const dailyCode = "for range workers {\n\tgo work(jobs)\n}"

// dailyFile is the file that is attached.
const dailyFile = "package pool\n\nfunc start(jobs <-chan Job) {}\n"

func (s *dailyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		io.WriteString(w, `{"object":"list","data":[{"id":"swift","object":"model","context_length":8192},`+
			`{"id":"deep","object":"model","context_length":32768}]}`)
		return
	}
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	var request dailyRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, request)
	first := len(s.asked) == 1
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	say := func(text, end string) {
		piece, _ := json.Marshal(text) // a string always has a JSON form
		fmt.Fprintf(w, "data: {\"id\":\"a\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}%s}]}\n\n", piece, end)
	}
	say("A pool of workers reads from one channel, says "+request.Model+". ", "")
	if first {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return
	}
	say("Start them in a loop:\n\n```go\n"+dailyCode+"\n```\n\nEach job goes to **one** of them.",
		`,"finish_reason":"stop"`)
	io.WriteString(w, `data: {"id":"a","choices":[],"usage":{"prompt_tokens":118,"completion_tokens":42}}`+
		"\n\ndata: [DONE]\n\n")
}

// requests are those for an answer that came so far.
func (s *dailyServer) requests() []dailyRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]dailyRequest(nil), s.asked...)
}

// TestDailyPath does what people do every day, by the keys that the screen names: choose a model, attach a file,
// ask, queue a second question, stop, ask another model, copy its code, find a chat of last week, export it.
func TestDailyPath(t *testing.T) {
	t.Parallel()
	server := &dailyServer{}
	_, env := serve(t, home(t), server)
	project := t.TempDir()
	importConversation(t, project, append(env, "WINNOW_TEST_AGO=170h"),
		fmt.Sprintf(`{"role":"user","content":"What do I pack for three days on the boat?","timestamp":%[1]d}
{"role":"assistant","content":"Warm layers, and the sourdough starter in a jar with room to rise: `+
			`a ferry has no bakery. <b>Nothing</b> heavy.","timestamp":%[1]d}`,
			time.Now().Add(-170*time.Hour).Unix()))
	if err := os.Remove(filepath.Join(project, "chat.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, "pool.go"), []byte(dailyFile), 0o600); err != nil {
		t.Fatal(err)
	}
	chat := terminal.Start(t, terminal.Options{
		Path: winnowPath(t), Env: env, Dir: project, Width: 110, Height: 32, Background: pageColours["dark"].Background,
	})
	step := func(name string, texts ...string) string {
		t.Helper()
		screen := chat.Want(texts...)
		if *dailyPictures != "" {
			chat.Settled()
			file := filepath.Join(*dailyPictures, name+".svg")
			if err := os.WriteFile(file, []byte(terminal.SVG(chat.Cells(), pageColours["dark"], name)),
				0o644); err != nil {
				t.Fatal(err)
			}
		}
		return screen
	}

	step("01-start", "swift at 127.0.0.1", "attach a file", "@ for a file")
	chat.Send("\x0c") // ctrl+l
	step("02-models", "deep", "32,768 tokens", "enter use")
	chat.Send("deep")
	chat.Want("› deep")
	chat.Send(enterKey)
	step("03-chosen", "deep at 127.0.0.1", "enter send")

	chat.Send("@po")
	step("04-file", "@pool.go", "tab attach")
	chat.Send("\t")
	chat.Want("file pool.go: 3 lines")
	chat.Send("How do I start them?")
	step("05-attached", "file pool.go: 3 lines", "How do I start them?")
	chat.Send(enterKey)
	step("06-answering", "one channel, says deep", "enter queue a message", "esc stop")

	chat.Send("And how do they end?")
	chat.Want("And how do they end?")
	chat.Send(enterKey)
	step("07-queued", "queued  And how do they end?")
	chat.Send(escKey)
	step("08-stopped", "you stopped this", "waits   And how do they end?", "enter send the next")

	chat.Send("\t")
	step("09-messages", "R another model")
	chat.Send("R")
	step("10-again", "Ask again with another model", "swift")
	chat.Send("swift")
	chat.Want("› swift")
	chat.Send(enterKey)
	step("11-another", "one channel, says swift", "Each job goes to one of them.", "160 tokens")
	chat.Send(escKey)
	chat.Want("Message, or tab")
	chat.Send(enterKey)
	step("12-second", "one channel, says deep", "And how do they end?", " tokens · ")

	chat.Send("\t")
	chat.Want("Y copy code")
	chat.Send("Y")
	step("13-copied", "code block of 3 lines")
	chat.Send(escKey)
	chat.Want("ctrl+s chats")
	chat.Send("\x13") // ctrl+s
	step("14-sessions", "What do I pack", "1 turn", "shift+tab archive")
	chat.Send("sourdough")
	step("15-found", "› sourdough", "the sourdough starter in a jar", "enter open at the")
	chat.Send(enterKey)
	step("17-opened", "What do I pack for three days", "sourdough starter in a jar", "N previous")
	chat.Send(escKey)
	chat.Want("enter inspect")
	chat.Send(escKey)
	chat.Want("ctrl+p commands")
	chat.Send("\x10") // ctrl+p
	chat.Want("enter run")
	chat.Send("export")
	step("18-export", "› export", "/export [FORMAT] [FILE]", "tab complete")
	chat.Send("\t")
	chat.Want("› /export")
	chat.Send("html")
	step("19-html", "› /export html")
	chat.Send(enterKey)
	step("20-exported", "Exported to ")
	chat.Send(ctrlD)
	if code := chat.End(); code != 0 {
		t.Errorf("winnow ended with %d:\n%s", code, chat.Text())
	}

	wantDailyRequests(t, server.requests())
	wantDailyHistory(t, env)
	wantClipboard(t, string(chat.Written()), dailyCode)
	wantDailyPage(t, project)
}

func wantDailyRequests(t *testing.T, asked []dailyRequest) {
	t.Helper()
	want := []struct{ model, last string }{
		{"deep", "How do I start them?"},
		{"swift", "How do I start them?"},
		{"deep", "And how do they end?"},
	}
	if len(asked) != len(want) {
		t.Fatalf("%d requests came, want %d: %v", len(asked), len(want), asked)
	}
	for i, w := range want {
		if asked[i].Model != w.model || !strings.Contains(asked[i].last(), w.last) {
			t.Errorf("request %d asks %s %q, want %s %q", i+1, asked[i].Model, asked[i].last(), w.model, w.last)
		}
		if !strings.Contains(fmt.Sprint(asked[i].Messages), "func start(jobs <-chan Job) {}") {
			t.Errorf("request %d has no text of the attached file: %v", i+1, asked[i].Messages)
		}
	}
	if said := fmt.Sprint(asked[2].Messages); !strings.Contains(said, "says swift") ||
		strings.Contains(said, "says deep") {
		t.Errorf("the second question follows another answer than the one on the screen: %s", said)
	}
}

// wantDailyHistory wants both answers to the first question on disk, the stopped one as it was.
func wantDailyHistory(t *testing.T, env []string) {
	t.Helper()
	run := func(args ...string) string { return string(output(t, env, args...)) }
	list := run("sessions", "list")
	if n := strings.Count(strings.TrimSpace(list), "\n") + 1; n != 2 {
		t.Errorf("%d sessions are stored, want 2:\n%s", n, list)
	}
	id := regexp.MustCompile(`(?m)^(\S+).*How do I start them`).FindStringSubmatch(list)
	if id == nil {
		t.Fatalf("the session has no title of its question:\n%s", list)
	}
	stored := run("sessions", "export", id[1], "--format", "json")
	for _, text := range []string{
		"says deep. \"", "says swift. Start them", "And how do they end?",
		base64.StdEncoding.EncodeToString([]byte(dailyFile)),
	} {
		if !strings.Contains(stored, text) {
			t.Errorf("%q is not stored:\n%s", text, stored)
		}
	}
}

// wantClipboard wants a text in what winnow asked the terminal to put on its clipboard.
func wantClipboard(t *testing.T, raw, text string) {
	t.Helper()
	found := regexp.MustCompile(`\x1b\]52;c;([A-Za-z0-9+/=]*)`).FindAllStringSubmatch(raw, -1)
	if len(found) != 1 {
		t.Fatalf("the clipboard was written %d times, want once", len(found))
	}
	got, err := base64.StdEncoding.DecodeString(found[0][1])
	if err != nil || strings.TrimSpace(string(got)) != text {
		t.Errorf("the clipboard has %q (%v), want %q", got, err, text)
	}
}

// wantDailyPage wants the exported chat of last week, and nothing in it that a browser would run.
func wantDailyPage(t *testing.T, dir string) {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(pages) != 1 {
		t.Fatalf("there are the pages %q (%v), want one", pages, err)
	}
	page, err := os.ReadFile(pages[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"<!doctype html>", "What do I pack for three days on the boat?",
		"the sourdough starter in a jar",
	} {
		if !strings.Contains(string(page), text) {
			t.Errorf("the exported page has no %q:\n%s", text, page)
		}
	}
	for _, text := range []string{"<script", "<b>Nothing</b>", "How do I start them?"} {
		if strings.Contains(string(page), text) {
			t.Errorf("the exported page has %q:\n%s", text, page)
		}
	}
}

// importConversation stores a conversation that is given as lines of JSON. It belongs to the folder dir, where its
// file is written.
func importConversation(t *testing.T, dir string, env []string, lines string) {
	t.Helper()
	file := filepath.Join(dir, "chat.jsonl")
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, env, "sessions", "import", file)
}
