package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"winnow/ui/uitest/terminal"
)

// hostileServer answers with hostile texts only: models, tool calls, answers and errors.
func hostileServer(t *testing.T, env []string) []string {
	t.Helper()
	asked := 0
	_, env = serve(t, env, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			json.NewEncoder(w).Encode(map[string]any{"data": []any{
				map[string]any{"id": "small"}, map[string]any{"id": "m" + hostileText(), "owned_by": hostileText()},
			}})
			return
		}
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "please fail") {
			w.WriteHeader(http.StatusBadRequest)
			json.NewEncoder(w).Encode(map[string]any{
				"error": map[string]any{
					"message": "no: " + hostileText(), "type": hostileText(), "code": hostileText(),
				},
			})
			return
		}
		asked++
		w.Header().Set("Content-Type", "text/event-stream")
		if asked%2 == 1 {
			event(w, map[string]any{"tool_calls": []any{map[string]any{
				"index": 0, "id": "call_" + hostileText(), "type": "function",
				"function": map[string]any{"name": "tool" + hostileText(), "arguments": hostileText()},
			}}}, "tool_calls")
		} else {
			event(w, map[string]any{"reasoning_content": "why: " + hostileText()}, "")
			event(w, map[string]any{"content": "Here: " + hostileText() + "\n\n```\n" + hostileText() +
				"\n```\n| a | b |\n|---|---|\n| " +
				hostileText() + " | c |\n\n[" + hostileText() + "](https://example.com/" + hostileText() +
				")\n\nThe whole answer."}, hostileText())
		}
		io.WriteString(w, "data: [DONE]\n\n")
	}))
	return env
}

// hostileFile writes a conversation in which every text is hostile.
func hostileFile(t *testing.T, dir string) string {
	t.Helper()
	bad := hostileText()
	text, err := json.Marshal(map[string]any{
		"title": bad, "model": bad, "system": bad,
		"messages": []any{
			map[string]any{"role": "user", "content": bad, "name": bad},
			map[string]any{"role": "assistant", "content": bad, "model": bad, "tool_calls": []any{map[string]any{
				"id": bad, "type": "function", "function": map[string]any{"name": bad, "arguments": bad},
			}}},
			map[string]any{"role": "tool", "tool_call_id": "other" + bad, "name": bad, "content": bad},
			map[string]any{"role": bad, "content": bad, bad: bad},
			map[string]any{"role": "user", "content": "a question of mine", "timestamp": bad},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "chat\x1b]52;c;PAYLOAD\a\u202e\x9b6543m.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// darkBackground is a terminal's answer to queries of its colours. Without an answer the program waits.
const darkBackground = "\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?62c"

// Whatever a model, a tool, a server, a file or a path contains reaches the terminal only as text.
func TestNothingHostileReachesTheTerminal(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data\x1b[6543m\x1b]0;PAYLOAD\a\u202e")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	env := hostileServer(t, append(home(t), "WINNOW_DB="+filepath.Join(dir, "chats.db")))
	configure(t, env, "[tools]\napprove = \"always\"\n")
	file := hostileFile(t, dir)
	places := 0
	run := func(args ...string) (*terminal.Terminal, int) {
		t.Helper()
		term := startIn(t, env, 100, 30, args...)
		term.Send(darkBackground)
		exit := term.End()
		wantHarmless(t, fmt.Sprintf("winnow %q", args), term.Written())
		places++
		return term, exit
	}
	works := func(args ...string) *terminal.Terminal {
		t.Helper()
		term, exit := run(args...)
		if exit != 0 {
			t.Errorf("winnow %q ends with %d:\n%s", args, exit, term.Text())
		}
		return term
	}
	run("run", "-m", "openai/small", "hello")
	run("run", "-m", "openai/small", "please fail")
	run("run", "-m", "openai/small", "--json", "hello again")
	works("sessions", "import", file)
	run("sessions", "import", file+"-that-is-not-there")
	list := works("sessions", "list")
	works("sessions", "list", "PAYLOAD")
	ids := storedIDs(t, filepath.Join(dir, "chats.db"))
	if len(ids) < 3 {
		t.Fatalf("%d sessions are stored, want those of the runs and the imported one:\n%s", len(ids), list.Text())
	}
	works("sessions", "rename", ids[0], hostileArgument())
	for _, id := range ids {
		works("sessions", "show", id)
		works("context", id)
		works("context", id, "--prompt")
		works("context", id, "--json")
		works("context", id, "--wire")
		works("repair", id)
	}
	works("context", ids[0], "--diff", "1")
	for _, format := range []string{"md", "json", "jsonl", "prompt"} {
		works("sessions", "export", ids[0], "--format", format)
	}
	works("sessions", "list")
	works("sessions", "search", "PAYLOAD")
	works("sessions", "search", "answer", "--json")
	works("db", "check")
	works("db", "backup", filepath.Join(dir, "copy\x1b]0;PAYLOAD\a.db"))
	for _, args := range [][]string{
		{"db", "path"},
		{"doctor"},
		{"models"},
		{"config", "check"},
		{"sessions", "show", hostileArgument()},
		{"context", hostileArgument()},
		{hostileArgument()},
		{"--" + hostileArgument()},
		{"run", "-m", "openai/" + hostileArgument(), "hello"},
		{"run", "-m", hostileArgument(), "hello"},
	} {
		run(args...)
	}
	for _, id := range ids {
		chat := startIn(t, env, 110, 32, "-m", "openai/small", "-s", id)
		chat.Want("enter send")
		for _, over := range []struct{ key, title string }{
			{"\x0c", "enter use"},
			{"\x13", "winnow  Chats"},
			{"\x10", "enter run"},
		} {
			chat.Send(over.key)
			chat.Want(over.title)
			chat.Send(escKey)
			chat.WaitFor("the chat", func(screen string) bool {
				return strings.Contains(screen, "enter send") && !strings.Contains(screen, over.title)
			})
		}
		chat.Want("── sends ") // the request that i shows is planned
		chat.Send("\t")
		chat.Send("k")
		chat.Send("i")
		chat.Want("next view")
		chat.Send(escKey)
		chat.WaitFor("the chat", func(screen string) bool { return !strings.Contains(screen, "next view") })
		chat.Send("\x1b[Z") // back to the draft
		chat.Send("please fail")
		chat.Want("please fail")
		chat.Send(enterKey)
		chat.WaitFor("the error", func(screen string) bool { return strings.Contains(screen, "400 from") })
		chat.Send(ctrlD)
		chat.Send(ctrlC)
		chat.Send(ctrlC)
		chat.End()
		wantHarmless(t, "the chat of "+id, chat.Written())
		places++
	}
	t.Logf("%d hostile texts in %d places that print", len(hostile()), places)
}

// hostileArgument returns a hostile text that is valid on a command line.
func hostileArgument() string {
	return "x" + strings.ReplaceAll(hostileText(), "\x00", "")
}
