package markdown

import (
	"strings"
	"testing"
)

func TestOpenMarksAreClosed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"words", "words"},
		{"a **bo", "a **bo**"},
		{"a **", "a "},
		{"a **bold*", "a **bold**"},
		{"a **bold**", "a **bold**"},
		{"a *b", "a *b*"},
		{"***both", "***both***"},
		{"**a *b", "**a *b***"},
		{"~~no", "~~no~~"},
		{"~/home", "~/home"},
		{"~~no~", "~~no~~"},
		{"a ~", "a "},
		{"a `co", "a `co`"},
		{"a `", "a "},
		{"a ``co`d", "a ``co`d``"},
		{"a ``code`", "a ``code``"},
		{"**a `b", "**a `b`**"},
		{"`a` `**", "`a` `**`"},
		{"2 * 3 is", "2 * 3 is"},
		{"2*3 is", "2*3 is"},
		{`a \*b`, `a \*b`},
		{`a \`, `a \`},
		{"[text](docs/ke", "[text](docs/ke)"},
		{"[text](docs/keys.md) and", "[text](docs/keys.md) and"},
		{"**[text](x", "**[text](x)**"},
		{"[text", "[text"},
		{"x[1](a b", "x[1](a b"},
	} {
		cut, closing := openMarks(c.text)
		if got := c.text[:len(c.text)-cut] + closing; got != c.want {
			t.Errorf("openMarks(%q) makes %q, want %q", c.text, got, c.want)
		}
	}
}

// What a reader sees of a mark is never its first half.
func TestStreamShowsNoHalfMark(t *testing.T) {
	const md = "- It is **very bold**, *soft* and `code` with ~~no~~ [Keys](docs/keys.md).\n\n# A **head** of `x`\n\n> so **it**\n> is\n"
	s := NewStream(newAt(dark, 70))
	for i := range len(md) {
		s.Write(md[i : i+1])
		got := withoutStyles(strings.Join(s.Lines(), "\n"))
		if strings.ContainsAny(got, "*`~(") {
			t.Fatalf("after %q a frame shows %q", md[:i+1], got)
		}
	}
}

func FuzzOpenMarks(f *testing.F) {
	for _, s := range markdownPieces {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if cut, _ := openMarks(text); cut < 0 || cut > len(text) {
			t.Errorf("openMarks(%q) cuts %d bytes", text, cut)
		}
		s := NewStream(newAt(dark, 30))
		s.Write(text)
		checkLines(t, s.Lines(), 30, text)
	})
}
