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
	s, err := Open(t.Context(), path, Options{Redact: func(text string) string {
		return strings.ReplaceAll(text, key,
			"[redacted]")
	}})
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
	if m.Content != "it is [redacted]" || m.Tokens != 0 || m.Parts[0].Text != "KEY=[redacted]" ||
		!strings.Contains(user.Content, key) || !strings.Contains(user.Parts[0].Text, key) {
		t.Errorf("stored %+v of %+v, want the stored one without the key and the given one as it was", m.Message,
			user.Message)
	}
	answer, err := s.StartAnswer(ctx, Message{
		Session: row.ID, Parent: m.ID,
		Message: history.Message{Role: history.Assistant},
	})
	do(err)
	answer.Content, answer.Reasoning, answer.Status = "your key: "+key, key, history.Complete
	answer.ToolCalls = []history.ToolCall{{ID: "c1", Name: "tell", Arguments: `{"a":"` + key + `"}`}}
	answer.Extra = []byte(`{"x":"` + key + `"}`)
	_, err = s.FinishAnswer(ctx, answer, Request{Session: row.ID, Error: "refused " + key})
	do(err)
	do(s.Rename(ctx, row.ID, "of "+key, "user"))
	do(s.Update(ctx, row.ID, func(row *Session) { row.System, row.SystemFixed = "never say "+key, true }))
	do(s.AddPrompt(ctx, row.ID, Draft{Text: "prompt " + key}))
	do(s.SaveDraft(ctx, row.ID, Draft{Text: "draft " + key}))
	_, err = s.AddSummary(ctx, Summary{
		Session: row.ID, Sources: history.IDs{{m.ID, m.ID}}, Messages: 1,
		Text: "they said " + key,
	})
	do(err)
	_, err = imported(s, Session{Title: "import " + key}, said(history.User, "imported "+key))
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

// An archive of a history that did not know the key is restored without it, and stays what it is but for that.
func TestAKnownKeyInAnArchiveIsNotStored(t *testing.T) {
	const key = "planted-key-4711"
	redact := func(text string) string { return strings.ReplaceAll(text, key, "[redacted]") }
	ctx := t.Context()
	from := newStore(t)
	user := says("", 0, history.User, "it is "+key)
	user.Tokens, user.Tokenizer = 9, "o200k_base"
	user.Parts = []history.Part{
		{Kind: history.TextPart, Name: key + ".env", Text: "KEY=" + key},
		{Kind: history.ImagePart, Name: "a.png", MediaType: "image/png", Data: []byte("\x89PNG\xff\xfe")},
	}
	row, m, err := from.Begin(ctx, Session{Title: key, System: "use " + key}, user)
	must(t, "begin", err)
	record, err := from.AddRequest(ctx, Request{
		Session: row.ID, User: m.ID, Turn: 1,
		Options: []byte(`{"system":"` + key + `"}`),
		Plan:    &history.Plan{Sum: history.Sum{Total: 1}, Added: []history.Added{{Text: key}}},
	})
	must(t, "add the record", err)
	answer, err := from.StartAnswer(ctx, Message{
		Session: row.ID, Parent: m.ID, Request: record.ID,
		Message: history.Message{Role: history.Assistant},
	})
	must(t, "start the answer", err)
	answer.Content, answer.Reasoning, answer.Status = "your key: "+key, key, history.Complete
	answer.ToolCalls = []history.ToolCall{{ID: "c1", Name: "tell", Arguments: `{"a":"` + key + `"}`}}
	answer.Extra = []byte(`{"x":"` + key + `"}`)
	record.Error = "refused " + key
	_, err = from.FinishAnswer(ctx, answer, record)
	must(t, "finish the answer", err)
	must(t, "draft", from.SaveDraft(ctx, row.ID, Draft{Text: "draft " + key}))
	_, err = from.AddSummary(ctx, Summary{
		Session: row.ID, Sources: history.IDs{{m.ID, m.ID}}, Messages: 1,
		Text: "they said " + key,
	})
	must(t, "summary", err)

	path := filepath.Join(t.TempDir(), "winnow.db")
	to, err := Open(ctx, path, Options{Redact: redact})
	must(t, "open", err)
	_, err = to.Apply(ctx, func(take func(Line) error) error { return from.Dump(ctx, row.ID, take) })
	must(t, "restore", err)
	branch, err := to.Branch(ctx, answer.ID, 10)
	must(t, "read", err)
	if len(branch) != 2 || branch[0].Content != "it is [redacted]" || branch[0].Parts[0].Text != "KEY=[redacted]" ||
		branch[0].Tokens != 0 ||
		string(branch[0].Parts[1].Data) != string(user.Parts[1].Data) || branch[1].Status != history.Complete {
		t.Errorf("restored as\n%+v", branch)
	}
	if plan, err := to.Verdicts(ctx, record.ID); err != nil || len(plan.Added) != 1 ||
		plan.Added[0].Text != "[redacted]" {
		t.Errorf("the plan is %+v, %v", plan, err)
	}
	if c, err := to.Check(ctx); err != nil || !c.Sound() {
		t.Errorf("the check says %+v, %v", c, err)
	}
	must(t, "close", to.Close())
	for _, file := range []string{path, path + "-wal"} {
		text, _ := os.ReadFile(file)
		if at := bytes.Index(text, []byte(key)); at >= 0 {
			t.Errorf("%s holds the key: %q", filepath.Base(file), text[max(0, at-60):at+len(key)])
		}
	}
}
