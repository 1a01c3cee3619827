package cli

import (
	"testing"
	"time"

	"winnow/session/store"
	"winnow/session/transfer"
)

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
