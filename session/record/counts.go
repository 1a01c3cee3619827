package record

import (
	"log/slog"
	"time"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
)

// Counts sums the verdicts of one request.
type Counts struct {
	store.Tally
	Added  int       // texts that nobody said: markers, stand-ins
	Oldest time.Time // when the oldest message that is sent was said, zero where that is not known
	Newest time.Time // and the newest
}

// CountsOf sums verdicts on messages.
func CountsOf(entries []history.Entry, added []history.Added, messages branch.Branch) Counts {
	c := Counts{Tally: store.TallyOf(entries), Added: len(added)}
	for i := range entries {
		at, there := messages.Find(entries[i].ID)
		if !entries[i].Sent() || !there || messages.Row(at).Created == 0 {
			continue
		}
		said := time.UnixMilli(messages.Row(at).Created).UTC()
		if c.Oldest.IsZero() || said.Before(c.Oldest) {
			c.Oldest = said
		}
		if said.After(c.Newest) {
			c.Newest = said
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
