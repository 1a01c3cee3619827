// Package transcript shows a conversation: a list of messages that scrolls, follows an answer
// while it streams, and carries beside each message what the model sees of it. Only what is on
// the screen is rendered, so a frame costs the same for ten messages and for a hundred thousand.
package transcript

import (
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/session/record"
	"winnow/ui/markdown"
)

// Item is one message as it is shown.
type Item struct {
	ID        int64           // unique in the list; the message's id, or a negative one until it has one
	Role      history.Role    // who speaks, which decides the colours; "" for a notice of winnow's own
	Name      string          // who speaks; it stands on a line of its own above the text, with the verdict at its end
	Detail    string          // what stands behind the name: its place among its versions
	Text      string          // the message; Markdown unless Plain
	Reasoning string          // folded into one line until expanded
	Note      Note            // what became of it
	Files     string          // what is attached to it, a line each
	Receipt   *record.Receipt // of the request that it answers, nil for none
	Trail     string          // a line below all else: where another conversation begins or ends here
	Calls     []Call          // of an item that stands for tool calls: a row each, in the place of the name
	Plain     bool            // Text is shown as it is, not read as Markdown
	Fold      bool            // only the beginning of Text is shown until it is expanded
	Joins     bool            // it stands directly below the item before: a result below its call
	Failure   *Failure        // the item says why a turn has no answer, and nothing else; nil for others
	Tokens    int             // of Text as far as they are counted, 0 where they are not
}

// Call is a tool call in one row.
type Call struct{ Name, Arguments string }

// Note says what became of a message that did not arrive as it should.
type Note struct {
	What  string // such as "connection lost"; "" for nothing
	Rest  string // what follows from it
	Fault bool   // something went wrong
	Again bool   // asking again is the way out, which is said where the message is the last
}

// Mark is what is drawn beside a message about the request on show. It may change at every key press.
type Mark struct {
	Glyph    string         // one cell
	Style    lipgloss.Style // of the glyph
	Tag      string         // the verdict with its reason, or what a search found, at the end of the name's line
	Short    string         // the same in a word, where there is no space for more
	TagStyle lipgloss.Style
	Selected bool // a sign stands beside all of its lines
}

// slot is the place of an item in the list, with what layout needs of it: there is one for each message of a long
// conversation, and the items are made when they are drawn.
type slot struct {
	ID       int64
	look     uint64 // a hash of what it was measured with
	height   int32  // in lines, as it was measured or guessed
	size     int32  // bytes of its text
	around   uint8  // about how many lines it has beside its text
	user     bool   // the user says it
	fold     bool   // it is folded, as far as that is known without its text
	expanded bool   // its text is shown whole
	turned   bool   // its reasoning is shown otherwise than that of the others
	measured bool   // its height is known at the present width
}

// slotOf is the slot of an item.
func slotOf(it *Item) slot {
	s := slot{
		ID: it.ID, size: int32(min(len(it.Text), maxShown)), around: 3, user: it.Role == history.User, fold: it.Fold,
	}
	for _, more := range []bool{it.Reasoning != "", it.Receipt != nil, it.Trail != "", it.Note.What != ""} {
		if more {
			s.around++
		}
	}
	return s
}

// rough is the height in lines that the size of a message suggests.
func (s *slot) rough(width int) int {
	if s.fold && !s.expanded {
		return int(s.around)
	}
	return int(s.around) + int(s.size)/max(min(width, measure)*4/5, 1)
}

// entry is an item in memory with its state.
type entry struct {
	Item
	own      bool // nothing makes it anew: it is no message, or none yet
	expanded bool // as its slot has it
	turned   bool
	stream   *markdown.Stream

	beginning beginning        // of a text that is too long to be shown
	grown     *strings.Builder // a text that became too long for a stream
}

// look is what decides the lines of an item beside itself and the width: two items that are equal in it are drawn
// alike. The verdict of a message is a part of it.
type look struct {
	unsent bool // the model does not see it
	cut    cutLook
	joined bool // the next item joins it
	edge   bool // the model's view begins behind it
	ways   bool // the ways out of what went wrong are shown
	tokens int  // of its text, as the server counts them; 0 where they are not counted
}

// cutLook tells one cut of a text from another.
type cutLook struct {
	cuts   int
	first  history.Range
	last   history.Range
	marker string // what stands in the place of the first
}
