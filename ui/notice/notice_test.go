package notice

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/ui/app"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

func TestASentenceGoesByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m Model
		first, second := m.Say("First."), m.Error("Second.")
		if first().(app.Then)(); m.Sentence() != "Second." {
			t.Errorf("the end of the first sentence left %q", m.Sentence())
		}
		if second().(app.Then)(); m.Sentence() != "" {
			t.Errorf("after its time %q is shown", m.Sentence())
		}
	})
}

// A key takes a sentence away that stands where the new keys are listed, but neither an error nor its own sentence.
func TestAKeyTakesASentenceAway(t *testing.T) {
	var m Model
	m.Say("Nothing to undo.")
	if m.KeyPressed(m.SentenceNumber(), false); m.Sentence() == "" {
		t.Error("a key for the same took it away")
	}
	if m.KeyPressed(m.SentenceNumber()-1, true); m.Sentence() == "" {
		t.Error("the key that it came with took it away")
	}
	if m.KeyPressed(m.SentenceNumber(), true); m.Sentence() != "" {
		t.Error("it stands where other keys are listed")
	}
	m.Error("There is no code block.")
	if m.KeyPressed(m.SentenceNumber(), true); m.Sentence() == "" {
		t.Error("a key took an error away")
	}
}

func TestAnAlertEndsWithItsCause(t *testing.T) {
	var m Model
	m.ShowAlert(Alert{"The model is gone.", "ctrl+l chooses another", ModelUnreachable})
	m.ShowNews("A file was set aside.")
	m.Resolve(DraftTooLong)
	if !m.CloseAlert() || m.Alert().Text != "" || !m.AlertIs(ModelUnreachable) {
		t.Errorf("a closed alert is %+v, want it without text and its cause kept", m.Alert())
	}
	if m.Resolve(ModelUnreachable); m.AlertIs(ModelUnreachable) {
		t.Error("the cause is not resolved")
	}
	if !m.CloseAlert() || m.CloseAlert() {
		t.Error("the news are closed once")
	}
}

// A screen that is too small for both has the alert, of which there may be less than there is room.
func TestASmallScreenHasTheAlert(t *testing.T) {
	for n := range 6 {
		lines := Alert{Text: "no", WayOut: "/retry asks again."}.view(theme.Styles{}, 3, n)
		if len(lines) > n || n > 0 && lines[0] != "✗" {
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
		lines := Alert{Text: text, WayOut: way}.view(theme.Styles{}, w, n)
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
