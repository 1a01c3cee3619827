package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTemporaryChatLeavesNothingOnDisk(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	l.Unrecorded = 1
	l.picks("temporary")
	l.shows("temporary, not saved")
	l.say("nobody will know this")
	l.types("and a draft that stays unsent")
	l.run(l.composer.Keep())
	l.planned()

	folder := filepath.Dir(l.With.Store.Path())
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the history's files are %v, %v", files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"nobody will know", "Answer 1", "stays unsent"} {
			if strings.Contains(string(data), secret) {
				t.Errorf("%s holds %q", file, secret)
			}
		}
	}
	if prompts, err := l.With.Store.Prompts(t.Context(), 1); err != nil || len(prompts) > 0 {
		t.Errorf("the history of prompts is %+v, %v", prompts, err)
	}
}

func TestTemporaryChatIsNotLeftByOneKey(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	l.Unrecorded = 1
	l.picks("temporary")
	l.shows("temporary, not saved")
	if said := l.lost(true); said != "" {
		t.Errorf("a chat without a message is not left at once: %s", said)
	}
	l.say("hello")
	temporary := l.Session

	l.press("ctrl+n")
	l.shows("This chat is not saved.")
	if l.Session != temporary {
		t.Fatal("one key left the temporary chat")
	}
	l.confirm.asked = nothing // as after some time
	l.press("ctrl+n")
	if l.Session != temporary {
		t.Fatal("a key long after the first left the temporary chat")
	}
	l.press("ctrl+n")
	l.until("a new chat", func() bool { return l.Session != temporary })
	l.until("the memory to be let go", func() bool {
		_, err := temporary.Store().Session(t.Context(), temporary.Info().ID)
		return err != nil
	})
	if l.Session.Temporary() {
		t.Error("the next session is temporary as well")
	}
}

func TestMouseIsGivenToTheTerminalAndTakenBack(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	before := l.View().MouseMode
	l.picks("mouse")
	between := l.View().MouseMode
	l.picks("mouse")
	if before == between || l.View().MouseMode != before {
		t.Errorf("the mouse mode is %v, after /mouse %v, after another %v", before, between, l.View().MouseMode)
	}
}
