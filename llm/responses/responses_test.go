package responses

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	openai "github.com/sashabaranov/go-openai"
	"pgregory.net/rapid"

	"winnow/history/message"
)

var update = flag.Bool("update", false, "write what comes out into the fixtures; read the difference before you keep it")

// fixtures runs each file of a folder: what make gives for its first part must be its second.
func fixtures(t *testing.T, folder string, made func(t *testing.T, in []byte) string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures in %s: %v", folder, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil || len(a.Files) != 2 {
				t.Fatalf("%s has %d parts, %v; want 2", file, len(a.Files), err)
			}
			got := made(t, a.Files[0].Data)
			switch {
			case got == string(a.Files[1].Data):
			case *update:
				a.Files[1].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("got\n%s\nwant\n%s", got, a.Files[1].Data)
			}
		})
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	fixtures(t, "stream", func(t *testing.T, in []byte) string {
		var s Stream
		var out strings.Builder
		for line := range bytes.Lines(in) {
			if !json.Valid(line) {
				t.Fatalf("an event is no JSON: %s", line)
			}
			chunks, done := s.Chunks(line)
			for _, chunk := range chunks {
				out.Write(bytes.TrimSpace(chunk))
				out.WriteByte('\n')
			}
			if done {
				out.WriteString("done\n")
				break
			}
		}
		return out.String()
	})
}

func TestRequest(t *testing.T) {
	t.Parallel()
	fixtures(t, "request", func(t *testing.T, in []byte) string {
		var history []message.Message
		if err := json.Unmarshal(in, &history); err != nil {
			t.Fatal(err)
		}
		r := Request{Model: "m", Stream: true, Include: []openai.ResponseInclude{openai.ResponseIncludeReasoningEncryptedContent}}
		r.Say(history)
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(r); err != nil {
			t.Fatal(err)
		}
		var lines bytes.Buffer
		if err := json.Indent(&lines, out.Bytes(), "", " "); err != nil {
			t.Fatal(err)
		}
		return lines.String()
	})
}

// Whatever a server sends in whatever order: the chunks are valid JSON, and every piece of text arrives once.
func TestEveryOrderOfEventsIsTranslated(t *testing.T) {
	t.Parallel()
	kinds := []string{
		"response.created", "response.output_item.added", "response.output_item.done", "response.output_text.delta", "response.refusal.delta",
		"response.reasoning_text.delta", "response.reasoning_summary_part.added", "response.function_call_arguments.delta",
		"response.function_call_arguments.done", "response.other", "other", "",
	}
	rapid.Check(t, func(t *rapid.T) {
		var s Stream
		said, heard := "", ""
		for n := range rapid.IntRange(1, 12).Draw(t, "events") {
			e := map[string]any{"type": rapid.SampledFrom(kinds).Draw(t, "type")}
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
			text, _ := checkChunks(t, &s, data)
			heard += text
		}
		if _, done := checkChunks(t, &s, []byte(`{"type":"response.completed","response":{"status":"completed"}}`)); !done {
			t.Fatalf("the end is not the end")
		}
		if got := strings.ReplaceAll(heard, "\n\n", ""); got != said {
			t.Fatalf("the text is %q, want %q", got, said)
		}
	})
}

type fataler interface{ Fatalf(string, ...any) }

// checkChunks wants what comes of an event to be valid JSON, and gives the text in it.
func checkChunks(t fataler, s *Stream, data []byte) (text string, done bool) {
	chunks, done := s.Chunks(data)
	for _, raw := range chunks {
		if !json.Valid(raw) {
			t.Fatalf("%s becomes %s", data, raw)
		}
		var c chunk
		_ = json.Unmarshal(raw, &c) // One that is handed on as it came may be anything.
		for _, choice := range c.Choices {
			text += choice.Delta.Content + choice.Delta.Refusal
		}
	}
	return text, done
}

func FuzzStream(f *testing.F) {
	files, _ := filepath.Glob("testdata/stream/*.txtar")
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(a.Files[0].Data)
	}
	f.Fuzz(func(t *testing.T, events []byte) {
		var s Stream
		for line := range bytes.Lines(events) {
			if !json.Valid(line) {
				continue
			}
			if _, done := checkChunks(t, &s, line); done {
				return
			}
		}
	})
}
