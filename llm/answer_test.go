package llm

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write what comes out into the fixtures")

// TestAnswers reads what servers sent: the events of each line are written down, and how the answer ended.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for folder, wire := range map[string]Wire{"responses": ResponsesWire, "ollama": OllamaWire} {
		files, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
		if err != nil || len(files) < 4 {
			t.Fatalf("fixtures of %s: %q, %v", folder, files, err)
		}
		for _, file := range files {
			a, err := txtar.ParseFile(file)
			if err != nil || len(a.Files) != 2 {
				t.Fatalf("%s has %d parts, %v; want 2", file, len(a.Files), err)
			}
			a.Files[0].Name, a.Files[1].Name = "sent", "events"
			got := eventsOf(wire, string(a.Files[0].Data))
			switch {
			case got == string(a.Files[1].Data):
			case *update:
				a.Files[1].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("%s: got\n%s\nwant\n%s", file, got, a.Files[1].Data)
			}
		}
	}
}

// eventsOf is an answer written down, up to the line that completes it. Every line that is an error is read.
func eventsOf(wire Wire, lines string) string {
	c := NewClient(Endpoint{Name: "here", BaseURL: "http://127.0.0.1/v1"})
	at := &attempt{client: c, reader: wireOf(wire).reader(), resp: &http.Response{}}
	answer := answer{keepID: true}
	var b strings.Builder
	for line := range strings.Lines(lines) {
		if err := at.read([]byte(strings.TrimSpace(line)), &answer); err != nil {
			fmt.Fprintf(&b, "error: %v\n", err.(*Error).Message)
		}
		for _, event := range answer.take() {
			fmt.Fprintf(&b, "%T %+v\n", event, event)
		}
		if answer.done {
			break
		}
	}
	events, finished := answer.end(false)
	for _, event := range events {
		fmt.Fprintf(&b, "%T %+v\n", event, event)
	}
	fmt.Fprintf(&b, "%s %q %s\n", finished.End, finished.Reason, finished.Extra)
	made := regexp.MustCompile(`call_[a-z0-9]{8}\b`).ReplaceAllStringFunc(b.String(), func(id string) string {
		if strings.Contains(lines, id) {
			return id
		}
		return "MADE"
	})
	return strings.ReplaceAll(made, "llm.", "")
}

// TestCallsWithoutAnIDGetOneEach asks the reader of Ollama's lines, whose older servers give none.
func TestCallsWithoutAnIDGetOneEach(t *testing.T) {
	t.Parallel()
	var reply Reply
	var answer answer
	for range 3 {
		var line fields
		call := `{"function":{"name":"read","arguments":{}}}`
		if err := json.Unmarshal([]byte(`{"message":{"tool_calls":[`+call+`,`+call+`]}}`), &line); err != nil {
			t.Fatal(err)
		}
		ollamaWire{}.read(&answer, line)
	}
	ids := map[string]bool{}
	for _, event := range answer.take() {
		reply.Add(event)
	}
	for _, call := range reply.Calls {
		ids[call.ID] = true
	}
	if len(reply.Calls) != 6 || len(ids) != 6 || ids[""] {
		t.Errorf("got %d calls with the ids %v, want 6 different ones", len(reply.Calls), ids)
	}
}

// Whatever a server sends in whatever order, every piece of text arrives once.
func TestEveryOrderOfEventsIsRead(t *testing.T) {
	t.Parallel()
	kinds := []string{
		"created", "output_item.added", "output_item.done", "output_text.delta", "refusal.delta", "reasoning_text.delta",
		"reasoning_summary_part.added", "function_call_arguments.delta", "function_call_arguments.done", "other",
	}
	rapid.Check(t, func(t *rapid.T) {
		said := ""
		lines := make([]string, 0, 13)
		for n := range rapid.IntRange(1, 12).Draw(t, "events") {
			e := map[string]any{"type": "response." + rapid.SampledFrom(kinds).Draw(t, "type")}
			draw := func(key string, values ...any) { e[key] = rapid.SampledFrom(values).Draw(t, key) }
			draw("output_index", nil, 0, 1, "1", -1, 1e30, []any{})
			draw("item_id", nil, "a", "b", 3)
			draw("item", nil, "x", map[string]any{"type": "function_call", "id": "a", "call_id": "c", "name": "f", "arguments": "{}"},
				map[string]any{"type": "reasoning", "id": "a", "summary": nil, "encrypted_content": "e"},
				map[string]any{"type": "message", "id": "b", "content": 5}, map[string]any{"type": 7})
			draw("arguments", nil, "{}", 5)
			e["delta"] = string(rune('a' + n))
			if e["type"] == "response.output_text.delta" || e["type"] == "response.refusal.delta" {
				said += string(rune('a' + n))
			}
			data, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(data))
		}
		lines = append(lines, `{"type":"response.completed","response":{"status":"completed"}}`)
		reply, err := replyTo(ResponsesWire, chunks(lines...))
		if got := strings.ReplaceAll(reply.Text, "\n\n", ""); err != nil || got != said || reply.Finished.End != Done {
			t.Fatalf("the text is %q (%v, %s), want %q", got, err, reply.Finished.End, said)
		}
	})
}

func replyTo(wire Wire, s step) (*Reply, error) {
	_, reply, err := heard(script(s).client(tries(1), func(e *Endpoint) { e.Wire = wire }), hello())
	return reply, err
}

// FuzzAnswers reads anything in every format.
func FuzzAnswers(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.txtar")
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(a.Files[0].Data))
	}
	f.Add(delta2("Hal") + "error: {}\n\n[1]\n")
	f.Fuzz(func(_ *testing.T, lines string) {
		for _, wire := range []Wire{ChatWire, ResponsesWire, OllamaWire} {
			_, _ = replyTo(wire, step{say: []string{lines}}) // It ends, that is all.
		}
	})
}
