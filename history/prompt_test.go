package history

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestPrompts writes the text form of each fixture's plan, and of its template where it has one. The
// options and the history are those of TestPlans; a message was said three seconds after the one in
// front of it, the first at 13:20:15 on a winter's day.
func TestPrompts(t *testing.T) {
	files, err := filepath.Glob("testdata/prompt/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { checkPrompt(t, file) })
	}
}

func checkPrompt(t *testing.T, file string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	section := map[string]*txtar.File{}
	for i := range a.Files {
		section[a.Files[i].Name] = &a.Files[i]
	}
	template := PromptTemplate
	if own := section["template"]; own != nil {
		template = string(own.Data)
	}
	past := parseMessages(t, string(section["history"].Data))
	for i := range past {
		past[i].CreatedMS = time.Date(2025, 1, 29, 13, 20, 15+3*i, 0, time.UTC).UnixMilli()
	}
	o := parseOptions(t, string(section["options"].Data))
	for i := range o.Turn {
		o.Turn[i].ID = 0
	}
	plan, err := Build(past, o)
	if err != nil {
		t.Fatal(err)
	}
	text, err := RenderPrompt(NewPrompt(plan, nil), template)
	got := map[string]string{"text": text, "error": ""}
	if err != nil {
		got["error"] = err.Error() + "\n"
	}
	for name, got := range got {
		if want := string(section[name].Data); got != want && !*update {
			t.Errorf("%s: %s\ngot:\n%s\nwant:\n%s", file, name, got, want)
		}
		section[name].Data = []byte(got)
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
