package store

import (
	"context"
	"fmt"
	"testing"
)

// The oldest prompts beyond the limit are deleted.
func TestTheNewestPromptsAreKept(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	for i := range maxPrompts + 1 {
		must(t, "add a prompt", s.AddPrompt(ctx, "", Draft{Text: fmt.Sprint(i)}))
	}
	all, err := s.Prompts(ctx, -1)
	if err != nil || len(all) != maxPrompts || all[maxPrompts-1].Text != "1" {
		t.Errorf("%d prompts are kept, %v; want the newest %d", len(all), err, maxPrompts)
	}
}
