package markdown

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
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
