package session

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
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
func CountsOf(entries []history.Entry, added []history.Added, messages []store.Message) Counts {
	c := Counts{Stored: len(entries), Added: len(added)}
	said := make(map[int64]int64, len(messages))
	for _, m := range messages {
		said[m.ID] = m.CreatedMS
	}
	for i := range entries {
		e := &entries[i] // an entry is large, and a conversation may be long
		c.count(e)
		if len(said) == 0 {
			continue
		}
		if ms := said[e.ID]; e.Sent() && ms != 0 {
			c.span(time.UnixMilli(ms).UTC())
		}
	}
	return c
}

func (c *Counts) count(e *history.Entry) {
	switch e.Disposition {
	case history.Kept:
		c.Kept++
	case history.Cut:
		c.Cut++
	case history.Recalled:
		c.Recalled++
	case history.Dropped:
		c.Dropped++
	case history.Excluded:
		c.Excluded++
	case history.Isolated:
		c.Quarantined++
	case history.Blank:
		c.Blank++
	}
	if e.Sent() && e.Pinned {
		c.Pinned++
	}
	if e.Sent() && len(e.Repairs) > 0 {
		c.Repaired++
	}
}

func (c *Counts) span(t time.Time) {
	if c.Oldest.IsZero() || t.Before(c.Oldest) {
		c.Oldest = t
	}
	if t.After(c.Newest) {
		c.Newest = t
	}
}

// LogValue is what slog writes.
func (c Counts) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Int("stored", c.Stored), slog.Int("sent", c.Sent()), slog.Int("cut", c.Cut),
		slog.Int("dropped", c.Dropped), slog.Int("recalled", c.Recalled), slog.Int("repaired", c.Repaired),
		slog.Int("added", c.Added), slog.Time("oldest", c.Oldest), slog.Time("newest", c.Newest),
	)
}

// log is the log with what each line of a session names: no line of it holds text of a conversation.
func (s *Session) log() *slog.Logger { return s.deps.Log.With("session", s.Info().ID) }

// logPlan writes what a request holds, and each repair in it by its code, where somebody reads it.
func (s *Session) logPlan(ctx context.Context, r store.Request, p history.Plan) {
	if !s.deps.Log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	log := s.log().With("turn", r.Turn, "record", r.ID)
	log.Debug("request", "model", r.Endpoint+"/"+r.Model, "estimate", r.Estimate,
		"messages", CountsOf(p.Entries, p.Added, s.Messages()))
	for _, e := range p.Entries {
		if !e.Sent() {
			continue
		}
		for _, repair := range e.Repairs {
			log.Debug("repair", "message", e.ID, "code", repair.Kind)
		}
	}
}

// logAnswer writes what the server said that a request and its answer were, and how it failed.
func (t *turn) logAnswer(r store.Request, fault error) {
	log := t.log().With("turn", r.Turn, "record", r.ID)
	if fault != nil {
		log = log.With("error", ErrorCode(fault))
	}
	log.Debug("answer", "ended", r.End, "prompt", r.Prompt, "cached", r.Cached,
		"answer", r.Answer, "reasoning", r.Reasoning, "took", r.Took)
}

// ErrorCode names the kind of an error for a log. Its sentence may quote a server or a conversation.
func ErrorCode(err error) string {
	if e := (*llm.Error)(nil); errors.As(err, &e) {
		return string(e.Kind)
	}
	for _, known := range []struct {
		err  error
		code string
	}{
		{context.Canceled, "stopped"},
		{context.DeadlineExceeded, "timed-out"},
		{store.ErrDiskFull, "disk-full"},
		{store.ErrReadOnly, "read-only"},
		{store.ErrBusy, "busy"},
		{store.ErrDamaged, "damaged"},
		{store.ErrNoAccess, "no-access"},
		{store.ErrMoved, "moved"},
		{store.ErrDisk, "disk"},
		{store.ErrNotFound, "not-found"},
	} {
		if errors.Is(err, known.err) {
			return known.code
		}
	}
	return "other"
}
