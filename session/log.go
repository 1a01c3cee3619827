package session

import (
	"context"
	"errors"

	"winnow/llm"
	"winnow/session/store"
)

// logRequest writes what a request that leaves holds.
func (t *turn) logRequest(r store.Request) {
	t.log().Debug("request", "turn", r.Turn, "record", r.ID, "model", r.Endpoint+"/"+r.Model, "estimate", r.Estimate,
		"messages", r.Tally.Stored, "sent", r.Tally.Sent(), "repaired", r.Tally.Repaired)
}

// logAnswer writes what the server said that a request and its answer were, and how it failed.
func (t *turn) logAnswer(r store.Request, fault error) {
	t.log().Debug("answer", "turn", r.Turn, "record", r.ID, "ended", r.End, "error", ErrorCode(fault),
		"prompt", r.Prompt, "answer", r.Answer, "took", r.Took)
}

// ErrorCode names the kind of an error for a log. Its sentence may quote a server or a conversation.
func ErrorCode(err error) string {
	if err == nil {
		return ""
	}
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
