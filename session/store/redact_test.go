package store

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"winnow/history"
)

// A key that winnow knows is in no byte of the file, whatever text it came in with.
func TestAKnownKeyIsNotStored(t *testing.T) {
	const key = "planted-key-4711"
	path := filepath.Join(t.TempDir(), "winnow.db")
	s, err := Open(t.Context(), path, Options{Redact: func(text string) string { return strings.ReplaceAll(text, key, "[redacted]") }})
	if err != nil {
		t.Fatal(err)
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	user := Message{Message: history.Message{
		Role: history.User, Content: "it is " + key, Tokens: 9, Status: history.Complete,
		Parts: []history.Part{{Kind: history.TextPart, Name: ".env", Text: "KEY=" + key}},
	}}
	row, m, err := s.Begin(ctx, Session{Title: key, System: "use " + key}, user)
	do(err)
	if m.Content != "it is [redacted]" || m.Tokens != 0 || m.Parts[0].Text != "KEY=[redacted]" || !strings.Contains(user.Content, key) || !strings.Contains(user.Parts[0].Text, key) {
		t.Errorf("stored %+v of %+v, want the stored one without the key and the given one as it was", m.Message, user.Message)
	}
	answer, err := s.StartAnswer(ctx, Message{Session: row.ID, Parent: m.ID, Message: history.Message{Role: history.Assistant}})
	do(err)
	answer.Content, answer.Reasoning, answer.Status = "your key: "+key, key, history.Complete
	answer.ToolCalls = []history.ToolCall{{ID: "c1", Name: "tell", Arguments: `{"a":"` + key + `"}`}}
	answer.Extra = []byte(`{"x":"` + key + `"}`)
	_, err = s.FinishAnswer(ctx, answer, Request{Session: row.ID, Error: "refused " + key})
	do(err)
	do(s.Rename(ctx, row.ID, "of "+key, "user"))
	do(s.SetSystem(ctx, row.ID, "never say "+key))
	do(s.AddPrompt(ctx, row.ID, Draft{Text: "prompt " + key}))
	do(s.SaveDraft(ctx, row.ID, "draft "+key))
	_, err = s.AddSummary(ctx, Summary{Session: row.ID, Sources: history.IDs{{m.ID, m.ID}}, Messages: 1, Text: "they said " + key})
	do(err)
	_, err = s.ImportMessages(ctx, func(add func(Message) error) (Session, error) {
		return Session{Title: "import " + key}, add(Message{Message: history.Message{Role: history.User, Content: "imported " + key, Status: history.Complete}})
	}, ImportOptions{})
	do(err)
	do(s.Close())
	files, err := filepath.Glob(path + "*")
	do(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		do(err)
		if at := bytes.Index(text, []byte(key)); at >= 0 {
			t.Errorf("%s holds the key: %q", filepath.Base(file), text[max(0, at-60):at+len(key)])
		}
	}
}
