package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// agent is a program for winnow watch to record: it works on a task in several requests of Anthropic Messages. In the
// fifth one the description of the tool Bash is another one, and in the seventh one an old result is shorter.
func agent() {
	tools := []map[string]any{}
	for _, name := range []string{"Read", "Edit", "Write", "Glob", "Grep", "Bash", "Task", "WebFetch"} {
		tools = append(tools, map[string]any{
			"name": name, "input_schema": map[string]any{"type": "object"},
			"description": name + strings.Repeat(" does one thing, says what it did, and never asks twice.", 60),
		})
	}
	cached := map[string]string{"type": "ephemeral"}
	messages := []map[string]any{
		{"role": "user", "content": "Why does the parser accept a block that is never closed?"},
	}
	for step, command := range []string{
		"ls grammar", "cat grammar/block.peg", "go test ./grammar", "git log -3 -- grammar", "cat block_test.go",
		"go test -run Block", "git diff", "go vet ./...",
	} {
		if step == 4 {
			tools[5]["description"] = tools[5]["description"].(string) + " The working directory is kept."
		}
		if step == 6 {
			old := messages[4]["content"].([]any)[0].(map[string]any)
			old["content"] = old["content"].(string)[:400] + "\n[the rest of the output was removed]"
		}
		if last, ok := messages[len(messages)-1]["content"].([]any); ok {
			last[0].(map[string]any)["cache_control"] = cached
		}
		body, _ := json.Marshal(map[string]any{
			"model": "claude-sonnet-4-5", "max_tokens": 8192, "tools": tools, "messages": messages,
			"system": []any{map[string]any{
				"type": "text", "text": strings.Repeat("You are a careful engineer. ", 150), "cache_control": cached,
			}},
		})
		post(body)
		if last, ok := messages[len(messages)-1]["content"].([]any); ok {
			delete(last[0].(map[string]any), "cache_control")
		}
		id := fmt.Sprintf("toolu_%02d", step)
		messages = append(messages,
			map[string]any{"role": "assistant", "content": []any{
				map[string]any{"type": "text", "text": "I look at the next thing."},
				map[string]any{
					"type": "tool_use", "id": id, "name": "Bash", "input": map[string]string{"command": command},
				},
			}},
			map[string]any{"role": "user", "content": []any{map[string]any{
				"type": "tool_result", "tool_use_id": id, "content": strings.Repeat(command+": a line of output\n", 70),
			}}})
	}
}

// post sends a request as Claude Code does.
func post(body []byte) {
	req, err := http.NewRequest("POST", os.Getenv("ANTHROPIC_BASE_URL")+"/v1/messages", bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("X-Wait", os.Getenv("AGENT_WAITS"))
	req.Header.Set("X-Api-Key", "sk-ant-api-not-a-real-key")
	req.Header.Set("X-Claude-Code-Session-Id", "0b6e8c1e-8d3c-4e53-9f0e-5a2f1b7c9d10")
	a, err := http.DefaultClient.Do(req)
	if err != nil || a.StatusCode != http.StatusOK {
		fmt.Fprintln(os.Stderr, "the request failed:", a, err)
		os.Exit(7)
	}
	if os.Getenv("AGENT_WAITS") != "" {
		fmt.Println("waiting")
	}
	io.Copy(io.Discard, a.Body)
}

// cachingServer answers Anthropic Messages. It counts a token for four bytes of the texts that it can cache: tools,
// system prompt and messages, in this order; what is the same as in the request before was in the cache. It never ends
// the answer to a request with the header X-Wait.
type cachingServer struct{ before string }

func (s *cachingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ Tools, System, Messages json.RawMessage }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	now := string(body.Tools) + string(body.System) + strings.TrimSuffix(string(body.Messages), "]")
	now = strings.ReplaceAll(now, `"cache_control":{"type":"ephemeral"},`, "")
	same := 0
	for same < min(len(now), len(s.before)) && now[same] == s.before[same] {
		same++
	}
	if same < len(body.Tools)+len(body.System) {
		same = 0 // it caches the tools and the system prompt together
	}
	s.before = now
	w.Header().Set("Content-Type", "application/json")
	if r.Header.Get("X-Wait") != "" {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return
	}
	fmt.Fprintf(w, `{"id": "msg_%d", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", `+
		`"content": [{"type": "text", "text": "I look at the next thing."}], "stop_reason": "tool_use", "usage": `+
		`{"input_tokens": 3, "cache_read_input_tokens": %d, "cache_creation_input_tokens": %d, "output_tokens": 40}}`,
		len(now), same/5, (len(now)-same)/5)
}
