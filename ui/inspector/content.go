// Package inspector shows a message, or a request as a whole, in full: what of it is sent, what is not, and what
// is sent instead. It holds the texts to scroll through, a pager of any length among them, what past requests made of a
// message, and the page of a repair: what is stored against what is sent, and the remedies. It calls no session and no
// other part of the screen.
package inspector

import (
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Content is what the inspector shows. An offset is a number that Offset gives and GoTo takes.
type Content interface {
	keymap.Scroller
	Resize(w, h int)
	Page() int // how many lines a page has
	Offset() int
	GoTo(offset int)
	View(st theme.Styles) []string
	Position() string // how far down it is, "" where all of it is on the screen
	Text() string     // for copying
}
