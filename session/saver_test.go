package session

import (
	"context"
	"errors"
	"testing"
	"time"

	"winnow/llm"
)

// A checkpoint that failed, as on a full disk, is tried again although the server sends nothing more.
func TestAFailedCheckpointIsTriedAgainWhileTheServerIsSilent(t *testing.T) {
	kept, tries := "", 0
	s := &saver{pieces: make(chan llm.Reply, 1), done: make(chan struct{})}
	tick := make(chan time.Time)
	go s.run(tick, func(_ context.Context, r llm.Reply) error {
		if tries++; tries == 1 {
			return errors.New("the disk is full")
		}
		kept = r.Text
		return nil
	})
	s.pieces <- llm.Reply{Text: "Once upon a time"}
	for kept := len(s.pieces); kept > 0; kept = len(s.pieces) {
		time.Sleep(time.Millisecond)
	}
	for range 3 {
		tick <- time.Time{}
	}
	if err := s.close(); err != nil || kept != "Once upon a time" || tries != 2 {
		t.Errorf("kept is %q after %d tries, %v", kept, tries, err)
	}
}
