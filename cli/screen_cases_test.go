package cli

import "testing"

func TestScreenReadsWhatProgramsWrite(t *testing.T) {
	cases := []struct{ name, output, want string }{
		{"text and lines", "ab\r\ncd", "ab\ncd\n"},
		{"colours and modes pass", "\x1b[1;38;2;1;2;3ma\x1b[m\x1b[?2026h\x1b[?25lb\x1b]0;title\x07c\x1bP+q\x1b\\d", "abcd\n\n"},
		{"position", "\x1b[2;3Hx\x1b[1;1Hy\x1b[3dz\x1b[6Gw", "y\n  x\n z   w"},
		{"moves", "abc\x1b[2Dx\x1b[By\x1b[Az\x1b[10Cq", "axcz     q\n  y\n"},
		{"erase to the end of the line", "abcdef\x1b[3G\x1b[K", "ab\n\n"},
		{"erase to the start of the line", "abcdef\x1b[3G\x1b[1K", "   def\n\n"},
		{"erase the screen", "ab\r\ncd\x1b[2J\x1b[Hx", "x\n\n"},
		{"erase below", "ab\r\ncd\x1b[1;2H\x1b[J", "a\n\n"},
		{"erase cells", "abcdef\x1b[2G\x1b[3X", "a   ef\n\n"},
		{"repeat", "a\x1b[4bz", "aaaaaz\n\n"},
		{"insert and delete cells", "abc\x1b[2G\x1b[@x\x1b[2G\x1b[P", "abc\n\n"},
		{"wide characters take two cells", "日本\x1b[3Gx", "日x\n\n"},
		{"a combining mark joins", "e\u0301x", "e\u0301x\n\n"},
		{"wrap waits for the next character", "0123456789", "0123456789\n\n"},
		{"wrap", "0123456789a", "0123456789\na\n"},
		{"the screen scrolls", "a\r\nb\r\nc\r\nd", "b\nc\nd"},
		{"a region scrolls alone", "a\r\nb\r\nc\x1b[1;2r\x1b[2;1H\n\x1b[r", "b\n\nc"},
		{"lines are inserted", "a\r\nb\x1b[1;1H\x1b[Lx", "x\na\nb"},
		{"lines are taken out", "a\r\nb\r\nc\x1b[1;1H\x1b[M", "b\nc\n"},
		{"reverse index", "a\r\nb\x1b[1;1H\x1bMx", "x\na\nb"},
		{"tab", "a\tb", "a       b\n\n"},
		{"the alternate screen is another", "a\x1b[?1049h\x1b[Hb\x1b[?1049l", "a\n\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			// Once whole and once byte by byte: a read may end anywhere.
			whole, pieces := newScreen(10, 3), newScreen(10, 3)
			whole.write([]byte(c.output))
			for i := range len(c.output) {
				pieces.write([]byte{c.output[i]})
			}
			for _, s := range []*screen{whole, pieces} {
				if got := s.text(); got != c.want {
					t.Errorf("%q shows\n%q\nwant\n%q", c.output, got, c.want)
				}
			}
		})
	}
}
