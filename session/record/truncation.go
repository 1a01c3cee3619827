package record

import (
	"slices"

	"winnow/history"
	"winnow/session/store"
)

// ServerTruncation describes a request of which the server silently read only a part: it counted far fewer tokens than
// were sent.
type ServerTruncation struct {
	Turn     int // the turn of the request, from 1
	Expected int // the expected count of the server
	Reported int // the count that the server reported
}

// ServerTruncationOf returns the truncation of a recorded request, and false if the server read all of it.
func ServerTruncationOf(r store.Request) (ServerTruncation, bool) {
	return ServerTruncation{Turn: r.Turn, Expected: r.CutExpected, Reported: r.Prompt}, r.CutExpected > 0
}

// FirstReadByServer returns the index of the first message that the server can have read, assuming that it drops the
// oldest messages first and keeps the system prompt. Earlier messages were not read, except for what is recalled before
// the current message.
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

// UnreadByServer reports whether a message was sent but cannot have been read by the server; first is the result of
// FirstReadByServer.
func UnreadByServer(e history.Entry, first int) bool {
	return e.Index < first && e.Sent() && e.Place != history.LevelOut
}
