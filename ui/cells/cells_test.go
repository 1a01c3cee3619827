package cells

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// characters that terminals disagree about, and some that they do not.
var characters = []string{
	"a", "é", "e\u0301", "汉", "👍", "…", "│", "👩\u200d👩\u200d👧", "🇩🇪", "👍🏽", "❤\ufe0f", "1\ufe0f\u20e3", "🏳\ufe0f\u200d🌈", "⌚\ufe0e", "♥\ufe0e",
	"🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "🇩", "🫠", "\U0001faf1🏻\u200d\U0001faf2🏿", "שלום", "مرحبا", "\x1b[1m", "\x1b[m",
}

// marked are characters with marks that some terminals give cells of their own.
var marked = []string{"กำ", "क्षि", "நி"}

// The border behind a text stands where the layout wants it, however the terminal counts, and whatever is
// known about it.
func TestSafeKeepsTheBorder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(marked, characters...)), 0, 12).Draw(t, "text"), "")
		line := text + strings.Repeat(" ", 60-ansi.StringWidth(text)) + "│ panel"
		terminal := Terminal{Clusters: rapid.Bool().Draw(t, "clusters"), alike: Class(rapid.IntRange(0, 127).Draw(t, "alike"))}
		safe := terminal.Safe(line)
		before, _, _ := strings.Cut(safe, "│ panel")
		at := ansi.WcWidth.StringWidth(before)
		if terminal.Clusters {
			at = ansi.StringWidth(before)
		}
		if at != 60 {
			t.Fatalf("%+v: %q becomes %q: its border is at cell %d, want 60", terminal, line, safe, at)
		}
		if again := terminal.Safe(safe); terminal.Clusters && again != safe {
			t.Fatalf("%q is safe, and becomes %q", safe, again)
		}
	})
}

// Without marks a safe line is as wide by every way of counting, so that it is safe before the terminal answers.
func TestSafeIsAsWideByEveryCount(t *testing.T) {
	for _, c := range characters {
		safe := Terminal{}.Safe(c)
		if w, g := ansi.WcWidth.StringWidth(safe), ansi.StringWidth(safe); w != g || g != ansi.StringWidth(c) {
			t.Errorf("%q becomes %q, which has %d cells by its parts and %d by its characters, want %d", c, safe, w, g, ansi.StringWidth(c))
		}
	}
}

func TestSafeShows(t *testing.T) {
	const text = "👩\u200d👩\u200d👧 🇩🇪 👍🏽 ❤\ufe0f 1\ufe0f\u20e3 🫠 กำ   │"
	for _, c := range []struct {
		name, want string
		terminal   Terminal
	}{
		{"a terminal that has not answered", "👩 DE 👍 ❤  1  □  กำ  │", Terminal{}},
		{"one that counts parts", "👩 🇩🇪 👍 ❤  1  🫠 กำ  │", Answered([]int{3, 9, 5, 7, 4, 4, 5, 5})},
		{"one that counts characters", text, Answered([]int{1, 3, 3, 3, 3, 3, 2, 3})},
		{"one that does not know all of them", "👩\u200d👩\u200d👧 🇩🇪 👍 ❤  1\ufe0f\u20e3 □  กำ   │", Answered([]int{1, 3, 3, 5, 2, 3, 2, 2})},
		{"one that answers half", "👩 DE 👍 ❤  1  □  กำ  │", Answered([]int{1, 3, 3})},
	} {
		if got := c.terminal.Safe(text); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSafeLeavesOthersAlone(t *testing.T) {
	frame := strings.Repeat("\x1b[1mplain — “text” … 汉字 ● │ 👍\x1b[m\n", 40)
	if n := testing.AllocsPerRun(10, func() { Terminal{}.Safe(frame) }); n != 0 {
		t.Errorf("a frame without such characters costs %v allocations, want 0", n)
	}
	if got := (Terminal{}).Safe(frame); got != frame {
		t.Errorf("it becomes %q", got)
	}
}

func BenchmarkSafe(b *testing.B) {
	for name, row := range map[string]string{"plain": "\x1b[1mplain text, as in most frames\x1b[m", "emoji": "a 👩\u200d👩\u200d👧 family"} {
		frame := strings.Repeat(row+strings.Repeat(" ", 60)+"│\n", 60)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Terminal{}.Safe(frame)
			}
		})
	}
}
