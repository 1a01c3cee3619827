package cli

import (
	"fmt"
	"html"
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"winnow/ui/uitest/terminal"
)

// pageColours are the colours of the terminals in which tours run.
var pageColours = map[string]terminal.Page{
	"dark":  {Background: color.RGBA{0x15, 0x17, 0x1b, 0xff}, Text: color.RGBA{0xd5, 0xd8, 0xde, 0xff}},
	"light": {Background: color.RGBA{0xfc, 0xfc, 0xfa, 0xff}, Text: color.RGBA{0x2b, 0x2e, 0x34, 0xff}},
}

// TestTours runs the scripts of testdata/tour, whose screens are the pictures in docs/screens. -update draws them.
func TestTours(t *testing.T) {
	t.Parallel()
	for page := range pageColours {
		t.Run(page, func(t *testing.T) { runScripts(t, "tour", page) })
	}
}

// varying lists texts that differ in every run and their replacements: durations, session ids and times of requests.
var varying = []struct {
	found *regexp.Regexp
	by    string
}{
	{regexp.MustCompile(`\b\d+(\.\d+)? m?s\b`), "1.9 s"},
	{regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{1,4}(-[0-9a-f-]*)?`), "01999f0e-1c2d"},
	{regexp.MustCompile(`2026-11-21 13:2\d:\d\d`), "2026-11-21 13:20:00"},
	{regexp.MustCompile(`\d?\d [A-Z][a-z][a-z] \d\d:\d\d:\d\d`), "21 Nov 13:20:00"},
	{regexp.MustCompile(`\b\d\d:\d\d:\d\d\b`), "13:20:00"},
}

// steadyCells replaces varying texts in cells, and pads them with blanks.
func steadyCells(lines [][]uv.Cell) [][]uv.Cell {
	for _, line := range lines {
		text := make([]rune, len(line))
		for x, c := range line {
			text[x] = ' '
			for _, r := range c.Content {
				text[x] = r
				break
			}
		}
		for _, v := range varying {
			for _, at := range v.found.FindAllStringIndex(string(text), -1) {
				from, to := len([]rune(string(text)[:at[0]])), len([]rune(string(text)[:at[1]]))
				by := []rune(v.by)
				for x := from; x < max(to, from+len(by)) && x < len(line); x++ {
					line[x].Content = " "
					if x-from < len(by) {
						line[x] = uv.Cell{Content: string(by[x-from]), Width: 1, Style: line[from].Style}
					}
				}
			}
		}
	}
	return lines
}

// wantPicture waits until the screen equals a picture, or draws the picture with -update.
func (in scriptIn) wantPicture(args []string) {
	file := filepath.Join(filepath.Dir(in.Getenv("EXAMPLE")), "docs/screens", args[0]+"-"+in.page+".svg")
	drawn := func() string {
		return terminal.SVG(steadyCells(in.screen.Cells()), pageColours[in.page], strings.Join(args[1:], " "))
	}
	if *update {
		in.screen.Settled()
		in.Check(os.WriteFile(file, []byte(drawn()), 0o644))
		return
	}
	want := in.ReadFile(file)
	in.screen.WaitFor("the picture "+file+"; go test ./cli -run TestTours -update draws it anew", func(string) bool {
		return drawn() == want
	})
}

// TestPicturesStandInThePages keeps the pictures in the pages as they are made: each where a page has a part for it,
// with its title as the text for those who do not see it.
func TestPicturesStandInThePages(t *testing.T) {
	t.Parallel()
	titles := map[string]string{}
	for _, found := range regexp.MustCompile(`(?m)^picture (\S+) (.+)$`).FindAllStringSubmatch(
		readFiles(t, "testdata/tour/*.txtar"), -1) {
		titles[found[1]] = found[2]
	}
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, page := range append(pages, "../README.md") {
		folder := "screens/"
		if page == "../README.md" {
			folder = "docs/screens/"
		}
		for _, found := range regexp.MustCompile(`(?m)^<!-- screen picture (\S+): `).FindAllStringSubmatch(
			readFiles(t, page), -1) {
			shown[found[1]] = true
			checkPart(t, page, "screen picture "+found[1], fmt.Sprintf("\n<picture>\n"+
				"<source media=\"(prefers-color-scheme: dark)\" srcset=\"%[1]s-dark.svg\">\n"+
				"<img src=\"%[1]s-light.svg\" alt=\"%[2]s\">\n</picture>\n\n",
				folder+found[1], html.EscapeString(titles[found[1]])))
		}
	}
	for name := range titles {
		if !shown[name] {
			t.Errorf("no page shows the picture %s", name)
		}
	}
}

// readFiles returns the contents of all files that match a pattern.
func readFiles(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("there is no %s: %v", pattern, err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
