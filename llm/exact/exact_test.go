package exact

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"winnow/history/message"
)

var update = flag.Bool("update", false, "write what comes out into the fixtures; read the difference before you keep it")

// conversation is a request as the fixtures hold it.
type conversation struct {
	Messages []message.Message
	Tools    []Tool
}

// Each fixture is a conversation and what both services are asked to count of it.
func TestFixtures(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil || len(a.Files) != 3 {
				t.Fatalf("%d parts, %v; want conversation, anthropic and gemini", len(a.Files), err)
			}
			var c conversation
			if err := json.Unmarshal(a.Files[0].Data, &c); err != nil {
				t.Fatal(err)
			}
			r := Request{Model: "models/m-1", Messages: c.Messages, Tools: c.Tools}
			changed := false
			for i, body := range []any{r.Anthropic(), r.Gemini()} {
				got := indented(t, body)
				if got == string(a.Files[i+1].Data) {
					continue
				}
				if changed = true; !*update {
					t.Errorf("%s: got\n%s\nwant\n%s", a.Files[i+1].Name, got, a.Files[i+1].Data)
				}
				a.Files[i+1].Data = []byte(got)
			}
			if changed && *update {
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func indented(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
