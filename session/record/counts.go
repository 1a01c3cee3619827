package record

import (
	"log/slog"
	"time"

	"winnow/history"
	"winnow/session/branch"
)

// Counts sums the verdicts of one request.
type Counts struct {
	Stored      int       // messages of the conversation, each of which is one of the next seven
	Kept        int       // sent whole
	Cut         int       // sent in part
	Recalled    int       // sent because the current message is about them
	Dropped     int       // not sent
	Excluded    int       // not sent: the user's choice
	Quarantined int       // not sent: they cannot be read
	Blank       int       // not sent: there is nothing in them
	Pinned      int       // of those sent
	Repaired    int       // of those sent
	Added       int       // texts that nobody said: markers, stand-ins
	Oldest      time.Time // when the oldest message that is sent was said, zero where that is not known
	Newest      time.Time // and the newest
}

// Sent is how many messages are in the request.
func (c Counts) Sent() int { return c.Kept + c.Cut + c.Recalled }

// CountsOf sums verdicts on messages.
func CountsOf(entries []history.Entry, added []history.Added, messages branch.Branch) Counts {
	c := Counts{Stored: len(entries), Added: len(added)}
	by := map[history.Disposition]*int{
		history.Kept: &c.Kept, history.Cut: &c.Cut, history.Recalled: &c.Recalled, history.Dropped: &c.Dropped,
		history.Excluded: &c.Excluded, history.Isolated: &c.Quarantined, history.Blank: &c.Blank,
	}
	for i := range entries {
		e := &entries[i]
		if n := by[e.Disposition]; n != nil {
			*n++
		}
		if !e.Sent() {
			continue
		}
		if e.Pinned {
			c.Pinned++
		}
		if len(e.Repairs) > 0 {
			c.Repaired++
		}
		if at, there := messages.Find(e.ID); there && messages.Row(at).Created != 0 {
			said := time.UnixMilli(messages.Row(at).Created).UTC()
			if c.Oldest.IsZero() || said.Before(c.Oldest) {
				c.Oldest = said
			}
			if said.After(c.Newest) {
				c.Newest = said
			}
		}
	}
	return c
}

// LogValue is what slog writes.
func (c Counts) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Int("stored", c.Stored), slog.Int("sent", c.Sent()), slog.Int("cut", c.Cut),
		slog.Int("dropped", c.Dropped), slog.Int("recalled", c.Recalled), slog.Int("repaired", c.Repaired),
		slog.Int("added", c.Added), slog.Time("oldest", c.Oldest), slog.Time("newest", c.Newest),
	)
}
