package notice

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/ui/theme"
	"winnow/ui/uitest"
)

func TestASentenceGoesByItself(t *testing.T) {
	var m Model
	m.Say("First.")
	old := OverMsg{number: m.Number()}
	m.Error("Second.")
	if m.Over(old); m.Sentence() != "Second." {
		t.Errorf("the end of the first sentence left %q", m.Sentence())
	}
	if m.Over(OverMsg{number: m.Number()}); m.Sentence() != "" {
		t.Errorf("after its time %q is shown", m.Sentence())
	}
}

// A key takes a sentence away that could be read, and one that stands where the new keys are listed.
func TestAKeyTakesASentenceAway(t *testing.T) {
	var m Model
	for _, test := range []struct {
		what              string
		fault, read, away bool
		goes              bool
	}{
		{"a sentence that is new", false, false, false, false},
		{"a sentence that is new, with other keys", false, false, true, true},
		{"an error that is new, with other keys", true, false, true, false},
		{"a sentence that could be read", false, true, false, true},
		{"an error that could be read", true, true, false, true},
	} {
		before := m.Number()
		if m.Say("Nothing to undo."); test.fault {
			m.Error("There is no code block.")
		}
		if m.Key(before, true); m.Sentence() == "" {
			t.Errorf("%s: the key that it came with took it away", test.what)
		}
		if test.read && m.Over(OverMsg{m.Number(), shownFor}) == nil {
			t.Errorf("%s: it would stay until a key comes", test.what)
		}
		if m.Key(m.Number(), test.away); (m.Sentence() == "") != test.goes {
			t.Errorf("%s: a key left %q", test.what, m.Sentence())
		}
	}
}

func TestAnAlertEndsWithItsCause(t *testing.T) {
	var m Model
	m.Warn(Alert{"The model is gone.", "ctrl+l chooses another", Unreachable})
	m.News("A file was set aside.")
	if m.Resolve(TooLong) || !m.Close() || m.Alert().Text != "" || !m.Is(Unreachable) {
		t.Errorf("a closed alert is %+v, want it without text and its cause kept", m.Alert())
	}
	if !m.Resolve(Unreachable) || m.Is(Unreachable) {
		t.Error("the cause is not resolved")
	}
	if !m.Close() || m.Close() {
		t.Error("the news are closed once")
	}
}

// A screen that is too small for both has the alert, of which there may be less than there is room.
func TestASmallScreenHasTheAlert(t *testing.T) {
	for n := range 6 {
		lines, ways := (Alert{Text: "no", Way: "/retry asks again."}).lines(3, n)
		if len(lines)+len(ways) > n || n > 0 && lines[0] != "✗" {
			t.Errorf("%d lines have %q, want the beginning of the alert", n, lines)
		}
	}
}

// The way out is the end of whatever room there is.
func TestTheWayOutIsNeverCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") + strings.Repeat(rapid.SampledFrom([]string{"word ", "\n", "x"}).Draw(t,
			"piece"), rapid.IntRange(0, 2000).Draw(t, "times"))
		w, n := rapid.IntRange(18, 120).Draw(t, "width"), rapid.IntRange(2, 6).Draw(t, "lines")
		way := "/retry asks again."
		lines, ways := Alert{Text: text, Way: way}.lines(w, n)
		lines = append(lines, ways...)
		if len(lines) > n {
			t.Fatalf("%d lines, want at most %d: %q", len(lines), n, lines)
		}
		for _, s := range lines {
			if ansi.StringWidth(s) > w {
				t.Fatalf("%q has %d cells, want at most %d", s, ansi.StringWidth(s), w)
			}
		}
		if all := strings.Join(lines, " "); !strings.HasSuffix(all, way) {
			t.Fatalf("%q does not end with %q", all, way)
		}
	})
}

// A path whose last part does not fit on the sentence's last line is not changed.
func TestALongSentenceHoldsItsPathAsItIs(t *testing.T) {
	var m Model
	m.Error(strings.Repeat("word ", 15) + "and then in /a/folder/on-" + strings.Repeat("m", 60) + "/winnow.db it ends.")
	if screen := uitest.Plain(m.View(theme.New(theme.None, theme.Palette{}, 0), 80, 2)); !strings.Contains(screen,
		"/a/folder/on-mmmm") {
		t.Errorf("the path is not as it is:\n%s", screen)
	}
}
