package session

import (
	"context"
	"errors"
	"log/slog"

	"winnow/history"
	"winnow/llm"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
)

// log is the log with what each line of a session names: no line of it holds text of a conversation.
func (s *Session) log() *slog.Logger { return s.deps.Log.With("session", s.Info().ID) }

// logPlan writes what a request holds, and each repair in it by its code, where somebody reads it.
func logPlan(log *slog.Logger, r store.Request, p history.Plan, messages branch.Branch) {
	log = log.With("turn", r.Turn, "record", r.ID)
	log.Debug("request", "model", r.Endpoint+"/"+r.Model, "estimate", r.Estimate,
		"messages", record.CountsOf(p.Entries, p.Added, messages))
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
