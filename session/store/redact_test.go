package store

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"winnow/history"
)

const plantedKey = "planted-key-4711"

func withoutKey(text string) string { return strings.ReplaceAll(text, plantedKey, "[redacted]") }

// said returns an imported message.
func said(role history.Role, text string) Message {
	return Message{Message: history.Message{Role: role, Content: text, Status: history.Imported, CreatedMS: 1000}}
}

// tellKey stores a session with an answer, its record, a draft and a summary, all of whose texts contain a key.
func tellKey(t *testing.T, s *Store) (row Session, asked, answer Message, record Request) {
	t.Helper()
	ctx := t.Context()
	user := says("", 0, history.User, "it is "+plantedKey)
	user.Tokens, user.Tokenizer = 9, "o200k_base"
	user.Parts = []history.Part{
		{Kind: history.TextPart, Name: plantedKey + ".env", Text: "KEY=" + plantedKey},
		{Kind: history.ImagePart, Name: "a.png", MediaType: "image/png", Data: []byte("\x89PNG\xff\xfe")},
	}
	row, asked, err := s.BeginSession(ctx, Session{Title: plantedKey, System: "use " + plantedKey}, user)
	must(t, "begin", err)
	if !strings.Contains(user.Content, plantedKey) || !strings.Contains(user.Parts[0].Text, plantedKey) {
		t.Errorf("the message of the caller was changed to %+v", user)
	}
	record, err = s.AddRequest(ctx, Request{
		Session: row.ID, User: asked.ID, Turn: 1, Options: `{"system":"` + plantedKey + `"}`,
		Plan: &history.Plan{Sum: history.TokenSum{Total: 1}, Added: []history.AddedText{{Text: plantedKey}}},
	})
	must(t, "add the record", err)
	begun := says(row.ID, asked.ID, history.Assistant, "")
	begun.Request = record.ID
	answer, err = s.StartAnswer(ctx, begun)
	must(t, "start the answer", err)
	answer.Content, answer.Reasoning, answer.Status = "your key: "+plantedKey, plantedKey, history.Complete
	answer.ToolCalls = []history.ToolCall{{ID: "c1", Name: "tell", Arguments: `{"a":"` + plantedKey + `"}`}}
	answer.Extra = `{"x":"` + plantedKey + `"}`
	record.Error = "refused " + plantedKey
	answer, err = s.FinishAnswer(ctx, answer, record)
	must(t, "finish the answer", err)
	must(t, "draft", s.SaveDraft(ctx, row.ID, Draft{Text: "draft " + plantedKey}))
	_, err = s.AddSummary(ctx, Summary{
		Session: row.ID, Sources: history.IDRanges{{asked.ID, asked.ID}}, Messages: 1, Text: "they said " + plantedKey,
	})
	must(t, "summary", err)
	return row, asked, answer, record
}

// A known key is in no byte of the file, wherever its text came from: typed here, imported, or in the lines of a
// history that did not know the key. Those lines are otherwise unchanged.
func TestAKnownKeyIsNotStored(t *testing.T) {
	ctx := t.Context()
	s, err := Open(ctx, newPath(t), Options{Redact: withoutKey})
	must(t, "open", err)
	row, _, _, _ := tellKey(t, s)
	must(t, "rename", window{Store: s}.Rename(ctx, row.ID, "of "+plantedKey, "user"))
	must(t, "system", s.UpdateSession(ctx, row.ID, func(row *Session) { row.System = "never say " + plantedKey }))
	must(t, "prompt", s.AddPrompt(ctx, row.ID, Draft{Text: "prompt " + plantedKey}))
	c := ImportedConversation{Session: Session{Title: "import " + plantedKey}, Leaf: -1}
	c.Add(said(history.User, "imported "+plantedKey))
	_, err = s.Import(ctx, c)
	must(t, "import", err)

	from := newStore(t)
	row, asked, answer, record := tellKey(t, from)
	_, err = s.Apply(ctx, func(take func(Line) error) error { return from.Dump(ctx, row.ID, take) })
	must(t, "restore", err)
	branch, err := s.Branch(ctx, answer.ID, 10)
	must(t, "read", err)
	if len(branch) != 2 || branch[0].Content != "it is [redacted]" || branch[0].Parts[0].Text != "KEY=[redacted]" ||
		branch[0].Tokens != 0 || !bytes.Equal(branch[0].Parts[1].Data, asked.Parts[1].Data) ||
		branch[1].Status != history.Complete {
		t.Errorf("restored as\n%+v", branch)
	}
	plan, err := s.Verdicts(ctx, record.ID)
	if err != nil || len(plan.Added) != 1 || plan.Added[0].Text != "[redacted]" {
		t.Errorf("the plan is %+v, %v", plan, err)
	}
	if c, err := s.Check(ctx); err != nil || !c.Sound() {
		t.Errorf("the check says %+v, %v", c, err)
	}
	must(t, "close", s.Close())
	if left := holding(t, filepath.Dir(s.path), plantedKey); len(left) > 0 {
		t.Errorf("%v hold the key", left)
	}
}
