package record

import (
	"slices"

	"winnow/history"
	"winnow/session/store"
)

// Shortfall is a request of which the server read only a part, without saying so: it counted far fewer
// tokens than were sent.
type ServerTruncation struct {
	Turn     int // the request's turn, from 1
	Expected int // tokens that the server was expected to count
	Reported int // tokens that it counted
}

// ShortfallOf is what a record says of a part that the server did not read, and false where it read all.
func ServerTruncationOf(r store.Request) (ServerTruncation, bool) {
	return ServerTruncation{Turn: r.Turn, Expected: r.CutExpected, Reported: r.Prompt}, r.CutExpected > 0
}

// FirstRead is the index of the first message of a request that the server can have read, where it read only
// so many tokens: it drops the oldest first, and keeps the system prompt. Messages before it that were
// sent were not read, but for what is recalled in front of the newest message.
func FirstReadByServer(entries []history.Entry, sum history.TokenSum, short ServerTruncation) int {
	scale := float64(short.Expected) / float64(max(1, sum.Total))
	space := float64(short.Reported) - scale*float64(sum.System+sum.Tools)
	for i, e := range slices.Backward(entries) {
		if !e.Sent() {
			continue
		}
		cost := scale * float64(e.TokensAfter)
		if space < cost/2 {
			return i + 1
		}
		space -= cost
	}
	return 0
}

// NotRead says that the server cannot have read a message that was sent, where first is what FirstRead gave.
func UnreadByServer(e history.Entry, first int) bool {
	return e.Index < first && e.Sent() && e.Place != history.LevelOut
}
