package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"winnow/cli/manual"
)

func TestTheManualPageHasEveryCommandAndFlag(t *testing.T) {
	t.Parallel()
	root := new(program).root()
	page := strings.ReplaceAll(manualPage(root), `\-`, "-")
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "help" {
			return
		}
		if c != root && !strings.Contains(page, `.SS "`+c.CommandPath()) {
			t.Errorf("the page has no part about %s", c.CommandPath())
		}
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !strings.Contains(page, "--"+f.Name) {
				t.Errorf("the page does not have --%s of %s", f.Name, c.CommandPath())
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	if again := manualPage(new(program).root()); strings.ReplaceAll(again, `\-`, "-") != page {
		t.Error("the page is another one the second time")
	}
}

// TestTheManualPageCanBeRead has the programs that show manual pages read it.
func TestTheManualPageCanBeRead(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "winnow.1")
	if err := os.WriteFile(file, []byte(manualPage(new(program).root())), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("mandoc", func(t *testing.T) {
		if _, err := exec.LookPath("mandoc"); err != nil {
			t.Skip("mandoc is not installed")
		}
		found, _ := exec.Command("mandoc", "-Tlint", file).CombinedOutput() // It fails where it finds something.
		for line := range strings.Lines(string(found)) {
			// The page has no date, to be the same at every run.
			if !strings.Contains(line, "STYLE: input text line longer") && !strings.Contains(line, "missing date") {
				t.Error(strings.TrimSpace(line))
			}
		}
	})
	t.Run("man", func(t *testing.T) {
		if _, err := exec.LookPath("man"); err != nil {
			t.Skip("man is not installed")
		}
		show := exec.Command("man", "--warnings", "-l", file)
		show.Env = append(os.Environ(), "MANWIDTH=80", "LC_ALL=C.UTF-8", "MAN_KEEP_FORMATTING=", "MANPAGER=cat")
		var errors strings.Builder
		show.Stderr = &errors
		out, err := show.Output()
		if err != nil || errors.Len() > 0 || !strings.Contains(string(out), "EXIT STATUS") {
			t.Errorf("man -l: %v, %s\n%.2000s", err, errors.String(), out)
		}
	})
}

// TestTheManualPageIsInstalled runs the documented command, and asks man for the page.
func TestTheManualPageIsInstalled(t *testing.T) {
	t.Parallel()
	env := home(t)
	if _, err := exec.LookPath("man"); err != nil {
		t.Skip("man is not installed")
	}
	page, err := os.ReadFile("../docs/start.md")
	if err != nil {
		t.Fatal(err)
	}
	if command := manual.Install("winnow"); !strings.Contains(string(page), "\n"+command+"\n") {
		t.Errorf("docs/start.md does not have %s", command)
	}
	var dir string
	for i, variable := range env {
		if at, ok := strings.CutPrefix(variable, "HOME="); ok {
			dir = at
		}
		if path, ok := strings.CutPrefix(variable, "PATH="); ok {
			// man looks beside the folders of programs.
			env[i] = "PATH=" + filepath.Join(dir, ".local", "bin") + ":" + path
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, ".local", "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{manual.Install("winnow"), "man -w winnow"} {
		run := exec.Command("sh", "-c", command)
		run.Env = env
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		if want := filepath.Join(dir, ".local/share/man/man1/winnow.1"); strings.HasPrefix(command, "man") && strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %s, want %s", command, out, want)
		}
	}
}
