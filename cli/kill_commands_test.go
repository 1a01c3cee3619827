package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"winnow/session/store"
)

func rounds(few, many int) int {
	if soak() {
		return many
	}
	return few
}

func openHistory(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), path, store.Options{})
	if err != nil {
		t.Fatalf("open the history: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// chatFile writes a conversation of Chat Completions messages and returns where.
func chatFile(t *testing.T, messages int) string {
	t.Helper()
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	var all []message
	for i := range messages {
		all = append(all, message{[]string{"user", "assistant"}[i%2], fmt.Sprintf("message %d: %s", i, strings.Repeat("word ", 200))})
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "chat.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
