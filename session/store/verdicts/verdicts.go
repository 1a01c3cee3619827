// Package verdicts keeps what was decided about each message of each request, in rows each of which is a run of requests
// that decided the same about a message. It decides nothing, and does not know what a request is for.
package verdicts

import (
	"slices"
	"strings"

	"winnow/history"
)

// Plan is what a request's record keeps of its plan: every verdict and sum, no text that was said. A message that is
// not sent comes without TokensBefore and CharsBefore, which nobody decided and the message itself tells.
type Plan struct {
	Sum     history.Sum
	Entries []history.Entry
	Added   []history.Added
}

// recorded is a verdict as a record keeps it.
func recorded(e history.Entry) history.Entry {
	if !e.Sent() {
		e.TokensBefore, e.CharsBefore = 0, 0
	}
	e.Role, e.Cause.Text = valid(e.Role), valid(e.Cause.Text)
	return e
}

// valid is a text as it comes back from JSON, in which it is packed.
func valid[T ~string](text T) T { return T(strings.ToValidUTF8(string(text), "\uFFFD")) }

// same reports whether a record keeps the same of two verdicts.
func same(a, b *history.Entry) bool {
	return a.ID == b.ID && a.Index == b.Index && a.Role == b.Role && a.Disposition == b.Disposition &&
		a.Level == b.Level && a.Place == b.Place && steady(a.Cause) == steady(b.Cause) &&
		a.Pinned == b.Pinned && a.Whole == b.Whole && a.Recalled == b.Recalled &&
		a.TokensAfter == b.TokensAfter && a.CharsAfter == b.CharsAfter &&
		(!a.Sent() || a.TokensBefore == b.TokensBefore && a.CharsBefore == b.CharsBefore) &&
		slices.Equal(a.Cuts, b.Cuts) && slices.Equal(a.Inserted, b.Inserted) && slices.Equal(a.Repairs, b.Repairs)
}

// inOrder reports whether each message is younger than the one before it, as on every branch.
func inOrder(entries []history.Entry) bool {
	last := int64(0)
	for i := range entries {
		if entries[i].ID <= last {
			return false
		}
		last = entries[i].ID
	}
	return true
}
