package inspector

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// paged is a pager for some paragraphs.
func paged(w, h int, list ...Paragraph) *pager {
	st := theme.New(theme.None, theme.Palette{}, 0)
	g := &pager{st: &st, page: Page{paragraphs: list}}
	g.resize(w, h)
	return g
}

// all is what a pager shows from its top to its end, a row each.
func (g *pager) all() (rows []string) {
	for i := range g.lines {
		for _, row := range g.wrapped(i) {
			rows = append(rows, ansi.Strip(row))
		}
	}
	return rows
}

func paragraphs(t *rapid.T) []Paragraph {
	text := rapid.SampledFrom([]string{
		"", "a", "some words of a text ", "\n", "\r\n", "x\r\ny", "\t", "ünï", "日本語の文",
		"👩‍👩‍👧", "e\u0301\u0302", "\x1b[31m", "\u202e", "\xff\xfe",
		strings.Repeat("long", 40), strings.Repeat("word ", 30), strings.Repeat("0", 30_000),
		strings.Repeat("語", 10_000), "\n\n\n",
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Paragraph {
		return Paragraph{Kind: Kind(rapid.IntRange(0, int(Verdict)).Draw(t, "kind")), Text: text.Draw(t, "text")}
	}), 1, 12).Draw(t, "paragraphs")
}

// At any width every character is there, in order, and no row is too wide.
func TestAPagerShowsAllOfItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(6, 89).Draw(t, "width")
		g := paged(w, 10, paragraphs(t)...)
		for _, row := range g.all() {
			if n := ansi.StringWidth(row); n > w {
				t.Fatalf("a row of %d cells on %d: %q", n, w, row)
			}
		}
		letters := func(s string) string { return strings.Join(strings.Fields(s), "") }
		have, want := letters(strings.Join(g.all(), "")), letters(markdown.Visible(g.page.text()))
		if have != want {
			t.Errorf("shown %q, want %q", have, want)
		}
	})
}

// Every step moves by one row, and the screen is full as long as there is text for it.
func TestAPagerScrollsRowByRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.IntRange(1, 20).Draw(t, "h")
		g := paged(rapid.IntRange(4, 60).Draw(t, "w"), h, paragraphs(t)...)
		all, at := g.all(), 0
		for range 40 {
			by := rapid.IntRange(-9, 9).Draw(t, "by")
			g.scroll(by)
			at = max(0, min(at+by, len(all)-h))
			want := strings.Join(all[at:min(len(all), at+h)], "\n")
			if got := ansi.Strip(strings.Join(g.View(), "\n")); got != want {
				t.Fatalf("row %d of %d:\n%s\nwant\n%s", at, len(all), got, want)
			}
		}
		g.scroll(keymap.AllLines)
		want := strings.Join(all[max(0, len(all)-h):], "\n")
		if got := ansi.Strip(strings.Join(g.View(), "\n")); got != want {
			t.Fatalf("the end is\n%s\nwant\n%s", got, want)
		}
	})
}

func TestAPagerMarksWhatIsNotSentWithoutColour(t *testing.T) {
	g := paged(40, 20,
		Paragraph{Kind: Verdict, Mark: "◐", Title: "gpt-5.2", Text: "  cut", Aside: "~44 tokens"},
		Paragraph{Kind: Sent, Text: "The beginning is sent"},
		Paragraph{Kind: Marker, Text: " ... (cut)", Aside: "added in place"},
		Paragraph{Kind: Unsent, Text: " and the rest is not,\n\nnor is this."},
		Paragraph{Kind: Sent, Text: "\nThis is sent again, "},
		Paragraph{Kind: Unsent, Text: "this not."},
		Paragraph{Kind: Added, Text: "[note]"},
	)
	want := ` ◐ gpt-5.2  cut              ~44 tokens
 ▌ The beginning is sent
 ◐ ... (cut)             added in place
 ┊ and the rest is not,
 ┊
 ┊ nor is this.
 ▌ This is sent again,
 ┊ this not.
 ✚ [note]
`
	if got := uitest.Plain(g.View()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	g.resize(16, 20)
	if got := uitest.Plain(g.View()); strings.Split(got, "\n")[1] != "   ~44 tokens" {
		t.Errorf("on a narrow screen the tokens are not below their line:\n%s", got)
	}
}
