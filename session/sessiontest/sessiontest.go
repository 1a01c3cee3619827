// Package sessiontest helps to test programs that hold conversations. It is for tests only.
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

// RecordAnnouncements returns a function for session.Deps.Observe that records in a ledger which requests were
// announced.
func RecordAnnouncements(l *llmtest.Ledger) func(turn any, e session.Event) {
	return func(turn any, e session.Event) {
		switch e := e.(type) {
		case session.Planned:
			l.Plan(turn, e.Request.Endpoint)
		case session.Retrying:
			if e.Changed == "" { // otherwise a notice follows
				l.Again(turn)
			}
		case session.Notice:
			l.Say(turn, e.Text)
		}
	}
}

// CheckAnnounced reports an error unless the requests for answers that were sent are exactly those that were announced
// and those that are recorded in the stores at the given paths.
func CheckAnnounced(t testing.TB, l *llmtest.Ledger, histories ...string) {
	t.Helper()
	if err := l.Compare(storetest.RecordedAttempts(histories...)); err != nil {
		t.Errorf("%v in %q", err, histories)
	}
}

// Messages returns all messages of a branch. It panics if one cannot be read.
func Messages(b branch.Branch) []store.Message {
	all, err := b.All(context.Background())
	if err != nil {
		panic(err)
	}
	return all
}
