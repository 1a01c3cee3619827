package markdown

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// What a reader sees of a mark is never its first half.
func TestStreamShowsNoHalfMark(t *testing.T) {
	const md = "- It is **very bold**, *soft* and `code` with ~~no~~ [Keys](docs/keys.md).\n\n# A **head** of `x`\n\n" +
		"> so **it**\n> is\n"
	s := NewStream(newAt(dark, 70))
	for i := range len(md) {
		s.Write(md[i : i+1])
		got := withoutStyles(strings.Join(s.Lines(), "\n"))
		if strings.ContainsAny(got, "*`~(#>") || strings.Contains(got, "- ") {
			t.Fatalf("after %q a frame shows %q", md[:i+1], got)
		}
	}
}

func TestOpenMarksAreClosed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"words", "words"},
		{"a **bo", "a **bo**"},
		{"a **", "a"},
		{"a **bold*", "a **bold**"},
		{"a **bold**", "a **bold**"},
		{"a *b", "a *b*"},
		{"***both", "***both***"},
		{"**a *b", "**a *b***"},
		{"~~no", "~~no~~"},
		{"~/home", "~/home"},
		{"~~no~", "~~no~~"},
		{"a ~", "a"},
		{"a `co", "a `co`"},
		{"a `", "a"},
		{"**a `b", "**a `b`**"},
		{"`a` `**` b", "`a` `**` b"},
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
		if got := closeMarks(c.text); got != c.want {
			t.Errorf("closeMarks(%q) is %q, want %q", c.text, got, c.want)
		}
	}
}

func TestUndecided(t *testing.T) {
	for line, want := range map[string]bool{
		"": true, "  ": true, "-": true, "- ": true, "---": true, "**": true, "1": true, "12.": true, "3) ": true,
		"#": true, "``": true, "> -": true, "| ": true, "|---|": true, "- [": true, "- [x": true, "- [ ]": true,
		"a": false, "- a": false, "**b": false, "1. a": false, "see [": false, "# x": false, "x.": false,
		"- [ ] a": false,
	} {
		if got := undecidedLine.MatchString(line); got != want {
			t.Errorf("%q is undecided: %v, want %v", line, got, want)
		}
	}
}

// A long block is not rendered for each frame, but before long, and a stream that lags says so.
func TestStreamOfALongBlockIsStaleForALittle(t *testing.T) {
	inOneGoroutine(t)
	s := NewStream(newAt(dark, 60))
	for range 400 {
		s.Write("some more words ")
		for frames := 0; ; frames++ {
			if s.Lines(); !s.Stale() {
				break
			}
			if most := len(s.Text()) * 9 / 8 / skipBytes; frames >= most {
				t.Fatalf("%d bytes are not shown after %d frames, want at most %d", len(s.Text()), frames+1, most)
			}
		}
	}
	got, want := strings.Fields(ansi.Strip(strings.Join(s.Lines(), " "))), strings.Fields(s.Text())
	if !slices.Equal(got, want) {
		t.Errorf("the stream shows %d words, want %d", len(got), len(want))
	}
}

// While text is added behind them, lines above the open block stay as they are.
func TestStreamFinalLinesNeverChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom(markdownPieces), 0, 80).Draw(t, "pieces")
		md := strings.ReplaceAll(strings.Join(pieces, ""), "]:", "]") // without link definitions
		r := newAt(dark, rapid.IntRange(1, 60).Draw(t, "width"))
		s := NewStream(r)
		var final []string
		check := func() {
			lines := s.Lines()
			if len(lines) < len(final) || !slices.Equal(lines[:len(final)], final) {
				t.Fatalf("after %q final lines changed:\n%s", s.Text(),
					difference(lines[:min(len(lines), len(final))], final))
			}
			if s.final < len(final) {
				t.Fatalf("after %q %d lines are final, before there were %d", s.Text(), s.final, len(final))
			}
			final = slices.Clone(lines[:s.final])
		}
		for rest := md; rest != ""; {
			n := rapid.IntRange(1, min(40, len(rest))).Draw(t, "chunk")
			s.Write(rest[:n])
			rest = rest[n:]
			check()
		}
		s.Finish()
		check()
	})
}

// What a reader has seen above the last block is what stays: a block that two others follow is
// never drawn anew.
func TestStreamKeepsWhatStandsAboveTheLastBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.SliceOfN(rapid.SampledFrom([]string{
			"# Head", "A paragraph\nof **two** lines", "- a\n- b\n  - c", "1. one\n\n   more\n2. two",
			"> quote\n> `more`",
			"```go\nfunc f() {\n\n}\n```", "| a | b |\n|---|---|\n| 1 | 2 |", "---", "- [ ] todo\n- [x] done",
			"<div>\nhtml\n</div>", "    code",
		}), 3, 10).Draw(t, "blocks")
		s := NewStream(newAt(dark, rapid.IntRange(10, 60).Draw(t, "width")))
		var kept []string // what two blocks follow
		var seen [][]string
		for i, b := range blocks {
			for rest := b + "\n\n"; rest != ""; {
				n := rapid.IntRange(1, min(20, len(rest))).Draw(t, "chunk")
				s.Write(rest[:n])
				rest = rest[n:]
				lines := s.Lines()
				if len(lines) < len(kept) || !slices.Equal(lines[:len(kept)], kept) {
					t.Fatalf("after %q:\n%s", s.Text(), difference(lines[:min(len(lines), len(kept))], kept))
				}
			}
			seen = append(seen, slices.Clone(s.Lines()))
			if i > 0 {
				kept = seen[i-1]
			}
		}
	})
}
