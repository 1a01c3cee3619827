package markdown

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func strconvQuote(s string) string { return strconv.Quote(s) }

// checkLines fails where a line is wider than width, ends in a space or holds anything a
// terminal would act on but colours and attributes.
func checkLines(t testing.TB, lines []string, width int, md string) {
	t.Helper()
	for i, line := range lines {
		if w := ansi.StringWidth(line); w > width {
			t.Fatalf("line %d of %q has %d cells, want at most %d: %q", i, md, w, width, line)
		}
		if text := ansi.Strip(line); strings.HasSuffix(text, " ") {
			t.Fatalf("line %d of %q ends in a space: %q", i, md, line)
		}
		if bad := withoutStyles(line); Visible(bad) != bad {
			t.Fatalf("line %d of %q holds a control character: %q", i, md, line)
		}
	}
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
		for _, style := range []Style{dark, light, Plain} {
			for _, width := range []int{0, 1, 2, 5, 8, 20, 40, 79, 200} {
				lines := New(style, width).Render(md)
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
		{"a tag alone", "<think>", "<think>"},
		{"an html block", "<think>\nhm *x*\n</think>\n", "<think>\nhm *x*\n</think>"},
		{"a comment", "<!-- hidden -->", "<!-- hidden -->"},
		{"html in a list", "- std::map<K, V> m", "• std::map<K, V> m"},
		{"html in emphasis", "**a<b>c**", "**a<b>c**"},
		{"an entity", "a &lt;b&gt; &amp; c", "a <b> & c"},
		{"an entity in code", "`&lt;`", "`&lt;`"},
		{"an entity that is an escape", "x&#27;[31my", "x␛[31my"},
		{"an entity of an entity", "x&amp;#27;y", "x&#27;y"},
		{"an entity in a link", "[a](http://b/&#27;c)", "a http://b/&#27;c"},
		{"an override by entity", "x&#x202e;y", "x<U+202E>y"},
		{"an escape in code", "```\n\x1b[31mred\n```", "  ␛[31mred"},
		{"tabs in code", "```\nif x {\n\treturn\n}\n```", "  if x {\n      return\n  }"},
		{"headings", "# One\n\n### Three", "# One\n\n### Three"},
		{"a link", "[text](https://example.org)", "text https://example.org"},
		{"a reference defined later", "[text][r]\n\n[r]: https://example.org\n", "text https://example.org"},
		{"an address", "see https://example.org.", "see https://example.org."},
		{"a link with marks", "[**a** `b`](https://example.org)", "**a** `b` https://example.org"},
		{"a relative link", "see [Keys](docs/keys.md#keys), there", "see Keys, there"},
		{"an anchor", "see [Keys](#keys).", "see Keys."},
		{"a relative reference", "[Keys][k]\n\n[k]: docs/keys.md", "Keys"},
		{"a link without text", "see [](docs/keys.md)", "see docs/keys.md"},
		{"an address that is its text", "[https://example.org/a?b=c&d](https://example.org/a?b=c&d)", "https://example.org/a?b=c&d"},
		{"an address without its scheme", "[example.org](https://example.org/)", "example.org"},
		{"an address that only seems its text", "[https://example.org](https://example.com)", "https://example.org https://example.com"},
		{"mail", "[me@example.org](mailto:me@example.org) <you@example.org>", "me@example.org you@example.org"},
		{"an address in brackets", "<https://example.org/?a=1&b>", "https://example.org/?a=1&b"},
		{"links in a table", "| a |\n|---|\n| [k](k.md) <https://e.org> |", " a\n─────────────────\n k https://e.org"},
		{"an image", "![a cat](https://example.org/cat.png)", "image: a cat https://example.org/cat.png"},
		{"a relative image", "![a cat](cat.png)", "image: a cat"},
		{"an image without text", "![](cat.png)", "image: cat.png"},
		{"soft and hard breaks", "a\nb  \nc\\\nd", "a b\nc\nd"},
		{"a quote", "> a\n> b\n>\n> c", "│ a b\n│\n│ c"},
		{"nested lists", "- a\n  - b\n    1. c\n- d", "• a\n  • b\n    1. c\n• d"},
		{"numbers", "3. a\n3. b\n3. c", "3. a\n4. b\n5. c"},
		{"two paragraphs of an item", "- a\n\n  b\n- c", "• a\n\n  b\n• c"},
		{"code in an item", "1. do\n   ```\n   x  y\n   ```\n2. end", "1. do\n\n     x  y\n2. end"},
		{"tasks", "- [ ] a\n- [x] b", "[ ] a\n[✓] b"},
		{"a rule", "a\n\n---\n\nb", "a\n\n" + strings.Repeat("─", 40) + "\n\nb"},
		{"a table", "| a | b |\n|---|--:|\n| x | 1 |", ""},
		{"only an unfinished fence", "```", ""},
		{"an empty quote", "> \nq", "q"},
		{"blank code first", "```\n\n```\nq", "q"},
		{"empty code between", "a\n```\n```\nq", "a\n\n\n\nq"},
		{"a literal backslash", `a \* b`, "a * b"},
		{"strike", "~~no~~ *e* **s**", "~~no~~ *e* **s**"},
		{"empty", "", ""},
		{"blank", " \n\n ", ""},
	} {
		lines := New(Plain, 40).Render(c.md)
		if c.name == "a table" {
			got := strings.Join(lines, "\n")
			for _, want := range []string{"a", "b", "x", "1", "│", "─"} {
				if !strings.Contains(got, want) {
					t.Errorf("%s: %q\ngot  %q without %q", c.name, c.md, got, want)
				}
			}
			continue
		}
		if got := strings.Join(lines, "\n"); got != c.want {
			t.Errorf("%s: %q\ngot  %q\nwant %q", c.name, c.md, got, c.want)
		}
	}
}

func TestRenderColoursLinks(t *testing.T) {
	const underlined, dim, link = "4", "38;2;138;143;152", "38;2;127;200;200"
	for _, c := range []struct{ md, text, address string }{
		{"[Keys](docs/keys.md)", "Keys", ""},
		{"[Keys](https://example.org)", "Keys", "https://example.org"},
		{"https://example.org", "https://example.org", ""},
		{"<https://example.org>", "https://example.org", ""},
	} {
		line := strings.Join(New(dark, 60).Render(c.md), "\n")
		want := "\x1b[" + link + ";" + underlined + "m" + c.text + "\x1b[m"
		if c.address != "" {
			want += " \x1b[" + dim + "m" + c.address + "\x1b[m"
		}
		if line != want {
			t.Errorf("Render(%q)\ngot  %q\nwant %q", c.md, line, want)
		}
	}
}

func TestRenderTableIsQuiet(t *testing.T) {
	const muted = "\x1b[38;2;138;143;152m"
	got := strings.Join(New(dark, 40).Render("| a | b |\n|---|---|\n| x | 1 |"), "\n")
	want := " \x1b[1ma\x1b[m " + muted + "│\x1b[m \x1b[1mb\x1b[m\n" + muted + "───┼───\x1b[m\n x " + muted + "│\x1b[m 1"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Signs and names without a meaning of their own have the terminal's own colour.
func TestRenderCodeLeavesPlainTextAlone(t *testing.T) {
	for _, style := range []Style{dark, light} {
		got := New(style, 40).Render("```go\nreturn (x)\n```")[0]
		if !strings.HasSuffix(got, "\x1b[m (x)") {
			t.Errorf("style %v: return (x) is %q, want \"(x)\" without a colour", style, got)
		}
	}
}

// Rendering twice gives the same bytes: no colour is chosen at random.
func TestRenderIsTheSameEachTime(t *testing.T) {
	for name, md := range corpus(t) {
		want := New(dark, 60).Render(md)
		for range 5 {
			if got := New(dark, 60).Render(md); !slices.Equal(got, want) {
				t.Fatalf("%s:\n%s", name, difference(got, want))
			}
		}
	}
}

func TestRenderPlainStyleWritesNoEscape(t *testing.T) {
	for name, md := range corpus(t) {
		if got := strings.Join(New(Plain, 60).Render(md), "\n"); strings.Contains(got, "\x1b") {
			t.Errorf("%s without colour holds an escape sequence: %q", name, got)
		}
	}
}

func TestPlainKeepsLinesAndSpaces(t *testing.T) {
	got := strings.Join(New(dark, 10).Plain("  a **b**\n\nlong words here\x1b[2J\n"), "\n")
	if want := "  a **b**\n\nlong words\nhere␛[2J"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
