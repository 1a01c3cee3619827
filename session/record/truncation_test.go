package record

import (
	"testing"

	"winnow/history"
)

func TestMessagesThatWereNotRead(t *testing.T) {
	entry := func(i, tokens int) history.Entry {
		return history.Entry{
			Index: i, ID: int64(i + 1), Disposition: history.Kept, Place: history.LevelWhole, TokensAfter: tokens,
		}
	}
	entries := []history.Entry{entry(0, 400), entry(1, 300), entry(2, 0), entry(3, 200), entry(4, 100)}
	entries[2].Disposition = history.Dropped
	sum := history.TokenSum{System: 100, Total: 1100}
	for _, c := range []struct{ read, first int }{{1100, 0}, {700, 1}, {410, 2}, {200, 4}} {
		if got := FirstReadByServer(entries, sum, ServerTruncation{Expected: 1100, Reported: c.read}); got != c.first {
			t.Errorf("%d of 1,100 tokens were read: from message %d, want %d", c.read, got, c.first)
		}
	}
	if UnreadByServer(entries[2], 4) || !UnreadByServer(entries[1], 4) || UnreadByServer(entries[4], 4) {
		t.Error("not read are the messages that were sent and are older than the first one")
	}
}
