package wire

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	openai "github.com/sashabaranov/go-openai"
)

// TestRequests encodes the request of each file in each format. A file has the request, then a body for each format.
func TestRequests(t *testing.T) {
	t.Parallel()
	eachFixture(t, "testdata/request/*.txtar", func(t *testing.T, parts []txtar.File) {
		var r Request
		decoder := json.NewDecoder(bytes.NewReader(parts[0].Data))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&r); err != nil {
			t.Fatal(err)
		}
		for i := range parts[1:] {
			part := &parts[i+1]
			body, err := Format(part.Name).RequestBody(r)
			if err != nil {
				t.Fatal(err)
			}
			part.Data = []byte(readable(t, body))
			if again, _ := Format(part.Name).RequestBody(r); string(again) != string(body) {
				t.Errorf("%s: the same request has other bytes the second time:\n%s", part.Name, again)
			}
		}
	})
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

// A tool with an invalid schema is refused before anything is sent.
func TestABrokenSchemaIsAnError(t *testing.T) {
	t.Parallel()
	for _, format := range []Format{Chat, Responses, Ollama} {
		r := Request{Tools: []openai.FunctionDefinition{{Name: "f", Parameters: json.RawMessage(`{"type":`)}}}
		if body, err := format.RequestBody(r); err == nil {
			t.Errorf("%s: encoded as %s", format, body)
		}
	}
}
