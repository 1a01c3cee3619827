package history

import (
	"strconv"
	"strings"

	"winnow/history/message"
)

// AddedKind is what an added text is.
type AddedKind string

// The kinds of text that nobody said.
const (
	AddedMarker   AddedKind = "marker"          // it stands for messages that are not sent
	AddedStart    AddedKind = "start"           // it stands in front of an answer that opens a request
	AddedStandIn  AddedKind = "stand-in result" // it is the result of a call that has none
	AddedBridge   AddedKind = "bridge"          // it is an answer between a tool result and a message of the user
	AddedSummary  AddedKind = "summary"         // it stands for messages that a model condensed
	AddedRecalled AddedKind = "recalled frame"  // it is the frame of the recalled texts
)

// joint stands between texts that share a message.
const joint = "\n\n"

// startText stands in front of an answer that opens a conversation: a request begins with a user's
// message.
const startText = "[The conversation begins with an answer.]"

// marker stands for n messages that are not sent.
func (b *chooser) marker(n int) string {
	if b.o.Policy.MarkerDetail && !message.IsBlank(b.o.Policy.MarkerCounted) {
		return strings.ReplaceAll(b.o.Policy.MarkerCounted, "{n}", strconv.Itoa(n))
	}
	return b.o.Policy.Marker
}

// markerCost is the most that one marker can cost wherever it stands. It is reserved before a choice
// is made, so that the choice does not depend on where the gaps will be.
func (b *chooser) markerCost() int {
	text := b.marker(max(1, len(b.candidates)))
	return max(b.c.remembered(text+joint), b.c.remembered(joint+text))
}
