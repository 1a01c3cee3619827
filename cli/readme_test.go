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
	chat := startIn(t, home(t), 100, 30, "-m", "guide")
	chat.want("guide", "enter send")
	for _, line := range []string{"how does winnow choose what to send?", "and what does pinning do?"} {
		before := strings.Count(chat.text(), "saw ")
		chat.send(line)
		chat.want(line)
		chat.send(enterKey)
		chat.waitFor("an answer", func(screen string) bool {
			return strings.Count(screen, "saw ") > before || (before > 0 && strings.Contains(screen, line) && answered(screen))
		})
	}
	chat.send("what if I raise the budget?")
	screen := chat.want("what if I raise the budget?")
	if !*update {
		compareScreen(t, screen)
		return
	}
	checkPart(t, "../README.md", "screen", fenced("text", screen))
}

// timing is how long something took, with the blanks that fill the place.
var timing = regexp.MustCompile(`\d+(\.\d+)? m?s\b *`)

func compareScreen(t *testing.T, screen string) {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "<!-- screen: made by go test ./cli -update -->\n")
	shown, _, ok := strings.Cut(rest, "<!-- end of screen -->")
	want := timing.ReplaceAllString(fenced("text", screen), "T ")
	if got := timing.ReplaceAllString(shown, "T "); !ok || got != want {
		t.Errorf("the README shows\n%s\nthe program shows\n%s\ngo test ./cli -update writes it", got, want)
	}
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
