package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"winnow/cli/report"
	"winnow/history"
	"winnow/llm"
	"winnow/llm/redact"
	"winnow/session"
	"winnow/session/store"
	"winnow/session/transfer"
)

func TestExportFromTheChat(t *testing.T) {
	ctx := context.Background()
	s, err := store.Open(ctx, filepath.Join(t.TempDir(), "winnow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	row, _, err := s.Begin(ctx, store.Session{Title: "Rain: in/Oslo"}, store.Message{
		Message: history.Message{Role: history.User, Content: "My word is plain-configured-key."},
	})
	if err != nil {
		t.Fatal(err)
	}
	catalog := new(llm.Catalog).With(llm.Endpoint{Name: "here", BaseURL: "http://127.0.0.1:1/v1", Default: "m"})
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	open, err := session.Open(ctx, session.Deps{Store: s, Models: catalog, Policy: policy}, row.ID, "here/m")
	if err != nil {
		t.Fatal(err)
	}
	k := &conversation{setup: &setup{redactor: &redact.Redactor{}, p: &program{err: os.Stderr, now: time.Now}}}
	k.redactor.Know("plain-configured-key")
	t.Chdir(t.TempDir())

	for words, format := range map[string]string{
		"docx": "docx", "chat.docx": "docx", "notes": "notes",
		"json.gz": "gz",
	} {
		if said, err := k.exportCommand(ctx, open, words); err == nil || !strings.Contains(err.Error(),
			fmt.Sprintf("no format %q; use md, html, json, jsonl or prompt", format)) {
			t.Errorf("/export %s: %q, %v", words, said, err)
		}
	}
	if left, _ := filepath.Glob("*"); len(left) > 0 {
		t.Errorf("a refused export wrote %q", left)
	}
	for words, want := range map[string]string{
		"":                 "Rain-in-Oslo-" + report.ShortID(row.ID) + ".md",
		"html":             "Rain-in-Oslo-" + report.ShortID(row.ID) + ".html",
		"jsonl":            "Rain-in-Oslo-" + report.ShortID(row.ID) + ".jsonl",
		"prompt a b.txt":   "a b.txt",
		"'c d.md'":         "c d.md",
		"json everything":  "everything",
		"md notes.of.rain": "notes.of.rain",
	} {
		said, err := k.exportCommand(ctx, open, words)
		if err != nil {
			t.Errorf("/export %s: %v", words, err)
			continue
		}
		found, _ := filepath.Glob("*" + want)
		if len(found) != 1 || !strings.Contains(said, found[0]) {
			t.Errorf("/export %s says %q; there is %q, want one that ends in %q", words, said, found, want)
			continue
		}
		text, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		whole := strings.HasPrefix(words, "json ")
		if strings.Contains(string(text), "plain-configured-key") != whole ||
			strings.Contains(said, "secret") == whole {
			t.Errorf("/export %s says %q and writes\n%s", words, said, text)
		}
	}
	if err := s.Rename(ctx, row.ID, "My plain-configured-key", "user"); err != nil {
		t.Fatal(err)
	}
	if open, err = session.Open(ctx, session.Deps{Store: s, Models: catalog, Policy: policy}, row.ID,
		"here/m"); err != nil {
		t.Fatal(err)
	}
	if said, err := k.exportCommand(ctx, open, ""); err != nil || strings.Contains(said, "configured") {
		t.Errorf("the secret of a title is in the file's name: %q, %v", said, err)
	}
	first, _ := k.exportCommand(ctx, open, "html")
	second, err := k.exportCommand(ctx, open, "html")
	if want := strings.Replace(first, ".html", "-2.html", 1); err != nil || second != want {
		t.Errorf("a second export says %q, %v; want %q", second, err, want)
	}
	if _, err := k.exportCommand(ctx, open, "md a b.txt"); err == nil || !strings.Contains(err.Error(),
		"already exists; choose another name") {
		t.Errorf("exporting over a file: %v", err)
	}
}

// The name of a file that winnow makes means nothing to a shell.
func TestFileNamesAreSafe(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	for title, want := range map[string]string{
		"$(rm -rf ~) `id`; a&b|c>d<e!":  "2026-11-22-rm--rf-id-a-b-c-d-e-01a2.md",
		"it's \"quoted\" #1 [x] {y} *?": "2026-11-22-it-s-quoted-1-x-y-01a2.md",
		"-rf":                           "2026-11-22-rf-01a2.md",
		"Übergröße 東京":                  "2026-11-22-Übergröße-東京-01a2.md",
		"~/../\x1b[31m":                 "2026-11-22-31m-01a2.md",
		"$$$":                           "2026-11-22-chat-01a2.md",
	} {
		if got := fileName(store.Session{ID: "01a2", Title: title, Created: at}, transfer.Markdown); got != want {
			t.Errorf("fileName(%q) = %q, want %q", title, got, want)
		}
	}
}
