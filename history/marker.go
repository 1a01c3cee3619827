package history

import (
	"strconv"
	"strings"

	"winnow/history/message"
)

// The kinds of text that nobody said.
const (
	kindMarker = "marker"
	kindStart  = "start"
	kindResult = "stand-in result"
	kindBridge = "bridge"

	kindSummary  = "summary"
	kindRecalled = "recalled frame"
)

// joint stands between texts that share a message.
const joint = "\n\n"

// startText stands in front of an answer that opens a conversation: a request begins with a user's
// message.
const startText = "[The conversation begins with an answer.]"

// marker stands for n messages that are not sent.
func (b *builder) marker(n int) string {
	if b.o.Policy.MarkerDetail && !message.IsBlank(b.o.Policy.MarkerCounted) {
		return strings.ReplaceAll(b.o.Policy.MarkerCounted, "{n}", strconv.Itoa(n))
	}
	return b.o.Policy.Marker
}

// markerCost is the most that one marker can cost wherever it stands. It is reserved before a choice
// is made, so that the choice does not depend on where the gaps will be.
func (b *builder) markerCost() int {
	text := b.marker(max(1, len(b.views)))
	return max(b.c.remembered(text+joint), b.c.remembered(joint+text))
}
