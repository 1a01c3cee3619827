package cli

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeShowsTheRealScreen talks with the guide in a terminal of 100 by 30 cells and compares
// the screen with the README's. How long an answer took is left out of the comparison.
func TestReadmeShowsTheRealScreen(t *testing.T) {
	t.Parallel()
	chat := startIn(t, home(t), 100, 30, "-m", "guide")
	chat.want("guide", "enter send")
	// A budget smaller than the conversation shows what winnow is for.
	chat.send("/budget 525")
	chat.want("/budget 525")
	chat.send(enterKey)
	chat.waitFor("an empty draft", func(screen string) bool { return !strings.Contains(screen, "/budget") })
	for _, line := range []string{"how does winnow choose what to send?", "and what does pinning do?"} {
		chat.send(line)
		chat.want(line)
		chat.send(enterKey)
		chat.want("esc stops")
		chat.waitFor("the whole answer", func(screen string) bool {
			return answered(screen) && !strings.Contains(screen, "esc stops")
		})
	}
	chat.send("what if I raise the budget?")
	chat.want("what if I raise the budget?")
	chat.want("enter send")
	chat.wantDocumented("../README.md", "screen")
}

// TestReadmeNamesOneCommandForTheSuite keeps .ci/run and the README together: the script takes its
// command from there.
func TestReadmeNamesOneCommandForTheSuite(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^go test [^#\n]*[^# ] *#`).FindAllString(string(readme), -1)
	if len(found) != 1 {
		t.Errorf("README.md names the suite's command %d times (%q), want once", len(found), found)
	}
	script, err := os.ReadFile("../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(script), "README.md") || !strings.Contains(string(script), "\n$suite\n") {
		t.Error(".ci/run does not run the README's command")
	}
	if out, err := exec.Command("bash", "-n", "../.ci/run").CombinedOutput(); err != nil {
		t.Errorf(".ci/run does not parse: %v\n%s", err, out)
	}
}
