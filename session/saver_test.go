package session

import (
	"context"
	"errors"
	"testing"
)

// A checkpoint that failed, as on a full disk, is tried again although the server sends nothing more.
func TestAFailedCheckpointIsTriedAgainWhileTheServerIsSilent(t *testing.T) {
	kept, full := "", true
	s := &saver{save: func(_ context.Context, text, _ string) error {
		if full {
			return errors.New("the disk is full")
		}
		kept = text
		return nil
	}}
	s.offer("Once upon a time", "")
	s.write()
	full = false
	s.write()
	if kept != "Once upon a time" {
		t.Errorf("kept is %q", kept)
	}
}
