package history

import (
	"testing"
	"time"
)

// TestPrompts writes the text form of each fixture's plan, and of its template where it has one. The
// options and the history are those of TestPlans; a message was said three seconds after the one in
// front of it, the first at 13:20:15 on a winter's day.
func TestPrompts(t *testing.T) {
	eachFixture(t, "testdata/prompt/*.txtar", checkPrompt)
}

func checkPrompt(t *testing.T, f fixture) {
	section := f.section
	template := TextPromptTemplate
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
	text, err := RenderTextPrompt(NewTextPrompt(plan), "own", template)
	got := map[string]string{"text": text, "error": ""}
	if err != nil {
		got["text"], got["error"] = "", err.Error()+"\n"
	}
	for name, got := range got {
		f.wants(t, name, got)
	}
}
