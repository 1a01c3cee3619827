//go:build unix

package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// anchor makes a line stand where the layout wants it, however many cells the terminal takes for an emoji of several
// people, a flag, a new emoji or a letter with its vowel. The terminal is not asked: it is told where the next
// character begins.
//
// An emoji may be drawn narrower or wider, so its cells are erased before it and left behind it. A letter with marks
// would lose them in that way. It takes more cells where the terminal gives a mark one of its own, and what is behind
// it moves along, up to a border or two blanks.
//
// It tells whether the line has a character that some terminals count otherwise than the layout.
func anchor(line uv.Line) (unsure bool) {
	moved := false // the terminal may be further to the right
	for x := range line {
		c := &line[x]
		first, size := utf8.DecodeRuneInString(c.Content)
		unsure = unsure || size != len(c.Content) || unicode.IsMark(first) || !unicode.IsGraphic(first)
		border := first >= '─' && first <= '▟'
		if moved && (border || c.Content != " " && x >= 2 && line[x-1].Content+line[x-2].Content == "  ") {
			c.Content = ansi.CursorHorizontalAbsolute(x+1) + c.Content
			moved = false
		}
		switch {
		case moved, size == len(c.Content) && !emoji(first): // most characters, which all terminals count alike
		case strings.ContainsFunc(c.Content, emoji):
			c.Content = ansi.EraseCharacter(c.Width) + c.Content + ansi.CursorHorizontalAbsolute(x+c.Width+1)
		default:
			moved = ansi.WcWidth.StringWidth(c.Content) > c.Width
		}
	}
	return unsure
}

// emoji tells whether a character with r in it is an emoji, or becomes one by it.
func emoji(r rune) bool {
	const textStyle, emojiStyle, keycap = '\ufe0e', '\ufe0f', '\u20e3'
	return r >= 0x1f000 && r < 0x20000 || r == textStyle || r == emojiStyle || r == keycap
}
