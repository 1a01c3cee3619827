package ui

import (
	"fmt"
	"slices"
	"testing"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
)

// BenchmarkPrepend is what it costs the screen that the rest of a session of 100,000 messages is read:
// while it lasts no key is heard.
func BenchmarkPrepend(b *testing.B) {
	const n = 100_000
	all := make([]store.Message, n)
	for i := range all {
		role := history.User
		if i%2 == 1 {
			role = history.Assistant
		}
		all[i] = said(int64(i+1), role, fmt.Sprintf("message %d about things", i))
	}
	for b.Loop() {
		b.StopTimer()
		m := fresh(b, 120, 40)
		m.chat.Reset(branch.Of(slices.Clone(all[n-200:])...))
		_ = m.View()
		own := branch.Of(all...)
		b.StartTimer()
		m.chat.Prepend(own, map[int64]record.Receipt{})
		_ = m.View()
	}
}
