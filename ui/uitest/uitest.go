// Package uitest helps the tests of the parts of the screen: it makes key presses from their names and compares
// drawn lines with goldens. It is never linked into winnow.
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

// Key is the key press that a name stands for, as names are written in the configuration: "ctrl+p", "J", "f1".
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

// Plain is drawn lines as text, without colours and without the blanks at their ends.
func Plain(lines []string) string {
	plain := strings.Split(ansi.Strip(strings.Join(lines, "\n")), "\n")
	for i := range plain {
		plain[i] = strings.TrimRight(plain[i], " ")
	}
	return strings.Join(plain, "\n") + "\n"
}

// Golden compares a text with the file testdata/NAME.txt, which -update writes anew.
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

// Screens are drawn states of one component. All of them are in one golden file, testdata/screens.txt, so that
// a changed word changes one file.
type Screens struct{ b strings.Builder }

// Add adds the lines of a state.
func (s *Screens) Add(name string, lines []string) {
	s.b.WriteString("-- " + name + " --\n" + Plain(lines))
}

// Golden compares all that was added with the golden file.
func (s *Screens) Golden(t testing.TB) {
	t.Helper()
	Golden(t, "screens", s.b.String())
}
