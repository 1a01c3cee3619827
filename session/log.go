package session

import (
	"context"
	"errors"

	"winnow/llm"
	"winnow/session/store"
)

// logRequest writes what a request held that is over, what the server said of it, and how it failed.
func (t *turn) logRequest(r store.Request, fault error) {
	t.log().Debug("request", "turn", r.Turn, "record", r.ID, "model", r.Endpoint+"/"+r.Model, "estimate", r.Estimate,
		"messages", r.Tally.Stored, "sent", r.Tally.Sent(), "repaired", r.Tally.Repaired,
		"ended", r.End, "error", ErrorCode(fault), "prompt", r.Prompt, "answer", r.Answer, "took", r.Took)
}

// warn writes that something failed that nobody waits for; nil writes nothing.
func (s *Session) warn(what string, err error) {
	if err != nil {
		s.log().Warn(what, "error", ErrorCode(err))
	}
}

// ErrorCode names the kind of an error for a log. Its sentence may quote a server or a conversation.
func ErrorCode(err error) string {
	if err == nil {
		return ""
	}
	if e, is := errors.AsType[*llm.Error](err); is {
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
