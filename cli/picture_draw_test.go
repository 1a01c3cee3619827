package cli

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// drawnLines are the lines of the picture of a screen of 12 by 2 cells, without the frame around them.
func drawnLines(t *testing.T, page pageColours, output string) string {
	t.Helper()
	s := newScreen(12, 2)
	s.hidden = true
	s.write([]byte(output))
	svg := picture(s, page, "a <title>")
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%q is drawn as\n%s\nwhich is no XML: %v", output, svg, err)
		}
	}
	_, lines, _ := strings.Cut(svg, "pre;font-variant-ligatures:none\">\n")
	lines, _, _ = strings.Cut(lines, "</g>")
	return lines
}

func TestPicturesHaveWhatTheScreenShows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, output string
		page         pageColours
		want         []string
	}{
		{"plain text has the colour of the page", "ab", darkPage, []string{`fill="#d5d8de"`, ">ab</text>"}},
		{"so it has on a light page", "ab", lightPage, []string{`fill="#2b2e34"`}},
		{"bold, italic and a colour", "\x1b[1;3;38;2;1;2;3mab", darkPage, []string{`fill="#010203" font-weight="bold" font-style="italic"`}},
		{"faint is mixed with what is under it", "\x1b[2;38;2;100;100;100;48;2;0;0;0ma", darkPage, []string{`fill="#3c3c3c"`}},
		{"reverse changes the colours", "\x1b[7ma", darkPage, []string{`fill="#d5d8de" shape`, `fill="#15171b">a<`}},
		{"a tint is one rectangle", "\x1b[48;2;9;9;9mabc d", darkPage, []string{`<rect x="0" y="0" width="42" height="19" fill="#090909"`}},
		{"an underline is one line under all", "\x1b[4ma b", darkPage, []string{`width="25.2" height="1" fill="#d5d8de"`}},
		{"what stands behind a gap has its own place", "a    b", darkPage, []string{">a</text>", `x="42"`, ">b</text>"}},
		{"a wide character takes two cells", "日b", darkPage, []string{`textLength="16.8"`, `x="16.8"`}},
		{"a rule is one rectangle", "────", darkPage, []string{`<rect x="0" y="9" width="33.6" height="1"`}},
		{"an upright line is as tall as its cell", "│\r\n│", darkPage, []string{`y="0" width="1" height="19"`, `y="19" width="1" height="19"`}},
		{"what means something to XML is escaped", "<&", darkPage, []string{"&lt;&amp;"}},
		{"durations are the same at every run", "12.4 s x", darkPage, []string{">1.9 s<", `x="58.8"`}},
		{"a session's id too", "0199aaaa-1", darkPage, []string{">01999f0e-1c2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := drawnLines(t, c.page, c.output)
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q is drawn as\n%s\nwithout %s", c.output, got, want)
				}
			}
		})
	}
}

// Every mark of a message is drawn as a shape, so that it has one size whatever the font.
func TestMarksAreShapes(t *testing.T) {
	t.Parallel()
	for _, text := range strings.Split("● ○ ◐ ◆ ⊘ ▲ ✚ ▌ ┃ ┄ ┊ ╭ ╮ ╰ ╯ █ ░ ┼", " ") {
		if got := drawnLines(t, darkPage, text); strings.Contains(got, "<text") || strings.TrimSpace(got) == "" {
			t.Errorf("%s is drawn as %q, want a shape", text, got)
		}
	}
}
