//go:build unix

package screen

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// counts are ways in which terminals count the cells of a character.
var counts = map[string]func(string) int{
	"characters": ansi.StringWidth,
	"parts":      ansi.WcWidth.StringWidth,
	"narrow emoji": func(s string) int { // as a terminal older than the emoji does
		width := 0
		for _, r := range s {
			if width++; !emoji(r) {
				width += ansi.WcWidth.StringWidth(string(r)) - 1
			}
		}
		return width
	},
}

// shownBy returns the cells of a line in a terminal that counts widths with count.
func shownBy(count func(string) int, line uv.Line) []string {
	cells := make([]string, 2*len(line))
	x := 0
	for i := range line {
		for text := line[i].Content; text != ""; {
			seq, _, n, _ := ansi.DecodeSequence(text, 0, nil)
			if text[0] != 0x1b { // the decoder separates a letter from its marks
				seq = text
				if at := strings.IndexByte(text, 0x1b); at >= 0 {
					seq = text[:at]
				}
				n = len(seq)
			}
			var to int
			switch _, err := fmt.Sscanf(seq, "\x1b[%dG", &to); {
			case err == nil && strings.HasSuffix(seq, "G"):
				x = to - 1
			case seq[0] != 0x1b:
				for part := range max(1, count(seq)) {
					cells[x+part] = ""
				}
				cells[x] = seq
				x += count(seq)
			}
			text = text[n:]
		}
	}
	return cells
}

// A border, and what follows it, is in the right column, however the terminal counts.
func TestNoCharacterMovesWhatIsBehindIt(t *testing.T) {
	characters := rapid.SampledFrom([]string{
		"a", "é", "e\u0301", "汉", "👍", "…", "👩\u200d👩\u200d👧", "🇩🇪", "👍🏽", "❤\ufe0f", "1\ufe0f\u20e3",
		"🏳\ufe0f\u200d🌈", "⌚\ufe0e", "♥\ufe0e",
		"🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
		"🇩", "🫠", "\U0001fae9", "שלום", "กำ", "क्षि", "நி", "\x1b[1m", "\x1b[m", " ",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(characters, 0, 12).Draw(t, "text"), "")
		text += strings.Repeat(" ", rapid.IntRange(0, 20).Draw(t, "blanks"))
		border := ansi.StringWidth(text)
		buffer := uv.NewBuffer(border+40, 1)
		uv.NewStyledString(text+"│ panel").Draw(canvas{buffer}, buffer.Bounds())
		anchor(buffer.Line(0))
		for name, count := range counts {
			if cells := shownBy(count, buffer.Line(0)); cells[border] != "│" || cells[border+2] != "p" {
				t.Fatalf("%q counted by %s is shown as %q: its border is not in cell %d", text, name, cells, border)
			}
		}
	})
}

// A line is unsure if it has a character whose width differs between terminals.
func TestNoCharacterIsThoughtToBeCountedAlike(t *testing.T) {
	for r := rune(' '); r <= unicode.MaxRune; r++ {
		line := uv.Line{{Content: string(r), Width: ansi.StringWidth(string(r))}}
		otherwise := ansi.WcWidth.StringWidth(string(r))
		if line[0].Width == 1 && otherwise != 1 && !anchor(line) {
			t.Errorf("%U takes one cell or %d, and its line is not unsure", r, otherwise)
		}
	}
}

// A terminal that counts whole characters shows them unchanged; letters with marks stay whole in others too.
func TestCharactersStayWhole(t *testing.T) {
	const text = "👩\u200d👩\u200d👧 🇩🇪 👍🏽 ❤\ufe0f 1\ufe0f\u20e3 🫠 กำ กำ ❤\ufe0f"
	buffer := uv.NewBuffer(60, 1)
	uv.NewStyledString(text+strings.Repeat(" ", 20)+"│").Draw(canvas{buffer}, buffer.Bounds())
	anchor(buffer.Line(0))
	for _, name := range []string{"characters", "parts"} {
		shown := strings.TrimRight(strings.Join(shownBy(counts[name], buffer.Line(0)), ""), " │")
		if shown != text {
			t.Errorf("counted by %s %q is shown as %q", name, text, shown)
		}
	}
}
