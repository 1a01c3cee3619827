package store

import (
	"testing"

	"winnow/session/store/sqlite"
)

// What was written in a chat that never began is kept for the arrow keys too.
func TestAPromptNeedsNoSession(t *testing.T) {
	s, err := Open(t.Context(), sqlite.Memory, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.AddPrompt(t.Context(), "", Draft{Text: "half a thought"}); err != nil {
		t.Fatal(err)
	}
	list, err := s.Prompts(t.Context(), 0, 10)
	if err != nil || len(list) != 1 {
		t.Errorf("got %v, %v; want the prompt", list, err)
	}
}
