package inspector

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// paged is a page in a pager.
func paged(p Page) *pager {
	g := &pager{}
	g.write(p)
	return g
}

// readOff is what a pager shows from its top to its end, a row each.
func readOff(s *pager) []string {
	var rows []string
	s.goTo(0)
	for i := range s.lines {
		for _, r := range s.wrapped(i) {
			rows = append(rows, ansi.Strip(r.draw(theme.New(theme.None, theme.Palette{}, 0), s.w, false)))
		}
	}
	return rows
}

func segments(t *rapid.T) Page {
	piece := rapid.SampledFrom([]string{
		"", "a", "some words of a text ", "\n", "\r\n", "x\r\ny", "\t", "ünï", "日本語の文",
		"👩‍👩‍👧", "e\u0301\u0302", "\x1b[31m", "\u202e", "\xff\xfe",
		strings.Repeat("long", 40), strings.Repeat("word ", 30), strings.Repeat("0", 30_000), strings.Repeat("語", 10_000),
		"\n\n\n",
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Segment {
		return Segment{Kind(rapid.IntRange(0, int(Aside)-1).Draw(t, "tone")), piece.Draw(t, "text")}
	}), 0, 12).Draw(t, "segments")
}

// TestAPagerShowsAllOfItsText reads a pager off at a random width: every character is there, in order,
// and no row is too wide.
func TestAPagerShowsAllOfItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := segments(t)
		for i := range list {
			list[i].Kind = Sent
		}
		s := paged(list)
		w := rapid.IntRange(6, 89).Draw(t, "width")
		s.resize(w, 10)
		var got strings.Builder
		for _, r := range readOff(s) {
			if n := ansi.StringWidth(r); n > w {
				t.Fatalf("a row of %d cells on %d: %q", n, w, r)
			}
			got.WriteString(strings.TrimPrefix(r, " ▌ "))
		}
		letters := func(s string) string {
			return strings.Map(func(r rune) rune {
				if r == ' ' || r == '\n' {
					return -1
				}
				return r
			}, s)
		}
		want := letters(markdown.Visible(list.text()))
		if have := letters(got.String()); have != want {
			t.Errorf("shown %q, want %q", have, want)
		}
	})
}

// TestAPagerScrollsRowByRow goes down to the end and up again: every step moves by one row, and the
// screen is full as long as there is text for it.
func TestAPagerScrollsRowByRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := paged(segments(t))
		w, h := rapid.IntRange(4, 60).Draw(t, "w"), rapid.IntRange(1, 20).Draw(t, "h")
		s.resize(w, h)
		all := readOff(s)
		s.goTo(0)
		at := 0
		for range 40 {
			by := rapid.IntRange(-9, 9).Draw(t, "by")
			s.scroll(by)
			at = max(0, min(at+by, len(all)-h))
			screen := s.view(theme.New(theme.None, theme.Palette{}, 0), -1)
			want := all[at:min(len(all), at+h)]
			if got := ansi.Strip(strings.Join(screen, "\n")); got != strings.Join(want, "\n") {
				t.Fatalf("row %d of %d:\n%s\nwant\n%s", at, len(all), got, strings.Join(want, "\n"))
			}
		}
		s.goTo(len(s.lines))
		got := ansi.Strip(strings.Join(s.view(theme.New(theme.None, theme.Palette{}, 0), -1), "\n"))
		if want := strings.Join(all[max(0, len(all)-h):], "\n"); got != want {
			t.Fatalf("the end is\n%s\nwant\n%s", got, want)
		}
		if p := s.position(); p != "" && p != "100 %" {
			t.Errorf("at the end the position is %q", p)
		}
	})
}

func TestAPagerMarksWhatIsNotSentWithoutColour(t *testing.T) {
	s := paged(Page{
		{Glyph, "◐ "},
		{Title, "gpt-5.2"},
		{Verdict, "  cut"},
		{Aside, "~44 tokens"},
		{Quiet, "\n"},
		{Sent, "The beginning is sent"},
		{Marker, " ... (cut)"},
		{Aside, "added in place"},
		{Unsent, " and the rest is not,\n\nnor is this."},
		{Sent, "\nThis is sent again, "},
		{Unsent, "this not,"},
		{Sent, " and this is."},
		{Quiet, "\n"},
		{Added, "[note]"},
	})
	s.resize(40, 20)
	got := ansi.Strip(strings.Join(s.view(theme.New(theme.None, theme.Palette{}, 0), -1), "\n"))
	want := ` ◐ gpt-5.2  cut              ~44 tokens
 ▌ The beginning is sent
 ◐ ... (cut)             added in place
 ┊ and the rest is not,
 ┊ 
 ┊ nor is this.
 ▌ This is sent again, 
 ┊ this not,
 ▌ and this is.
 ✚ [note]`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s.resize(16, 20)
	got = ansi.Strip(strings.Join(s.view(theme.New(theme.None, theme.Palette{}, 0), -1), "\n"))
	if strings.Split(got, "\n")[1] != "   ~44 tokens" {
		t.Errorf("on a narrow screen the tokens are not below their line:\n%s", got)
	}
}
