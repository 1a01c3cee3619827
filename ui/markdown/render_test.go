package markdown

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"
)

// A case of this package's random tests costs much more than one of a pure function, so a plain run takes
// 20 instead of rapid's 100. RAPID_CHECKS or -rapid.checks takes more.
func init() {
	if os.Getenv("RAPID_CHECKS") == "" {
		flag.Set("rapid.checks", "20")
	}
}

// inOneGoroutine skips a test where races are looked for: it has none, and takes twenty times as long there.
func inOneGoroutine(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine")
	}
}

// The styles of a theme, and of a terminal without colours.
var (
	dark = Style{
		Text: "#d5d8de", Strong: "#f4f5f7", Muted: "#9aa0ac", Faint: "#6f7683", Rule: "#343942", Tint: "#1e2127",
		Keyword: "#bba7d6", String: "#b4c08a", Function: "#9fbbd9", Number: "#e8b27a",
		Deleted: "#f2958d", Inserted: "#8ccfa3", OpensLinks: true,
	}
	plain     = Style{}
	noColours = Style{Strong: "bold", Muted: "faint", Faint: "faint", Rule: "faint"}
)

// newAt returns a renderer for prose and code of the same width.
func newAt(style Style, width int) *Renderer { return New(style, width, width) }

// failer is a test or one case of a random one.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkLines fails where a line is wider than width, ends in a space that has no ground, or holds
// anything a terminal would act on but colours, attributes and links to pages and mail.
func checkLines(t failer, lines []string, width int, md string) {
	t.Helper()
	for i, line := range lines {
		if w := ansi.StringWidth(line); w > width {
			t.Fatalf("line %d of %q has %d cells, want at most %d: %q", i, md, w, width, line)
		}
		if text := ansi.Strip(line); strings.HasSuffix(text, " ") && !endsOnGround(line) {
			t.Fatalf("line %d of %q ends in a space: %q", i, md, line)
		}
		bad := strings.TrimRight(withoutLinks(t, withoutStyles(line)), "\u200c\u200d") // a word may be broken there
		if Visible(bad) != bad {
			t.Fatalf("line %d of %q holds a control character: %q", i, md, line)
		}
	}
}

// endsOnGround reports whether what line ends in has a background.
func endsOnGround(line string) bool {
	last := line[strings.LastIndex(strings.TrimSuffix(line, ansi.ResetStyle), "\x1b["):]
	return strings.HasSuffix(line, ansi.ResetStyle) && strings.Contains(last, ";48;2;")
}

// withoutLinks removes links, and fails where one leads anywhere but to a page or a mail, or stays open.
func withoutLinks(t failer, line string) string {
	t.Helper()
	parts := strings.Split(line, "\x1b]8;")
	for i, part := range parts[1:] {
		link, text, ended := strings.Cut(part, "\a")
		_, address, _ := strings.Cut(link, ";")
		if closing := link == ";"; !ended || closing != (i%2 == 1) || !closing && safeAddress(address) != address {
			t.Fatalf("link %d of %q is %q", i, line, link)
		}
		parts[i+1] = text
	}
	if len(parts)%2 == 0 {
		t.Fatalf("a link in %q stays open", line)
	}
	return strings.Join(parts, "")
}

// withoutStyles removes colour and attribute sequences.
func withoutStyles(line string) string {
	for {
		i := strings.Index(line, "\x1b[")
		if i < 0 {
			return line
		}
		end := strings.TrimLeft(line[i+2:], "0123456789;:")
		if !strings.HasPrefix(end, "m") {
			return line
		}
		line = line[:i] + end[1:]
	}
}

// TestRender renders the texts of testdata/render.txtar. A section is named by a style, the width of prose and of the
// pane, and what it is about; what the text is rendered as stands below a line "=>", as readable has it.
func TestRender(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/render.txtar")
	if err != nil {
		t.Fatal(err)
	}
	styles := map[string]Style{"dark": dark, "plain": plain, "attributes": noColours}
	for _, section := range archive.Files {
		var style string
		var prose, pane int
		if _, err := fmt.Sscanf(section.Name, "%s %dx%d", &style, &prose, &pane); err != nil {
			t.Fatalf("%s: %v", section.Name, err)
		}
		md, want, _ := strings.Cut(strings.ReplaceAll(string(section.Data), "<ESC>", "\x1b"), "=>\n")
		r := New(styles[style], prose, pane)
		lines := r.Render(md)
		if strings.HasSuffix(section.Name, "as it is") {
			lines = r.RenderPlain(md)
		}
		if got := readable(r, strings.Join(lines, "\n")); got != strings.TrimRight(want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", section.Name, got, want)
		}
	}
}

// sequence is a style that begins or ends, or a link.
var sequence = regexp.MustCompile(`\x1b\[([0-9;]*)m|\x1b]8;[^;]*;([^\a]*)\a`)

// readable returns lines with their styles and links in braces, and those of the style plain without. {text} is on the
// ground of code, and in it {k:keyword}, {s:string}, {f:function}, {n:number}, {l:label}, {-:deleted} and {+:inserted};
// other styles are named by their numbers, of which 1 is bold, 2 faint, 3 italic, 4 underlined and 9 struck out.
func readable(r *Renderer, lines string) string {
	names := map[string]string{"": "}"}
	switch r.style {
	case plain:
		return ansi.Strip(lines)
	case dark:
		for name, kind := range map[string]chroma.TokenType{
			"": chroma.Text, "k:": chroma.Keyword, "s:": chroma.LiteralString, "f:": chroma.NameFunction,
			"n:": chroma.LiteralNumber, "l:": chroma.GenericPrompt, "-:": chroma.GenericDeleted, "+:": chroma.GenericInserted,
		} {
			names[strings.Trim(string(r.code[kind]), "\x1b[m")] = "{" + name
		}
	}
	colours := strings.NewReplacer("38;2;213;216;222", "text", "38;2;244;245;247", "strong", "48;2;30;33;39", "ground")
	return sequence.ReplaceAllStringFunc(lines, func(s string) string {
		parts := sequence.FindStringSubmatch(s)
		switch {
		case parts[2] != "":
			return "<" + parts[2] + " "
		case strings.HasPrefix(s, "\x1b]"):
			return ">"
		}
		return cmp.Or(names[parts[1]], "{"+colours.Replace(parts[1])+":")
	})
}

// Whatever has no marks in it is shown whole, at every width.
func TestRenderLosesNothing(t *testing.T) {
	words := rapid.SampledFrom([]string{
		"word", "a", "汉字", "。", "with-hyphen", "שלום", "مرحبا", "👩‍👩‍👧", "🇩🇪", "é", "e\u0301",
		strings.Repeat("long", 30), "(x)", "12", "क्षि", "\u00a0",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(words, 1, 40).Draw(t, "words"),
			rapid.SampledFrom([]string{" ", "", "\n", "\n\n"}).Draw(t, "between"))
		width := rapid.IntRange(20, 80).Draw(t, "width")
		for _, md := range []string{"a" + text, "| h |\n|---|\n| " + strings.ReplaceAll(text, "\n", " ") +
			" |", "```\n" + text + "\n```"} {
			lines := newAt(dark, width).Render(md)
			checkLines(t, lines, width, md)
			got := onlyText(ansi.Strip(strings.Join(lines, "")))
			if want := onlyText(text); !strings.Contains(got, want) {
				t.Fatalf("Render(%q) at %d cells shows %q, want %q in it", md, width, got, want)
			}
		}
	})
}

// onlyText returns s without spaces, line breaks and the sign of a wrapped line.
func onlyText(s string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '↪' {
			return -1
		}
		return r
	}, s)
}
