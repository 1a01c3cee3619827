package markdown

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// framed returns what a frame shows of text: without a cut character and a line that may yet
// become anything.
func framed(text string) string {
	if text != "" {
		text = text[:len(text)-unfinished([]byte(text))]
	}
	last := strings.LastIndexByte(text, '\n') + 1
	if undecided(Visible(text[last:])) {
		return text[:last]
	}
	return text
}

func TestStreamShowsShortBlocksRendered(t *testing.T) {
	for name, md := range corpus(t) {
		md = strings.ReplaceAll(md, "]: ", "] ") // without link definitions, which reach backwards
		if len(md) > shortBlock {
			t.Fatalf("%s has %d bytes, want at most %d", name, len(md), shortBlock)
		}
		for _, step := range []int{5, 13, 100} {
			r := newAt(dark, 60)
			s := NewStream(r)
			for at := 0; at < len(md); at += step {
				s.Write(md[at:min(at+step, len(md))])
				text := Visible(framed(s.Text()))
				if whole := r.parse(text, nil).completed(); whole != "" {
					text = whole
				}
				got, want := s.Lines(), r.Render(text)
				if !slices.Equal(got, want) {
					t.Fatalf("%s by %d bytes, after %q:\n%s", name, step, md[max(0, at-40):min(at+step, len(md))], difference(got, want))
				}
			}
		}
	}
}

// Also a block too long to be rendered for each frame keeps the spaces between its words.
func TestStreamLongOpenBlockKeepsItsSpaces(t *testing.T) {
	const words = "Nothing is\ncut while everything\nfits, here too. "
	for _, step := range []int{4, 13, 200} {
		md := strings.Repeat(words, 80)
		want := strings.Fields(md)
		s := NewStream(newAt(dark, 40))
		for at := 0; at < len(md); at += step {
			s.Write(md[at:min(at+step, len(md))])
			got := strings.Fields(ansi.Strip(strings.Join(s.Lines(), "\n")))
			last := len(got) - 1
			if last > 0 && (!slices.Equal(got[:last], want[:last]) || !strings.HasPrefix(want[last], got[last])) {
				t.Fatalf("by %d bytes, after %d bytes: words %q, want %q", step, at+step, got[max(0, last-12):], want[max(0, last-12):last+1])
			}
		}
	}
}

func TestStreamLongOpenCodeKeepsItsText(t *testing.T) {
	line := "  x := f(a, b)  //  why \n\n"
	md := "```go\n" + strings.Repeat(line, 150)
	for _, step := range []int{1, 13, 429} {
		s := NewStream(newAt(dark, 60))
		for at := 0; at < len(md); at += step {
			s.Write(md[at:min(at+step, len(md))])
			if at%50 != 0 {
				continue
			}
			text := framed(s.Text())
			want := strings.Split(ansi.Strip(strings.Join(newAt(dark, 60).Render(text), "\n")), "\n")
			got := strings.Split(ansi.Strip(strings.Join(s.Lines(), "\n")), "\n")
			if text != "" && len(want) > 0 && !slices.Equal(got, want) {
				t.Fatalf("by %d bytes, after %d bytes:\n%s", step, at+step, difference(got, want))
			}
		}
	}
}

// A long block is rendered again before long, however slowly it comes.
func TestStreamRendersLongOpenBlockAgain(t *testing.T) {
	s := NewStream(newAt(Plain, 60))
	raw, most := 0, 0
	for range 400 {
		s.Write("Some <b>**weight**</b> \\* ")
		if strings.Contains(strings.Join(s.Lines(), " "), `\*`) {
			raw++
		} else {
			raw = 0
		}
		most = max(most, raw)
	}
	if limit := (400*26 + maxOwed) / earned; most > limit {
		t.Errorf("a paragraph of %d bytes showed its source for %d frames, want at most %d", 400*26, most, limit)
	}
}

func TestUndecided(t *testing.T) {
	for line, want := range map[string]bool{
		"": true, "  ": true, "-": true, "- ": true, "---": true, "**": true, "1": true, "12.": true, "3) ": true,
		"#": true, "``": true, "> -": true, "| ": true, "|---|": true, "- [": true, "- [x": true, "- [ ]": true,
		"a": false, "- a": false, "**b": false, "1. a": false, "see [": false, "# x": false, "x.": false, "- [ ] a": false,
	} {
		if got := undecided(line); got != want {
			t.Errorf("undecided(%q) is %v, want %v", line, got, want)
		}
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
				t.Fatalf("after %q final lines changed:\n%s", s.Text(), difference(lines[:min(len(lines), len(final))], final))
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
			"# Head", "A paragraph\nof **two** lines", "- a\n- b\n  - c", "1. one\n\n   more\n2. two", "> quote\n> `more`",
			"```go\nfunc f() {\n\n}\n```", "| a | b |\n|---|---|\n| 1 | 2 |", "---", "- [ ] todo\n- [x] done", "<div>\nhtml\n</div>", "    code",
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
