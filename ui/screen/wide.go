//go:build unix

package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// anchor keeps the columns of a line in place, however many cells the terminal takes for an emoji of several people, a
// flag, a new emoji or a letter with combining marks. It does not query the terminal, but adds sequences that move the
// cursor to where the next character belongs.
//
// An emoji may be drawn narrower or wider than the layout assumes, so its cells are erased first and the cursor is
// moved behind them afterwards. That would erase combining marks. If the terminal gives a mark a cell of its own, the
// text after it shifts to the right, and the cursor is corrected at the next border or after two blanks.
//
// It reports whether the line has a character whose width differs between terminals.
func anchor(line uv.Line) (unsure bool) {
	moved := false // the terminal's cursor may be too far to the right
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
		case moved, size == len(c.Content) && !emoji(first): // most characters: all terminals agree
		case strings.ContainsFunc(c.Content, emoji):
			c.Content = ansi.EraseCharacter(c.Width) + c.Content + ansi.CursorHorizontalAbsolute(x+c.Width+1)
		default:
			moved = ansi.WcWidth.StringWidth(c.Content) > c.Width
		}
	}
	return unsure
}

// emoji reports whether r is an emoji, or makes one of the character that it is part of.
func emoji(r rune) bool {
	const textStyle, emojiStyle, keycap = '\ufe0e', '\ufe0f', '\u20e3'
	return r >= 0x1f000 && r < 0x20000 || r == textStyle || r == emojiStyle || r == keycap
}
