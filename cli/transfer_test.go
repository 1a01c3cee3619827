package cli

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"winnow/session/store"
	"winnow/session/transfer"
)

func TestImportThatIsStoppedEndsAsInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, config, db := filepath.Join(dir, "chat.json"), filepath.Join(dir, "config.toml"),
		filepath.Join(dir, "winnow.db")
	for path, text := range map[string]string{file: `[{"role":"user","content":"hi"}]`, config: ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := store.Open(context.Background(), db, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, stop := context.WithCancel(context.Background())
	stop()
	in := importing{program: &program{now: time.Now}}
	err = in.importAll(ctx, s, []string{file})
	if exitOf(err) != exitInterrupted || err.Error() != "stopped; what was imported until then is kept" ||
		len(in.Conversations) > 0 {
		t.Errorf("a stopped import gives %+v, exit code %d: %v", in.Conversations, exitOf(err), err)
	}
	if all, err := s.Sessions(context.Background(), store.SessionFilter{}); err != nil || len(all) > 0 {
		t.Errorf("a stopped import leaves %v, %v", all, err)
	}
}

// The name of a generated file has no meaning to a shell.
func TestFileNamesAreSafe(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	for title, want := range map[string]string{
		"$(rm -rf ~) `id`; a&b|c>d<e!":  "2026-11-22-rm--rf-id-a-b-c-d-e-01a2",
		"it's \"quoted\" #1 [x] {y} *?": "2026-11-22-it-s-quoted-1-x-y-01a2",
		"-rf":                           "2026-11-22-rf-01a2",
		"Übergröße 東京":                  "2026-11-22-Übergröße-東京-01a2",
		"~/../\x1b[31m":                 "2026-11-22-31m-01a2",
		"$$$":                           "2026-11-22-chat-01a2",
	} {
		if got := transfer.FileName(store.Session{ID: "01a2", Title: title, Created: at}); got != want {
			t.Errorf("transfer.FileName(%q) = %q, want %q", title, got, want)
		}
	}
}
