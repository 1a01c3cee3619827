package composer

import (
	"os"
	"strings"
	"unicode/utf8"

	"winnow/history"
	"winnow/ui/markdown"
)

// ReadFile is a file that was read for a chip.
type ReadFile struct {
	Path string
	Part history.Part
	Sum  string
	Err  error
}

// IsThere says that a path is one of a file, and not of a folder.
func IsThere(path string) bool {
	info, err := os.Stat(Resolved(path))
	return err == nil && info.Mode().IsRegular()
}

// NotText counts the bytes of a text that are not UTF-8.
func NotText(p history.Part) int {
	n := 0
	for i, r := range p.Text {
		if r == utf8.RuneError && !strings.HasPrefix(p.Text[i:], "\uFFFD") {
			n++
		}
	}
	return n
}

// Instead puts chips in the place of one. With none, its text is left.
func (c *Model) Instead(in *Writing, of int, chips []Chip) {
	was := in.Chips[of]
	delete(in.Chips, of)
	if len(chips) == 0 {
		in.Area.Unfold(of, markdown.Visible(was.Text))
		return
	}
	var numbers []int
	var labels []string
	for _, p := range chips {
		c.made++
		in.Chips[c.made] = p
		numbers, labels = append(numbers, c.made), append(labels, p.Label)
	}
	in.Area.Unpack(of, numbers, labels)
}
