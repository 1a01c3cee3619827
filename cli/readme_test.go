package cli

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

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
