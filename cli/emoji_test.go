package cli

import (
	"strings"
	"testing"
)

// No character of several parts pushes a border, whether the terminal counts characters or their parts. A terminal that
// counts characters shows them whole, another one as much as fits; letters with marks are whole in both.
func TestEmojiPushNoBorder(t *testing.T) {
	const text = "family 👩\u200d👩\u200d👧 heart ❤\ufe0f flag 🇩🇪 thumb 👍🏽 key 1\ufe0f\u20e3 new 🫠 thai กำ end"
	for _, c := range []struct {
		name     string
		clusters bool
		want     string
	}{
		{"by characters", true, text},
		{"by parts", false, "family 👩\u200d heart ❤\ufe0f  flag 🇩🇪 thumb 👍 key 1\ufe0f\u20e3  new 🫠 thai กำ end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			seen := newScreen(140, 30)
			seen.clusters = c.clusters
			term := startOn(t, seen, nil, home(t), t.TempDir(), winnowPath(t), "-m", "guide/guide")
			term.want("guide")
			term.send(pasteStart + text + pasteEnd + enterKey)
			term.want(c.want, "saw 1 of 1")
			checkBorders(t, term, "family")
		})
	}
}

// checkBorders fails where a row that holds a text lacks a vertical line that most rows have.
func checkBorders(t *testing.T, term *terminal, text string) {
	t.Helper()
	term.mu.Lock()
	defer term.mu.Unlock()
	lines := map[int]int{} // how many rows have a line in a column
	for _, row := range term.seen.cells {
		for x, cell := range row {
			if cell.text == "│" {
				lines[x]++
			}
		}
	}
	found := false
	for x, n := range lines {
		if n < term.seen.height/2 {
			continue
		}
		for _, row := range term.seen.cells {
			if strings.Contains(lineText(row), text) {
				found = true
				if row[x].text != "│" && strings.Contains(lineText(row), "│") {
					t.Errorf("the line in column %d is not in %q", x, lineText(row))
				}
			}
		}
	}
	if !found {
		t.Errorf("no row with %q and no line is on the screen:\n%s", text, term.seen.text())
	}
}
