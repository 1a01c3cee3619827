package ui

import (
	"os"
	"strings"
	"testing"
)

func TestAFaultOfTheDraftIsSaidOnce(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("first")
	if err := os.Remove(l.With.Store.Path()); err != nil {
		t.Fatal(err)
	}
	l.types("second")
	l.run(l.composer.Keep())
	l.shows("cannot keep the draft")
	if strings.Contains(plain(l.Model), "keep the draft: cannot") {
		t.Errorf("the draft's fault is said twice:\n%s", plain(l.Model))
	}
}
