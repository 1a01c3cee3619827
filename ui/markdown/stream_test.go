package markdown

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// corpus returns the documents of testdata/corpus by name.
func corpus(t testing.TB) map[string]string {
	t.Helper()
	names, err := filepath.Glob("testdata/corpus/*.md")
	if err != nil || len(names) == 0 {
		t.Fatalf("no documents in testdata/corpus: %v", err)
	}
	docs := map[string]string{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		docs[filepath.Base(name)] = string(b)
	}
	return docs
}

// streamed returns the final lines of md written by so many bytes, with a frame after each.
func streamed(t testing.TB, r *Renderer, md string, step int) []string {
	t.Helper()
	s := NewStream(r)
	for at := 0; at < len(md); at += step {
		s.Write(md[at:min(at+step, len(md))])
		checkLines(t, s.Lines(), r.size.pane, s.Text())
	}
	s.Finish()
	return s.Lines()
}

func TestTheCorpusFitsEveryWidthAndIsStreamedAsItIsRendered(t *testing.T) {
	for name, md := range corpus(t) {
		for _, width := range []int{0, 1, 2, 5, 8, 20, 40, 76, 200} {
			checkLines(t, newAt(dark, width).Render(md), max(width, 1), name)
			r := newAt(plain, width)
			want := r.Render(md)
			checkLines(t, want, max(width, 1), name)
			for _, step := range []int{64, len(md), 7} {
				if step == 7 && testing.Short() || step < len(md) && width != 8 && width != 76 {
					continue
				}
				if got := streamed(t, r, md, step); !slices.Equal(got, want) {
					t.Fatalf("%s at width %d by %d bytes:\n%s", name, width, step, difference(got, want))
				}
			}
		}
	}
}

// markdownPieces are put together at random: blocks that reach into each other.
var markdownPieces = []string{
	"# h", "text", " ", "\n", "\n", "\n\n", "- a", "  - b", "1. c", "1. d", "10) e", "> q", "```go\n", "```", "~~~",
	"    code", "\t", "| a | b |", "|---|--:|",
	"| 1 | 2 |", "===", "---", "***", "[l][r]", "[r]: /u", "[r2]: <x> 'title'", "![i](u)", "<div>", "</div>", "<!--",
	"-->", "vector<int>", "`c`", "``", "**b**", "*", "_e_", "~~s~~",
	"\\", "&#27;", "&lt;", "\x1b[31m", "\r\n", "\r", "汉字", "👩‍👩‍👧", "http://a.b/c", "- [x] t", "[^1]", ":",
	"func f() { return }", "   ", "+", "*", "\xff",
	scotland, "\ufeff", "soft\u00adhyphen", "می\u200cخواهم",
}

// However a text is cut, its stream stays within its width and ends as its rendering, and no line that was final
// changes.
func TestStreamOfRandomPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		md := strings.Join(rapid.SliceOfN(rapid.SampledFrom(markdownPieces), 0, 80).Draw(t, "pieces"), "")
		r := newAt(rapid.SampledFrom([]Style{dark, plain}).Draw(t, "style"), rapid.IntRange(1, 60).Draw(t, "width"))
		s := NewStream(r)
		var final []string
		for rest := md; rest != ""; {
			n := rapid.IntRange(1, min(40, len(rest))).Draw(t, "chunk")
			s.Write(rest[:n])
			rest = rest[n:]
			lines := s.Lines()
			checkLines(t, lines, r.size.pane, s.Text())
			if s.final < len(final) || !slices.Equal(lines[:len(final)], final) {
				t.Fatalf("after %q final lines changed:\n%s", s.Text(),
					difference(lines[:min(len(lines), len(final))], final))
			}
			final = slices.Clone(lines[:s.final])
		}
		s.Finish()
		if got, want := s.Lines(), r.Render(md); !slices.Equal(got, want) {
			t.Fatalf("%q:\n%s", md, difference(got, want))
		}
	})
}

// Code that is rendered piece by piece keeps each of its lines, wherever a piece or a chunk ends.
func TestStreamOfLongCodeKeepsItsLines(t *testing.T) {
	var want []string
	for i := range 3000 {
		want = append(want, fmt.Sprintf("x[%d] := f(1)", i))
	}
	lines := streamed(t, newAt(plain, 60), "```\n"+strings.Join(want, "\n")+"\n```\n", 1000)
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(ansi.Strip(line), "│ ")
	}
	if !slices.Equal(lines, want) {
		t.Error(difference(lines, want))
	}
}

// difference shows where got leaves want.
func difference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			return fmt.Sprintf("from line %d: got %q\nwant %q", i, got[min(i, len(got)):], want[min(i, len(want)):])
		}
	}
	return ""
}

// What streaming costs is bounded by what rendering the finished text once costs, here counted in allocations, which
// are the same on every machine.
func TestStreamCostsNoMoreThanThrice(t *testing.T) {
	inOneGoroutine(t)
	var code strings.Builder
	for i := range 500 {
		fmt.Fprintf(&code, "func f%d(a int) (string, error) { return \"text\", nil } // why\n", i)
	}
	sentence := "A sentence of a paragraph that has nothing in it but words, one behind the other. "
	for name, md := range map[string]string{
		"an answer":   strings.ReplaceAll(strings.Repeat(corpus(t)["answer.md"], 10), "[ref]:", "ref:"),
		"code":        "```go\n" + code.String(),
		"paragraphs":  strings.Repeat(strings.Repeat(sentence, 6)+"\n\n", 40),
		"a paragraph": strings.Repeat(sentence, 240),
		"a list":      strings.Repeat("- An item with **weight** and `code` in one line of text.\n", 340),
		"a table":     "| name | why |\n|---|--:|\n" + strings.Repeat("| row | some text in a cell, with `code` |\n", 150),
	} {
		md = md[:min(len(md), 30_000)]
		once := testing.AllocsPerRun(1, func() { newAt(dark, 80).Render(md) })
		streamed := testing.AllocsPerRun(1, func() {
			s := NewStream(newAt(dark, 80))
			for at := 0; at < len(md); at += frameBytes {
				s.Write(md[at:min(at+frameBytes, len(md))])
				s.Lines()
			}
			s.Finish()
		})
		if streamed > 3*once {
			t.Errorf("%s: streaming costs %.0f allocations, want at most three times the %.0f of rendering once", name,
				streamed, once)
		}
	}
}

// frameBytes is how much of an answer arrives between two frames.
const frameBytes = 430

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
