package inspector

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/ui/theme"
)

// TestAViewKeepsItsSelectionOnTheScreen presses random keys: a part of the selected section is on the
// screen, no row is too wide, and the text stays whole.
func TestAViewKeepsItsSelectionOnTheScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sections []section
		for i := range rapid.IntRange(0, 9).Draw(t, "sections") {
			var p Page
			p.block(Sent, strings.Repeat(rapid.SampledFrom([]string{"word ", "\n", "日本", "x"}).Draw(t, "piece"),
				rapid.IntRange(0, 90).Draw(t, "times")))
			sections = append(sections, section{
				key: string(rune('a' + i)), row: Page{{Title, "section"}}, gist: "日本 and so on, at some length", body: p,
			})
		}
		o := &view{head: Page{{Title, "head\n"}}, sections: sections, folded: map[string]bool{}}
		o.resize(rapid.IntRange(14, 70).Draw(t, "width"), rapid.IntRange(1, 20).Draw(t, "height"))
		text := o.Text()
		for range rapid.IntRange(1, 40).Draw(t, "keys") {
			switch rapid.SampledFrom([]string{
				"toggle", "all", "next", "previous", "scroll", "first", "last",
				"resize",
			}).Draw(t, "key") {
			case "toggle":
				if len(sections) > 0 {
					o.fold(sections[o.at])
				}
			case "all":
				o.fold(sections...)
			case "next":
				o.choose(o.at + 1)
			case "previous":
				o.choose(o.at - 1)
			case "scroll":
				o.Scroll(rapid.IntRange(-30, 30).Draw(t, "by"))
			case "first":
				o.First()
			case "last":
				o.Last()
			case "resize":
				o.resize(rapid.IntRange(14, 70).Draw(t, "width"), rapid.IntRange(1, 20).Draw(t, "height"))
			}
			if len(sections) > 0 && o.top.line >= o.after(o.at) {
				t.Fatalf("section %d ends above the screen, which begins with line %d", o.at, o.top.line)
			}
			if len(sections) > 0 && o.starts[o.at] >= o.firstBelow() && o.at > 0 {
				t.Fatalf("section %d begins below the screen, with line %d", o.at, o.starts[o.at])
			}
			rows := o.View(theme.New(theme.None, theme.Palette{}, 0))
			if len(rows) > o.h {
				t.Fatalf("%d rows on %d", len(rows), o.h)
			}
			for _, r := range rows {
				if n := ansi.StringWidth(r); n > o.w {
					t.Fatalf("a row of %d cells on %d: %q", n, o.w, r)
				}
			}
			if o.Text() != text {
				t.Fatal("the text has changed")
			}
		}
	})
}
