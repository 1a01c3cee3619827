package composer

import (
	"testing"
	"time"
)

// An editor that ends at once, and one that is not there, leave Bubble Tea the time that it needs to stop drawing.
func TestTheTerminalIsGivenAwayForAWhile(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"true", "/there/is/no/such/editor"} {
		e := externalEditor{External: External{Command: command, Folders: []string{t.TempDir()}}, text: "a draft"}
		began := time.Now()
		err := e.Run()
		if took := time.Since(began); took < leastAway {
			t.Errorf("%s: the terminal was away for %v (%v), want %v at least", command, took, err, leastAway)
		}
		if e.text != "a draft" {
			t.Errorf("%s leaves %q", command, e.text)
		}
	}
}
