package history

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Each text of a request is where its span says: what is sent of a message, and what nobody said. Nothing else is in a
// request but the system prompt and what is between texts that share a message. Messages are in the order of the
// history, but for system messages and results that were moved to their calls.
func TestSpansAreWhereTheTextIs(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		plan, _ := built(t, s)
		known := make([][]bool, len(plan.Messages)) // of each byte
		for i, m := range plan.Messages {
			known[i] = make([]bool, len(m.Content))
		}
		note := func(message, from, to int) string {
			for k := from; k < to; k++ {
				known[message][k] = true
			}
			return plan.Messages[message].Content[from:to]
		}
		last, lastEntry := EntrySpan{}, -1
		for _, span := range plan.Spans {
			if span.Message < last.Message || span.Message == last.Message && span.From < last.To {
				t.Fatalf("a span is %+v behind %+v", span, last)
			}
			last = span
			got := note(span.Message, span.From, span.To)
			if span.Entry < 0 || span.Recalled || plan.Entries[span.Entry].Recalled {
				continue
			}
			e := plan.Entries[span.Entry]
			if want := s.sentText(e); got != want {
				t.Fatalf("message %d is sent as %q, its span has %q\n%s\n%s", e.Index+1, want, got, requestText(plan),
					s)
			}
			if moved := slices.ContainsFunc(e.Repairs, func(r Repair) bool { return r.Kind == "C10" }); moved || e.Role == System {
				continue
			}
			if span.Entry < lastEntry {
				t.Fatalf("message %d stands behind message %d\n%s\n%s", e.Index+1, lastEntry+1, requestText(plan), s)
			}
			lastEntry = span.Entry
		}
		for i, e := range plan.Entries {
			if n := spansOf(plan, i); (n > 0) != e.Sent() {
				t.Fatalf("message %d is %s and has %d spans\n%s\n%s", i+1, e.Disposition, n, requestText(plan), s)
			}
		}
		for _, a := range plan.Added {
			text := note(a.Before, a.From, a.To)
			block := strings.HasPrefix(text, recallHead) && strings.HasSuffix(text, recallTail)
			if text != a.Text && !(a.Kind == AddedRecalled && block) {
				t.Fatalf("%q is added, and %q is there\n%s\n%s", a.Text, text, requestText(plan), s)
			}
			// A gap within the answers to a question is marked at the end of the question.
			gap := a.Kind == AddedMarker || a.Kind == AddedSummary
			if at := entryBehind(plan, a); at >= 0 && a.At != at && !(gap && a.At > at) {
				t.Fatalf("added %+v is in front of entry %d\n%s\n%s", a, at, requestText(plan), s)
			}
		}
		for i, m := range plan.Messages {
			rest := ""
			for k, known := range known[i] {
				if !known {
					rest += m.Content[k : k+1]
				}
			}
			if rest = strings.TrimPrefix(rest, s.o.System); m.Role != System {
				rest = strings.TrimSpace(rest)
			}
			if strings.TrimSpace(rest) != "" {
				t.Fatalf("message %d holds %q, which nobody said\n%s\n%s", i, rest, requestText(plan), s)
			}
		}
	})
}

// entryBehind is the entry that an added text is in or in front of, by the spans of a plan; -1 where they do not tell.
func entryBehind(p Plan, a AddedText) int {
	if p.Messages[a.Before].Role == System {
		return 0
	}
	for _, s := range p.Spans {
		behind := s.Message > a.Before || s.Message == a.Before && s.From >= a.From
		switch {
		case !behind || s.Recalled:
		case s.Entry < 0:
			return -1 // a draft has no entry
		case p.Entries[s.Entry].Role != System:
			return s.Entry
		}
	}
	return -1
}

// spansOf is how many spans an entry has.
func spansOf(p Plan, entry int) (n int) {
	for _, s := range p.Spans {
		if s.Entry == entry {
			n++
		}
	}
	return n
}
