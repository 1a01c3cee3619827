package inspector

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/ui/theme"
)

// sameOf is what two sides have in common.
func sameOf(p Page) string {
	var b strings.Builder
	for _, s := range p {
		if s.Kind == Plain {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

func TestDifferTakesTextsApartWithoutLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.StringOf(rapid.SampledFrom([]rune("ab1 {\"\n猫\x00"))),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		was, is := differ(before, after)
		if was.text() != before || is.text() != after {
			t.Fatalf("differ(%q, %q): the pieces are %v and %v", before, after, was, is)
		}
		if sameOf(was) != sameOf(is) {
			t.Fatalf("differ(%q, %q): the texts have %q and %q in common", before, after, sameOf(was), sameOf(is))
		}
	})
}

// compared is a comparison of one value, without the colors.
func compared(t *testing.T, name theme.Name, w int, stored, sent string) string {
	t.Helper()
	st := theme.New(name, theme.BuiltIn()[name], 0)
	return linesOf(t, comparison(st, w, []block{
		{role: "assistant", fields: []field{{"args", stored, sent}}},
	}, "from now on"), w)
}

func TestDiffMarksWhatDiffers(t *testing.T) {
	for _, c := range []struct {
		w    int
		want string
	}{
		{100, `
  Stored  as received                               Sent  from now on

     assistant                                         assistant
   −   args  {"path":"C:\Users\me", "limit           +   args  {"path":"C:\\Users\\me"}`},
		{60, `
 Stored  as received

    assistant
  −   args  {"path":"C:\Users\me", "limit


 Sent  from now on

    assistant
  +   args  {"path":"C:\\Users\\me"}`},
	} {
		if got := strings.TrimRight(compared(t, theme.Dark, c.w, `{"path":"C:\Users\me", "limit`,
			`{"path":"C:\\Users\\me"}`), "\n"); got != strings.TrimPrefix(c.want, "\n") {
			t.Errorf("at %d cells the columns are\n%s\nwant\n%s", c.w, got, c.want)
		}
	}
}

func TestDiffSaysWhereThereIsNothing(t *testing.T) {
	st := theme.New(theme.None, theme.Palette{}, 0)
	blocks := []block{
		{role: "assistant", gone: "sent as text", fields: []field{{"id", `"a"`, ""}}},
		{role: "tool", lacks: "missing", fields: []field{{"text", "", "no result"}}},
	}
	want := `  Stored  as received                               Sent  from now on
  │                                                 │
  │  assistant                                      │  assistant
  │−   id  "a"                                      │+   sent as text
  │                                                 │
  │  tool                                           │  tool
  │−   missing                                      │+   text  no result
  │                                                 │`
	if got := linesOf(t, comparison(st, 100, blocks, "from now on"), 100); got != want {
		t.Errorf("the columns are\n%s\nwant\n%s", got, want)
	}
}

func TestDiffShowsALongTextWhereItDiffers(t *testing.T) {
	long := strings.Repeat("0123456789", 100_000)
	got := compared(t, theme.None, 100, long+" [wrong] "+long, long+" [right] "+long)
	if n := strings.Count(got, "\n"); n > 30 {
		t.Errorf("a difference of a word in two megabytes takes %d lines", n)
	}
	for _, want := range []string{"wrong]", "right]", "more characters …"} {
		if !strings.Contains(got, want) {
			t.Errorf("the columns lack %q:\n%s", want, got)
		}
	}
}

func TestDiffFitsEveryWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab {\"\n\t猫é\u0301👩\u200d🚀\x1b\u202e")))
		w := rapid.IntRange(0, 140).Draw(t, "w")
		name := rapid.SampledFrom([]theme.Name{theme.Dark, theme.None}).Draw(t, "theme")
		var blocks []block
		for range rapid.IntRange(0, 4).Draw(t, "blocks") {
			b := block{
				role: rapid.SampledFrom([]string{"", "tool"}).Draw(t, "role"),
				gone: rapid.SampledFrom([]string{"", "", "not sent"}).Draw(t, "gone"),
			}
			for range rapid.IntRange(1, 3).Draw(t, "fields") {
				b.fields = append(b.fields, field{
					rapid.SampledFrom([]string{"", "id", "text"}).Draw(t, "name"), text.Draw(t, "stored"),
					text.Draw(t, "sent"),
				})
			}
			blocks = append(blocks, b)
		}
		for _, line := range comparison(theme.New(name, theme.BuiltIn()[name], 0), w, blocks, "now") {
			if n := ansi.StringWidth(line); n > w && w > 4 {
				t.Fatalf("at %d cells the line %q has %d", w, ansi.Strip(line), n)
			}
		}
	})
}

// linesOf are drawn lines as text. It fails where one is not as wide as it was to be.
func linesOf(t *testing.T, lines []string, w int) string {
	t.Helper()
	var out []string
	for _, s := range lines {
		if ansi.StringWidth(s) > w {
			t.Errorf("a line has %d cells, want at most %d: %q", ansi.StringWidth(s), w, ansi.Strip(s))
		}
		out = append(out, strings.TrimRight(ansi.Strip(s), " "))
	}
	return strings.Join(out, "\n")
}
