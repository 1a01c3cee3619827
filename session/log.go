package session

import (
	"context"
	"errors"
	"log/slog"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

// logPlan writes what a request holds.
func logPlan(log *slog.Logger, r store.Request, p history.Plan) {
	log.Debug("request", "turn", r.Turn, "record", r.ID, "model", r.Endpoint+"/"+r.Model, "estimate", r.Estimate,
		"messages", len(p.Entries), "sent", r.Tally.Sent(), "cut", r.Tally.Cut, "dropped", r.Tally.Dropped,
		"recalled", r.Tally.Recalled, "repaired", r.Tally.Repaired, "added", len(p.Added))
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
	for known, code := range map[error]string{
		context.Canceled: "stopped", context.DeadlineExceeded: "timed-out",
		store.ErrDiskFull: "disk-full", store.ErrReadOnly: "read-only", store.ErrBusy: "busy",
		store.ErrDamaged: "damaged", store.ErrNoAccess: "no-access", store.ErrMoved: "moved",
		store.ErrNotFound: "not-found",
	} {
		if errors.Is(err, known) {
			return code
		}
	}
	return "other"
}
