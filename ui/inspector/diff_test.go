package inspector

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/ui/theme"
)

func joined(list []piece) string {
	var b strings.Builder
	for _, p := range list {
		b.WriteString(p.text)
	}
	return b.String()
}

// sameOf is what two sides have in common.
func sameOf(list []piece) string {
	var b strings.Builder
	for _, p := range list {
		if p.same {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

func TestDifferTakesTextsApartWithoutLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.StringOf(rapid.SampledFrom([]rune("ab1 {\"\n猫\x00"))), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		was, is := differ(before, after)
		if joined(was) != before || joined(is) != after {
			t.Fatalf("differ(%q, %q): the pieces are %v and %v", before, after, was, is)
		}
		if sameOf(was) != sameOf(is) {
			t.Fatalf("differ(%q, %q): the texts have %q and %q in common", before, after, sameOf(was), sameOf(is))
		}
		if before == after && before != "" && (len(was) != 1 || !was[0].same) {
			t.Fatalf("differ of %q and itself: %v", before, was)
		}
	})
}

func TestDiffMarksWhatDiffers(t *testing.T) {
	original, sent := `{"path":"C:\Users\me", "limit`, `{"path":"C:\\Users\\me"}`
	for _, c := range []struct {
		w    int
		want string
	}{
		{90, `
   original                                 │   sent instead
 − {"path":"C:\Users\me", "limit            │ + {"path":"C:\\Users\\me"}`},
		{60, `
   original
 − {"path":"C:\Users\me", "limit
   sent instead
 + {"path":"C:\\Users\\me"}`},
		{24, `
   original
   {"path":"C:\Users\me
 − ", "limit
   sent instead
 + {"path":"C:\\Users\\
 + me"}`},
	} {
		if got := linesOf(t, diffLines(theme.New(theme.Dark, theme.BuiltIn()[theme.Dark], 0), c.w, original, sent), c.w); got != strings.TrimPrefix(c.want, "\n") {
			t.Errorf("at %d cells the columns are\n%s\nwant\n%s", c.w, got, c.want)
		}
	}
}

func TestDiffSaysWhereThereIsNothing(t *testing.T) {
	if got := diffLines(theme.New(theme.None, theme.Palette{}, 0), 60, "", ""); got != nil {
		t.Errorf("two blank texts are drawn: %q", got)
	}
	got := linesOf(t, diffLines(theme.New(theme.None, theme.Palette{}, 0), 60, "", "{}"), 60)
	if want := "   original\n   (nothing)\n   sent instead\n + {}"; got != want {
		t.Errorf("the columns are\n%s\nwant\n%s", got, want)
	}
}

func TestDiffShowsABrokenByteOtherwiseThanItsReplacement(t *testing.T) {
	got := linesOf(t, diffLines(theme.New(theme.None, theme.Palette{}, 0), 60, "a\xffb", "a�b"), 60)
	if want := "   original\n − a\\xffb\n   sent instead\n + a�b"; got != want {
		t.Errorf("the columns are\n%s\nwant\n%s", got, want)
	}
}

func TestDiffShowsALongTextWhereItDiffers(t *testing.T) {
	long := strings.Repeat("0123456789", 100_000)
	lines := diffLines(theme.New(theme.None, theme.Palette{}, 0), 90, long+"[wrong]"+long, long+"[right]"+long)
	if len(lines) > 20 {
		t.Errorf("a difference of a word in two megabytes takes %d lines", len(lines))
	}
	got := linesOf(t, lines, 90)
	for _, want := range []string{"[wrong]", "[right]", "more characters …"} {
		if !strings.Contains(got, want) {
			t.Errorf("the columns lack %q:\n%s", want, got)
		}
	}
}

func TestDiffFitsEveryWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab {\"\n\t猫é\u0301👩\u200d🚀\x1b\u202e")))
		w := rapid.IntRange(0, 120).Draw(t, "w")
		original, sent := text.Draw(t, "original"), text.Draw(t, "sent")
		for _, line := range diffLines(theme.New(theme.Dark, theme.BuiltIn()[theme.Dark], 0), w, original, sent) {
			if ansi.StringWidth(line) != w && w > 8 {
				t.Fatalf("%q against %q at %d cells: the line %q has %d", original, sent, w, ansi.Strip(line), ansi.StringWidth(line))
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
