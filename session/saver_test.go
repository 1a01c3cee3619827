package session

import (
	"context"
	"errors"
	"testing"
	"time"

	"winnow/llm"
)

// A failed checkpoint is tried again even if the server sends nothing more.
func TestAFailedCheckpointIsTriedAgainWhileTheServerIsSilent(t *testing.T) {
	kept, tries := "", 0
	s := &saver{stop: make(chan struct{}), done: make(chan error, 1)}
	s.offer(llm.Reply{Text: "Once upon a time"})
	tick := make(chan time.Time)
	go s.run(tick, func(_ context.Context, r llm.Reply) error {
		if tries++; tries == 1 {
			return errors.New("the disk is full")
		}
		kept = r.Text
		return nil
	})
	for range 3 {
		tick <- time.Time{}
	}
	if err := s.close(); err != nil || kept != "Once upon a time" || tries != 2 {
		t.Errorf("kept is %q after %d tries, %v", kept, tries, err)
	}
}
