package markdown

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

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

// endsOnGround tells whether what line ends in has a background.
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

func TestRenderFitsEveryWidth(t *testing.T) {
	for name, md := range corpus(t) {
		for _, style := range []Style{dark, plain} {
			for _, width := range []int{0, 1, 2, 5, 8, 20, 40, 79, 200} {
				lines := newAt(style, width).Render(md)
				if len(lines) == 0 {
					t.Errorf("%s at width %d has no lines", name, width)
				}
				checkLines(t, lines, max(width, 1), name)
			}
		}
	}
}

func TestRenderShows(t *testing.T) {
	for _, c := range []struct{ name, md, want string }{
		{"raw html", "a vector<int> here", "a vector<int> here"},
		{"an html block", "<think>\nhm *x*\n</think>\n", "<think>\nhm *x*\n</think>"},
		{"an entity that is an escape", "x&#27;[31my", "x␛[31my"},
		{"an entity in a link", "[a](http://b/&#27;c)", "a (http://b/␛c)"},
		{"an override by entity", "x&#x202e;y", "x<U+202E>y"},
		{"an escape in code", "```\n\x1b[31mred\n```", "│ ␛[31mred"},
		{"tabs in code", "```\nif x {\n\treturn\n}\n```", "│ if x {\n│     return\n│ }"},
		{
			"headings", "# One\na\n## Two\n\nb\n### Three\n\nc\n#### Four\n```\nd\n```",
			"One\n\na\n\nTwo\n\nb\n\nThree\nc\n\nFour\n\n│ d",
		},
		{"a link", "[text](https://example.org)", "text (https://example.org)"},
		{"a reference defined later", "[text][r]\n\n[r]: https://example.org\n", "text (https://example.org)"},
		{
			"an address that only seems its text", "[https://example.org](https://example.com)",
			"https://example.org\n(https://example.com)",
		},
		{"links in a table", "| a |\n|---|\n| [k](k.md) <https://e.org> |", "a\n" + strings.Repeat("─", 15) +
			"\nk https://e.org"},
		{"breaks in a table", "| a | b |\n|:-:|---|\n| x<br>yyy | z |", " a    b\n───────\n x    z\nyyy"},
		{"formulas", "\\(a_1 * b_2 * c\\), \\[x\\], $e^{i\\pi}$, $$a*b*c$$", "\\(a_1 * b_2 * c\\), \\[x\\], " +
			"$e^{i\\pi}$,\n$$a*b*c$$"},
		{"a formula of lines", "So:\n\\[\na\n- b \\\\\n= c\n\\]\nand", "So:\n\n│ \\[\n│ a\n│ - b \\\\\n│ = c\n│ " +
			"\\]\n\nand"},
		{"line breaks", "a<br>b<br/>c<br />\nd", "a\nb\nc\nd"},
		{"lowered and raised", "H<sub>2</sub>O, x<sup>2</sup>", "H_2O, x^2"},
		{"details", "<details>\n<summary>More <b></summary>\n\n- a\n\n</details>\n\nb", "More <b>\n\n• a\n\nb"},
		{"a quote of code", "> ```sh\n> ls\n> ```", "│ │ sh\n│ │ ls"},
		{"an image", "![a cat](https://example.org/cat.png)", "image: a cat\n(https://example.org/cat.png)"},
		{"soft and hard breaks", "a\nb  \nc\\\nd", "a b\nc\nd"},
		{"nested lists", "- a\n  - b\n    1. c\n- d", "• a\n  • b\n    1. c\n• d"},
		{"code in an item", "1. do\n   ```\n   x  y\n   ```\n2. end", "1. do\n\n   │ x  y\n\n2. end"},
		{"empty code between", "a\n```\n```\nq", "a\n\nq"},
	} {
		lines := newAt(plain, 40).Render(c.md)
		if got := ansi.Strip(strings.Join(lines, "\n")); got != c.want {
			t.Errorf("%s: %q\ngot  %q\nwant %q", c.name, c.md, got, c.want)
		}
	}
}

// A link is underlined and opens its address, which is shown where the terminal opens none, or where the
// text would name another one.
func TestRenderLinks(t *testing.T) {
	for _, c := range []struct{ md, want string }{
		{"[Keys](docs/keys.md)", "Keys"},
		{"[Keys](https://example.org)", "{https://example.org Keys}"},
		{"https://example.org", "{https://example.org https://example.org}"},
		{"<you@example.org>", "{mailto:you@example.org you@example.org}"},
		{"[a](https://example.org/ü)", "{https://example.org/%C3%BC a}"},
		{"[my.bank/login](https://example.org)", "{https://example.org my.bank/login} (https://example.org)"},
		{"[a](file:///etc/passwd)", "a (file:///etc/passwd)"},
		{"[a](javascript:alert)", "a (javascript:alert)"},
		{"[a](https://b/&#27;]8;;&#7;)", "a (https://b/␛]8;;␇)"},
	} {
		if got := opened(strings.Join(newAt(dark, 60).Render(c.md), "\n")); got != c.want {
			t.Errorf("Render(%q)\ngot  %q\nwant %q", c.md, got, c.want)
		}
	}
	if got, want := newAt(noColours, 60).Render("[Keys](https://example.org)")[0],
		"\x1b[4mKeys\x1b[m (https://example.org)"; got != want {
		t.Errorf("without links: got %q, want %q", got, want)
	}
	lines := newAt(dark, 8).Render("[a long text of a link](https://example.org)")
	for i, want := range []string{"a long", "text of", "a link"} {
		if got := opened(lines[i]); got != "{https://example.org "+want+"}" {
			t.Errorf("line %d of a link is %q, want all of %q to open it", i, got, want)
		}
	}
}

// opened returns a line without styles, and a link in it as {address text}.
func opened(line string) string {
	line = withoutStyles(line)
	links := regexp.MustCompile("\x1b]8;[^;]+;([^\a]*)\a([^\x1b]*)\x1b]8;;\a")
	return links.ReplaceAllString(line, "{$1 $2}")
}

// What the attributes of a terminal say needs no signs, also without colours.
func TestRenderWithoutColours(t *testing.T) {
	for md, want := range map[string]string{
		"**a** *b* ~~c~~":    "\x1b[1ma\x1b[m \x1b[3mb\x1b[m \x1b[9mc\x1b[m",
		"# a":                "\x1b[4;1ma\x1b[m",
		"## a":               "\x1b[1ma\x1b[m",
		"`a`":                "`a`",
		"- a":                "\x1b[2m•\x1b[m a",
		"> a":                "\x1b[2m│\x1b[m a",
		"```go\nx // y\n```": "\x1b[2m│\x1b[m \x1b[2mgo\x1b[m\n\x1b[2m│\x1b[m x \x1b[3m\x1b[2m// y\x1b[m",
	} {
		if got := strings.Join(newAt(noColours, 40).Render(md), "\n"); got != want {
			t.Errorf("Render(%q)\ngot  %q\nwant %q", md, got, want)
		}
	}
}

// Code stands on a ground from edge to edge of the pane, prose takes less; a long line goes on behind a sign.
func TestRenderCode(t *testing.T) {
	for _, c := range []struct{ name, md, want string }{
		{
			"in a shell", "```bash\nss -ltnp 'a b' | grep x\n# why\n```",
			"{l:bash}\n{ss -ltnp }{s:'a b'}{ | grep x}\n{c:# why}",
		},
		{"in Go", "```go\nreturn \"a\", f(x)\n```", "{l:go}\n{k:return}{ }{s:\"a\"}{, }{f:f}{(x)}"},
		{"numbers", "```go\nx = 12\n```", "{l:go}\n{x = }{n:12}"},
		{"a diff", "```diff\n-old\n+new\n```", "{l:diff}\n{-:-old}\n{+:+new}"},
		{"a long line", "```\none two three four five six seven\n```", "{one two three four five}\n↪{six seven}"},
		{"without a name", "    x", "{x}"},
	} {
		r := New(dark, 20, 30)
		var want []string
		for line := range strings.SplitSeq(c.want, "\n") {
			want = append(want, codeRow(r, line, 30))
		}
		if got := r.Render(c.md); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s", c.name, difference(got, want))
		}
	}
	if got := New(dark, 20, 30).Render("Prose has less than code to itself."); len(got) != 2 {
		t.Errorf("prose is %q, want two lines", got)
	}
}

// codeRow is a line of code: {text}, {k:keyword}, {s:string}, {f:function}, {n:number}, {c:comment}, {l:label},
// {-:deleted}, {+:inserted}; it begins with ↪ where another goes on.
func codeRow(r *Renderer, pieces string, width int) string {
	out, used := r.code[chroma.Text].paint("  "), 2
	if after, ok := strings.CutPrefix(pieces, "↪"); ok {
		out, pieces = r.code[chroma.GenericPrompt].paint("↪ "), after
	}
	kinds := map[string]chroma.TokenType{
		"k": chroma.Keyword, "s": chroma.LiteralString, "f": chroma.NameFunction, "n": chroma.LiteralNumber,
		"c": chroma.Comment, "l": chroma.GenericPrompt, "-": chroma.GenericDeleted, "+": chroma.GenericInserted,
	}
	for piece := range strings.SplitSeq(strings.Trim(pieces, "{}"), "}{") {
		ink := r.code[chroma.Text]
		if kind, text, ok := strings.Cut(piece, ":"); ok && kinds[kind] != 0 {
			ink, piece = r.code[kinds[kind]], text
		}
		out += ink.paint(piece)
		used += len(piece)
	}
	return out + r.code[chroma.Text].paint(strings.Repeat(" ", width-used))
}

// A table has a bold head, a rule and room between its columns; where it is too wide its cells are wrapped, and
// where that is not enough each row becomes a list.
func TestRenderTable(t *testing.T) {
	md := "| Signal | What it does | Number |\n|---|---|---|\n| SIGTERM | asks the process to finish | 15 |\n| " +
		"SIGKILL | ends it | 9 |"
	for width, want := range map[int]string{
		60: "Signal    What it does                 Number\n" + strings.Repeat("─", 45) +
			"\nSIGTERM   asks the process to finish       15\nSIGKILL   ends it                           9",
		34: "Signal    What it does      Number\n" + strings.Repeat("─", 34) +
			"\nSIGTERM   asks the              15\n          process to\n          finish\n\nSIGKILL   ends it       " +
			"         9",
		20: "Signal: SIGTERM\nWhat it does: asks\n  the process to\n  finish\nNumber: 15\n\nSignal: SIGKILL\nWhat it " +
			"does: ends\n  it\nNumber: 9",
	} {
		if got := ansi.Strip(strings.Join(newAt(dark, width).Render(md), "\n")); got != want {
			t.Errorf("at %d cells:\n%s\nwant:\n%s", width, got, want)
		}
	}
	if got := newAt(noColours, 40).Render(md)[0]; !strings.HasPrefix(got, "\x1b[1mSignal\x1b[m") {
		t.Errorf("the head is %q, want it bold", got)
	}
}

// Inline code has a cell of its ground at either side, and is not broken where a line has room for it.
func TestRenderInlineCode(t *testing.T) {
	r := newAt(dark, 30)
	code, text := newInk(dark.Strong, dark.Tint), newInk(dark.Text, "")
	want := []string{text.paint("Some words and then"), code.paint(" kill -9 PID ") + text.paint(" ends it.")}
	if got := r.Render("Some words and then `kill -9 PID` ends it."); !slices.Equal(got, want) {
		t.Errorf("%s", difference(got, want))
	}
}

// Scripts without spaces fill their lines, and no line begins with the sign that ends a sentence.
func TestRenderBreaksChinese(t *testing.T) {
	got := strings.Join(newAt(plain, 10).Render("See 汉字混排测试。很好 and more"), "\n")
	if want := "See 汉字混\n排测试。很\n好 and\nmore"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
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

func TestPlainKeepsLinesAndSpaces(t *testing.T) {
	got := strings.Join(newAt(dark, 10).Plain("  a **b**\n\nlong words here\x1b[2J\n"), "\n")
	if want := "  a **b**\n\nlong words\nhere␛[2J"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
