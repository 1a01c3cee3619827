package responses

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	openai "github.com/sashabaranov/go-openai"

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
