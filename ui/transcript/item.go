// Package transcript shows a conversation: a list of messages that scrolls, follows an answer
// while it streams, and carries beside each message what the model sees of it. Only what is on
// the screen is rendered, so a frame costs the same for ten messages and for a hundred thousand.
package transcript

import (
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/ui/markdown"
)

// Item is one message as it is shown.
type Item struct {
	ID        int64        // unique in the list; the message's id, or a negative one until it has one
	Role      history.Role // who speaks, which decides the label's colour; "" for a notice of winnow's own
	Label     string       // the speaker's name; five cells are shown beside the text
	Text      string       // the message; Markdown unless Plain
	Reasoning string       // folded into one line until expanded
	Note      string       // what became of it, such as "stopped", "" for nothing
	Footer    string       // the receipt
	Head      string       // a line above the text: its place among its versions
	Trail     string       // a line below all else: where another conversation begins or ends here
	Plain     bool         // Text is shown as it is, not read as Markdown
	Fold      bool         // Text is one line until expanded: for long tool output
}

// Mark is what is drawn beside a message about the next request. It may change at every key
// press: it never changes the message's height.
type Mark struct {
	Glyph    string // one cell
	Tag      string // a word or a number at the right edge of the message, where there is room
	Style    lipgloss.Style
	Selected bool // a sign stands beside all of its lines
}

// entry is an item with its state in the list.
type entry struct {
	Item
	expanded bool // Text is shown whole
	turned   bool // Reasoning is shown otherwise than that of the others
	stream   *markdown.Stream
	measured bool // its height is known at the present width

	beginning beginning        // of a text that is too long to be shown
	grown     *strings.Builder // a text that became too long for a stream
}
