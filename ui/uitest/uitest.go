// Package uitest has helpers for tests of the screen: key presses from their names, and golden files of drawn lines. It
// is not linked into winnow.
package uitest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

var update = flag.Bool("update", false, "write the goldens anew: read them before accepting them")

// Key returns the key press of a name as in the configuration: "ctrl+p", "J", "f1".
func Key(name string) tea.KeyPressMsg {
	var k tea.KeyPressMsg
	for {
		mod, rest, ok := strings.Cut(name, "+")
		if !ok || rest == "" {
			break
		}
		k.Mod |= map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[mod]
		name = rest
	}
	special := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd,
		"space": ' ', "delete": tea.KeyDelete, "backspace": tea.KeyBackspace, "f1": tea.KeyF1, "f2": tea.KeyF2,
		"f3": tea.KeyF3,
	}
	if code, ok := special[name]; ok {
		k.Code = code
		if code == ' ' && k.Mod == 0 {
			k.Text = " "
		}
		return k
	}
	k.Code = []rune(name)[0]
	if k.Mod == 0 {
		k.Text = name
	}
	return k
}

// Plain returns drawn lines as text, without colours and trailing blanks.
func Plain(lines []string) string {
	plain := strings.Split(ansi.Strip(strings.Join(lines, "\n")), "\n")
	for i := range plain {
		plain[i] = strings.TrimRight(plain[i], " ")
	}
	return strings.Join(plain, "\n") + "\n"
}

// Golden compares a text with the file testdata/NAME.txt, which the flag -update rewrites.
func Golden(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s\ngot:\n%s\nwant:\n%s", name, got, want)
	}
}

// Screens collects drawn states of one component for one golden file, testdata/screens.txt.
type Screens struct{ b strings.Builder }

// Add adds the drawn lines of a state under a name.
func (s *Screens) Add(name string, lines []string) {
	s.b.WriteString("-- " + name + " --\n" + Plain(lines))
}

// Golden compares all added states with testdata/screens.txt.
func (s *Screens) Golden(t testing.TB) {
	t.Helper()
	Golden(t, "screens", s.b.String())
}
