// Package sessiontest helps tests that hold conversations. It is never linked into winnow.
package sessiontest

import (
	"context"
	"testing"

	"winnow/llm/llmtest"
	"winnow/session"
	"winnow/session/branch"
	"winnow/session/store"
	"winnow/session/store/storetest"
)

// Observe counts in a ledger the requests that the events of turns and titles announce. It is for session.Deps.
func Observe(l *llmtest.Ledger) func(turn any, e session.Event) {
	return func(turn any, e session.Event) {
		switch e := e.(type) {
		case session.Planned:
			l.NotePlan(turn, e.Request.Endpoint)
		case session.Waiting:
			if e.Change == "" { // A notice says the rest.
				l.NoteRepeat(turn)
			}
		case session.Notice:
			l.NoteSentence(turn, e.Text)
		}
	}
}

// WantAnnounced wants that every request for an answer that left was announced and is recorded in one of the histories,
// and no other.
func WantAnnounced(t testing.TB, l *llmtest.Ledger, histories ...string) {
	t.Helper()
	if err := l.Compare(storetest.Attempts(histories...)); err != nil {
		t.Errorf("%v in %q", err, histories)
	}
}

// Messages are all messages of a branch. It panics where one cannot be read.
func Messages(b branch.Branch) []store.Message {
	all, err := b.All(context.Background())
	if err != nil {
		panic(err)
	}
	return all
}
