package cli

import (
	"context"
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
