package wire

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	openai "github.com/sashabaranov/go-openai"
)

// TestRequests writes the request of each file in each format. A file has the request, and a body for each format.
func TestRequests(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/request/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil || len(a.Files) != 4 {
			t.Fatalf("%s: %v, %d parts; want a request and three bodies", file, err, len(a.Files))
		}
		var r Request
		decoder := json.NewDecoder(bytes.NewReader(a.Files[0].Data))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for i := range a.Files[1:] {
			want := &a.Files[i+1]
			body, err := Format(want.Name).Body(r)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			got := readable(t, body)
			if again, _ := Format(want.Name).Body(r); string(again) != string(body) {
				t.Errorf("%s: the same request has other bytes the second time", file)
			}
			if *update {
				want.Data = []byte(got)
			}
			if got != string(want.Data) {
				t.Errorf("%s, %s: got\n%s\nwant\n%s", file, want.Name, got, want.Data)
			}
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// readable is a body with a line for each message.
func readable(t *testing.T, body []byte) string {
	t.Helper()
	if !json.Valid(body) || bytes.ContainsRune(body, '\n') {
		t.Fatalf("not one line of JSON: %s", body)
	}
	for _, begin := range []string{
		`{"role":`, `{"type":"message"`, `{"type":"function_call`, `{"type":"reasoning"`, `"tools":`,
	} {
		body = bytes.ReplaceAll(body, []byte(begin), []byte("\n"+begin))
	}
	return string(body) + "\n"
}

// A schema of a tool that is no JSON is refused before anything is sent.
func TestABrokenSchemaIsAnError(t *testing.T) {
	t.Parallel()
	for _, format := range []Format{Chat, Responses, Ollama} {
		r := Request{Tools: []openai.FunctionDefinition{{Name: "f", Parameters: json.RawMessage(`{"type":`)}}}
		if body, err := format.Body(r); err == nil {
			t.Errorf("%s: encoded as %s", format, body)
		}
	}
}
