package markdown

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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

// streamed returns the final lines of md written in the given chunks, with a frame after each.
func streamed(t testing.TB, r *Renderer, chunks []string) []string {
	t.Helper()
	s := NewStream(r)
	for _, c := range chunks {
		s.Write(c)
		checkLines(t, s.Lines(), r.size.pane, s.Text())
	}
	s.Finish()
	if got, want := s.Text(), strings.Join(chunks, ""); got != want {
		t.Fatalf("Text() is %q, want %q", got, want)
	}
	return s.Lines()
}

func TestFinishedStreamEqualsRender(t *testing.T) {
	for name, md := range corpus(t) {
		for _, width := range []int{8, 76} {
			r := newAt(plain, width)
			want := r.Render(md)
			for _, step := range []int{64, len(md), 7} {
				if step == 7 && testing.Short() {
					continue
				}
				var chunks []string
				for c := range slices.Chunk([]byte(md), step) {
					chunks = append(chunks, string(c))
				}
				if got := streamed(t, r, chunks); !slices.Equal(got, want) {
					t.Fatalf("%s at width %d by %d bytes:\n%s", name, width, step, difference(got, want))
				}
			}
		}
	}
}

// A stream may be stopped anywhere: what is shown then is the rendering of that text.
func TestStreamStoppedAnywhere(t *testing.T) {
	for name, md := range corpus(t) {
		if len(md) > 2500 {
			continue
		}
		r, step := newAt(dark, 50), 17
		if testing.Short() {
			step = 211
		}
		for cut := 0; cut <= len(md); cut += step {
			want := r.Render(md[:cut])
			got := streamed(t, r, []string{md[:cut/2], md[cut/2 : cut]})
			if !slices.Equal(got, want) {
				t.Fatalf("%s cut at byte %d, after %q:\n%s", name, cut, md[max(0, cut-30):cut], difference(got, want))
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

func TestFinishedStreamOfRandomPiecesEqualsRender(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		md := strings.Join(rapid.SliceOfN(rapid.SampledFrom(markdownPieces), 0, 60).Draw(t, "pieces"), "")
		r := newAt(plain, rapid.IntRange(1, 60).Draw(t, "width"))
		want := r.Render(md)
		var chunks []string
		for rest := md; rest != ""; {
			n := rapid.IntRange(1, min(40, len(rest))).Draw(t, "chunk")
			chunks = append(chunks, rest[:n])
			rest = rest[n:]
		}
		s := NewStream(r)
		for _, c := range chunks {
			s.Write(c)
			s.Lines()
		}
		s.Finish()
		if got := s.Lines(); !slices.Equal(got, want) {
			t.Fatalf("chunks %q:\n%s", chunks, difference(got, want))
		}
	})
}

// A long code block is shown while it is open.
func TestStreamShowsLongOpenCode(t *testing.T) {
	inOneGoroutine(t)
	s := NewStream(newAt(dark, 60))
	s.Write("Look:\n\n```go\n")
	for range 400 {
		s.Write("func f() int { return 1 }\n\n")
		s.Lines()
	}
	if got := len(s.Lines()); got < 790 {
		t.Errorf("400 functions of two lines show as %d lines", got)
	}
}

// Texts that are extreme stay within their width while they stream, and end as they are rendered.
func TestStreamOfExtremes(t *testing.T) {
	inOneGoroutine(t)
	for name, md := range map[string]string{
		"code of 10,000 lines":       "```\n" + strings.Repeat("x := f(1)\n", 10_000) + "```\n",
		"a line of code of 100 KB":   "```\n" + strings.Repeat("0123456789", 10_000) + "\n```\n",
		"a word of 100 KB":           strings.Repeat("ä1", 33_000),
		"a line of 100 KB":           strings.Repeat("ten bytes ", 10_000),
		"Chinese":                    strings.Repeat("汉字混排测试，很好。", 500),
		"Arabic, Hebrew and Persian": strings.Repeat("مرحبا بالعالم שלום עולם می\u200cخواهم ", 300),
		"families":                   strings.Repeat("👩\u200d👩\u200d👧🏳\ufe0f\u200d🌈", 500),
		"a wide table": "| " + strings.Repeat("a column | ", 60) + "\n|" + strings.Repeat("---|", 60) +
			"\n| " + strings.Repeat("汉字 cell | ", 60),
		"dollars": strings.Repeat("$a ", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newAt(dark, 60)
			s := NewStream(r)
			for at := 0; at < len(md); at += 4 << 10 {
				s.Write(md[at:min(at+4<<10, len(md))])
				s.Lines()
			}
			s.Finish()
			checkLines(t, s.Lines(), 60, name)
			if want := newAt(dark, 60).Render(md); !slices.Equal(s.Lines(), want) {
				t.Errorf("streamed it ends otherwise:\n%s", difference(s.Lines(), want))
			}
		})
	}
}

// difference shows where got leaves want.
func difference(got, want []string) string {
	var b strings.Builder
	for i := range max(len(got), len(want)) {
		g, w := "(none)", "(none)"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			b.WriteString("line " + string(rune('0'+i%10)) + " got  " + strconvQuote(g) + "\n       want " +
				strconvQuote(w) + "\n")
			if b.Len() > 2000 {
				break
			}
		}
	}
	return b.String()
}

// What streaming costs is bounded by what rendering the finished text once costs, here counted
// in allocations, which are the same on every machine.
func TestStreamCostsNoMoreThanThrice(t *testing.T) {
	inOneGoroutine(t)
	for _, name := range []string{"mixed200K", "code61K", "paragraphs20K", "paragraph20K", "list20K", "table8K"} {
		md := answers(t)[name]
		md = md[:min(len(md), 30_000)]
		once := testing.AllocsPerRun(1, func() { newAt(dark, 80).Render(md) })
		streamed := testing.AllocsPerRun(1, func() {
			inFrames(md, func(s *Stream) { s.Lines() })
		})
		if streamed > 3*once {
			t.Errorf("%s: streaming costs %.0f allocations, want at most three times the %.0f of rendering once", name,
				streamed, once)
		}
	}
}

// However a text is cut, its stream ends as its rendering, and no line that was final changes.
func FuzzStream(f *testing.F) {
	for _, s := range markdownPieces {
		f.Add(s+"\n\n"+s, 20, 3)
	}
	f.Fuzz(func(t *testing.T, md string, width, step int) {
		width, step = 1+max(width, -width)%100, 1+max(step, -step)%100
		if len(md) > 2000 {
			return
		}
		r := newAt(dark, width)
		s := NewStream(r)
		var final []string
		for at := 0; at < len(md); at += step {
			s.Write(md[at:min(at+step, len(md))])
			lines := s.Lines()
			checkLines(t, lines, width, s.Text())
			if len(lines) < len(final) || !slices.Equal(lines[:len(final)], final) {
				t.Fatalf("after %q final lines changed:\n%s", s.Text(),
					difference(lines[:min(len(lines), len(final))], final))
			}
			final = slices.Clone(lines[:s.final])
		}
		s.Finish()
		if got, want := s.Lines(), r.Render(md); !slices.Equal(got, want) {
			t.Fatalf("%q by %d bytes:\n%s", md, step, difference(got, want))
		}
	})
}
