package history

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Each text of a request is where its span says: what is sent of a message, and what nobody said.
func TestSpansAreWhereTheTextIs(t *testing.T) {
	spans, added := 0, 0
	check(t, func(t *rapid.T, s scene) {
		plan, err := Build(s.past, s.o)
		if err != nil {
			return
		}
		last := Span{}
		for _, span := range plan.Spans {
			content := plan.Messages[span.Message].Content
			if span.Message < last.Message || span.From < 0 || span.To < span.From || span.To > len(content) || span.Message == last.Message && span.From < last.To {
				t.Fatalf("a span is %+v behind %+v, of %q", span, last, content)
			}
			last = span
			if span.Entry < 0 || span.Recalled || plan.Entries[span.Entry].Recalled {
				continue
			}
			spans++
			e := plan.Entries[span.Entry]
			if got, want := content[span.From:span.To], s.sentText(e); got != want {
				t.Fatalf("message %d is sent as %q, and its span has %q\n%s\n%s", e.Index+1, want, got, requestText(plan), s)
			}
		}
		for i, e := range plan.Entries {
			if n := len(plan.SpansOf(i)); (n > 0) != e.Sent() {
				t.Fatalf("message %d is %s and has %d spans\n%s\n%s", i+1, e.Disposition, n, requestText(plan), s)
			}
		}
		for _, a := range plan.Added {
			content := plan.Messages[a.Before].Content
			if a.Kind == AddedRecalled {
				if block := content[a.From:a.To]; !strings.HasPrefix(block, recallHead) || !strings.HasSuffix(block, recallTail) {
					t.Fatalf("the block of recalled texts is %q", block)
				}
				continue
			}
			if added++; content[a.From:a.To] != a.Text {
				t.Fatalf("%q is added, and where it should be is %q\n%s\n%s", a.Text, content[a.From:a.To], requestText(plan), s)
			}
		}
	})
	t.Logf("%d spans and %d added texts", spans, added)
}
