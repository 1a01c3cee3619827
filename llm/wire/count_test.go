package wire

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// The fixture is a conversation and what both services are asked to count of it.
func TestWhatServicesAreAskedToCount(t *testing.T) {
	t.Parallel()
	const file = "testdata/count.txtar"
	a, err := txtar.ParseFile(file)
	if err != nil || len(a.Files) != 3 {
		t.Fatalf("%d parts, %v; want conversation, anthropic and gemini", len(a.Files), err)
	}
	r := Request{Model: "models/m-1"}
	if err := json.Unmarshal(a.Files[0].Data, &r); err != nil {
		t.Fatal(err)
	}
	for i, body := range []any{r.AnthropicCount(), r.GeminiCount()} {
		var got bytes.Buffer
		e := json.NewEncoder(&got)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(body); err != nil {
			t.Fatal(err)
		}
		want := &a.Files[i+1]
		if *update {
			want.Data = got.Bytes()
		}
		if got.String() != string(want.Data) {
			t.Errorf("%s: got\n%s\nwant\n%s", want.Name, &got, want.Data)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
