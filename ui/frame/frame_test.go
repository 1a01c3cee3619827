package frame

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"charm.land/bubbles/v2/key"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

func plain() theme.Styles { return theme.New(theme.None, theme.Palette{}, 0) }

// The title of a conversation gives way first, then the model; the numbers never do.
func TestTheHeaderKeepsItsNumbers(t *testing.T) {
	for _, c := range []struct {
		w    int
		want string
	}{
		{80, " winnow  Parser rewrite › message 45          gpt-5.2   ~5,108 / 6,000 ━━━━━━━─ "},
		{60, " winnow  P… › message 45  gpt-5.2   ~5,108 / 6,000 ━━━━━━━─ "},
		{46, " winnow  Pa…  gpt-…   ~5,108 / 6,000 ━━━━━━━─ "},
	} {
		got := ansi.Strip(Header(plain(), "Parser rewrite"+Crumb+"message 45", "gpt-5.2", "~5,108 / 6,000 ━━━━━━━─",
			c.w))
		if got != c.want {
			t.Errorf("%d cells:\n%q, want\n%q", c.w, got, c.want)
		}
	}
}

// There are at most five hints, three on a narrow screen; the last one and the state stay.
func TestHints(t *testing.T) {
	var hints []key.Binding
	for _, key := range []string{
		"enter send", "ctrl+x context", "ctrl+s chats", "ctrl+p commands",
		"tab page", "? help",
	} {
		k, what, _ := strings.Cut(key, " ")
		hints = append(hints, keymap.TypedHint(k, what))
	}
	for _, c := range []struct {
		w           int
		state, want string
	}{
		{120, "", "  enter send   ctrl+x context   ctrl+s chats   ctrl+p commands   ? help" +
			strings.Repeat(" ", 49)},
		{80, "↓ 13 newer", " enter send   ctrl+x context   ctrl+s chats   ? help                 ↓ 13 newer "},
		{50, "", " enter send   ctrl+x context   ? help             "},
		{30, "✓ copied 214 characters", " ? help ✓ copied 214 charact… "},
	} {
		if got := ansi.Strip(Hints(plain(), hints, c.state, c.w)); got != c.want {
			t.Errorf("%d cells with %q:\n%q, want\n%q", c.w, c.state, got, c.want)
		}
	}
}

// Whatever is said, the lines are as wide as the screen.
func TestLinesAreAsWideAsTheScreen(t *testing.T) {
	texts := rapid.SampledFrom([]string{
		"", "Parser rewrite", "語言模型看見什麼", "👩‍👩‍👧‍👦 🏳️‍🌈 family", strings.Repeat("long ", 60), "שלום עולם", "a › b › c",
	})
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(1, 200).Draw(t, "width")
		st := plain()
		lines := []string{Header(st, texts.Draw(t, "title"), texts.Draw(t, "model"), texts.Draw(t, "numbers"), w)}
		hints := make([]key.Binding, rapid.IntRange(0, 7).Draw(t, "hints"))
		for i := range hints {
			hints[i] = keymap.TypedHint("ctrl+x", texts.Draw(t, "what"))
		}
		lines = append(lines, Hints(st, hints, texts.Draw(t, "state"), w))
		for i, s := range lines {
			if theme.Width(s) != w {
				t.Fatalf("line %d has %d cells, want %d: %q", i, theme.Width(s), w, ansi.Strip(s))
			}
		}
	})
}

// The first screen fits whatever room it has, and says which model answers as long as there is a line.
func TestTheFirstScreenFits(t *testing.T) {
	f := []Section{
		{Label: "Model", Lines: []Line{
			{Text: "guide, built in and offline"},
			{Text: "It isn’t a language model: it answers from winnow’s documentation."},
		}},
		{Label: "Try", Lines: []Line{
			{Prefix: "▌ ", Text: "What happens when a chat gets too long?"}, {Prefix: "@  ", Text: "attach a file"},
		}},
		{Label: "Not saved", Lines: []Line{{Text: "This chat is temporary."}}},
	}
	st := plain()
	for w := 20; w <= 200; w += 7 {
		for h := 1; h <= 40; h++ {
			lines := FirstScreen(st, theme.Gutter(w), w, h, f...)
			text := ansi.Strip(strings.Join(lines, "\n"))
			if len(lines) > h || !strings.Contains(text, "guide") {
				t.Fatalf("%d×%d: %d lines, want at most %d with the model:\n%s", w, h, len(lines), h, text)
			}
			for _, s := range lines {
				if theme.Width(s) > w {
					t.Fatalf("%d×%d: %q has %d cells", w, h, ansi.Strip(s), theme.Width(s))
				}
			}
		}
	}
}

// What is wrapped has its style on every line.
func TestEachLineOfAWrappedTextHasItsStyle(t *testing.T) {
	st := theme.New(theme.Dark, theme.BuiltInPalettes()[theme.Dark], 0)
	text := strings.Repeat("a remark that is long ", 6)
	lines := Section{Lines: []Line{{Text: text, Style: st.Muted}}}.view(st, 40)
	if len(lines) < 3 {
		t.Fatalf("%d lines, want a text that is wrapped", len(lines))
	}
	sequence, _, _ := strings.Cut(st.Muted.Render("x"), "x")
	for _, s := range lines {
		if !strings.HasPrefix(s, sequence) {
			t.Errorf("%q does not begin with its colour", s)
		}
	}
}

// The pale page is drawn once for as long as something floats over it.
func TestThePalePageIsDrawnOnce(t *testing.T) {
	var m Model
	drawn := 0
	draw := func() []string { drawn++; return []string{"one", "two"} }
	st := theme.New(theme.Dark, theme.BuiltInPalettes()[theme.Dark], 0)
	for range 3 {
		page := m.Backdrop(st, 3, 2, draw)
		page[0] = "changed"
	}
	if got := ansi.Strip(m.Backdrop(st, 3, 2, draw)[0]); drawn != 1 || got != "one" {
		t.Errorf("drawn %d times, and its first line is %q", drawn, got)
	}
	m.Backdrop(st, 4, 2, draw)
	if m.DropBackdrop(); drawn != 2 {
		t.Errorf("another width draws it %d times, want 2", drawn)
	}
	if m.Backdrop(st, 4, 2, draw); drawn != 3 {
		t.Error("what opens again has the old page behind it")
	}
}
