package inspector

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/ui/theme"
)

// TestOutlineKeepsItsSelectionOnTheScreen presses random keys: a part of the selected section is on the
// screen, exactly one heading is selected, no row is too wide, and the text stays whole.
func TestOutlineKeepsItsSelectionOnTheScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sections []section
		for i := range rapid.IntRange(0, 9).Draw(t, "sections") {
			var p Page
			p.Block(Sent, strings.Repeat(rapid.SampledFrom([]string{"word ", "\n", "日本", "x"}).Draw(t, "piece"),
				rapid.IntRange(0, 90).Draw(t, "times")))
			sections = append(sections, section{
				Key: string(rune('a' + i)), Heading: "section", Gist: "日本 and so on, at some length", Body: p,
			})
		}
		o := newOutline(Page{{Title, "head\n"}}, sections, map[string]bool{})
		o.Resize(rapid.IntRange(14, 70).Draw(t, "width"), rapid.IntRange(1, 20).Draw(t, "height"))
		text := o.Text()
		for range rapid.IntRange(1, 40).Draw(t, "keys") {
			switch rapid.SampledFrom([]string{
				"toggle", "all", "next", "previous", "scroll", "first", "last",
				"resize",
			}).Draw(t, "key") {
			case "toggle":
				o.Toggle()
			case "all":
				o.toggleAll()
			case "next":
				o.Step(1)
			case "previous":
				o.Step(-1)
			case "scroll":
				o.Scroll(rapid.IntRange(-30, 30).Draw(t, "by"))
			case "first":
				o.First()
			case "last":
				o.Last()
			case "resize":
				o.Resize(rapid.IntRange(14, 70).Draw(t, "width"), rapid.IntRange(1, 20).Draw(t, "height"))
			}
			if len(sections) > 0 && o.top.line >= o.end(o.At) {
				t.Fatalf("section %d ends above the screen, which begins with line %d", o.At, o.top.line)
			}
			if len(sections) > 0 && o.beginning(o.At) >= o.below() && o.At > 0 {
				t.Fatalf("section %d begins below the screen, with line %d", o.At, o.beginning(o.At))
			}
			selected := 0
			for _, p := range slices.Concat(o.lines...) {
				if p.Kind == Selected {
					selected++
				}
			}
			if want := min(1, len(sections)); selected != want {
				t.Fatalf("%d headings are selected, want %d", selected, want)
			}
			rows := o.View(theme.New(theme.None, theme.Palette{}, 0))
			if len(rows) > o.H {
				t.Fatalf("%d rows on %d", len(rows), o.H)
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
