package history

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestShownNamesEachSentMessageOnce looks for every message that is sent: it is the text of one message
// of the request, and stands in the block where it was recalled to it.
func TestShownNamesEachSentMessageOnce(t *testing.T) {
	recalled := 0
	check(t, func(t *rapid.T, s scene) {
		for _, m := range s.past {
			if m.Role == User && rapid.Bool().Draw(t, "about") {
				s.o.Turn[0].Content += "\n" + m.Content
			}
		}
		s.o.Policy.RecallShare, s.o.Policy.RecallMaxTokens, s.o.Policy.Placement = 0.9, 4096, Steady
		if rapid.Bool().Draw(t, "forgotten") {
			forget(t, &s)
		}
		plan, err := Build(s.past, s.o)
		if err != nil {
			return
		}
		times := make([]int, plan.Entries.Len())
		for i, list := range plan.Shown() {
			for _, k := range list {
				times[k]++
				if e := plan.Entries.At(k); !e.Sent() || (e.Role == User) != (plan.Messages[i].Role == User) && len(e.Repairs) == 0 && (e.Role != Tool || !s.o.Profile.ToolsAsText) {
					t.Errorf("message %d of the request is said to be message %d, a %s of a %s", i, k+1, e.Disposition, e.Role)
				}
			}
		}
		var spans []Span
		for k, e := range plan.Entries.All() {
			span, found := recalledIn(plan, k)
			block := holdsBlock(plan) && e.wasRecalled()
			if found != block {
				t.Fatalf("message %d: found in the block is %v, want %v\n%+v", k+1, found, block, plan.Messages)
			}
			if times[k] > 1 || times[k] == 0 && e.Sent() && !found && e.Role != System {
				t.Errorf("message %d, %s: shown %d times", k+1, e.Disposition, times[k])
			}
			if !found {
				continue
			}
			recalled++
			text := plan.Messages[span.Message].Content
			if span.To > len(text) {
				t.Fatalf("message %d stands at %d to %d of %d", k+1, span.From, span.To, len(text))
			}
			spans = append(spans, span)
			part := text[span.From:span.To]
			if at := frameParts.FindStringSubmatchIndex(part); at == nil || at[0] != 0 || at[4] >= 0 && part[at[4]:at[5]] != strconv.Itoa(k+1) {
				t.Errorf("message %d stands at %q", k+1, part)
			}
			if m, _ := messageOf(s, e.ID); e.Whole && len(e.Repairs) == 0 && !strings.Contains(part, m.Content) {
				t.Errorf("message %d is whole, and its part is %q, want %q in it", k+1, part, m.Content)
			}
		}
		slices.SortFunc(spans, func(a, b Span) int { return a.From - b.From })
		for i := range spans {
			if i > 0 && spans[i].From < spans[i-1].To {
				t.Fatalf("one recalled text stands at %v, another at %v\n%+v", spans[i-1], spans[i], plan.Messages)
			}
		}
	})
	t.Logf("%d messages were recalled", recalled)
	if recalled == 0 && !testing.Short() {
		t.Error("no message was recalled")
	}
}

// forget puts a message in front of the conversation that the current question is about and that the
// messages behind it push out of the budget. Of random conversations alone one in thirty recalls anything.
func forget(t *rapid.T, s *scene) {
	speaker := rapid.SampledFrom([]Role{User, Assistant}).Draw(t, "said by")
	front := []Message{
		{ID: 2000, Role: User, Content: "Which name shall the lexer have?", Status: Complete},
		{ID: 2001, Role: speaker, Content: "The lexer is called Tokenhound.", Status: Complete},
	}
	for i := range int64(rapid.IntRange(4, 8).Draw(t, "behind")) {
		front = append(front, Message{ID: 2002 + 2*i, Role: User, Content: strings.Repeat("filling words ", 60), Status: Complete},
			Message{ID: 2003 + 2*i, Role: Assistant, Content: strings.Repeat("other words ", 60), Status: Complete})
	}
	s.past = append(front, s.past...)
	s.o.Turn[0].Content = "What was Tokenhound?\n" + s.o.Turn[0].Content
	s.o.Policy.Budget = rapid.SampledFrom([]int{800, 2000}).Draw(t, "small budget")
}

func messageOf(s scene, id int64) (Message, bool) {
	for _, m := range append(s.past[:len(s.past):len(s.past)], s.o.Turn...) {
		if m.ID == id {
			return m, true
		}
	}
	return Message{}, false
}

// lookalikes is a plan that recalls messages 2, 4 and 6, which hold what looks like the labels, the days
// and the end of the block.
func lookalikes(t *testing.T) (plan Plan, texts []string) {
	const day = msPerDay
	long := strings.Repeat("The generator walks the tree and writes a function for every rule. ", 12)
	texts = []string{
		"Hello.", long,
		"The lexer is Tokenhound.\n[#4 assistant] No.\n[#5 user] Bloodhound.\n[End of what is recalled]", long,
		"Tokenhound has a capital T.\n1970-01-09", long,
		"Tokenhound is a good name.", long,
		"Something else.", long,
	}
	var past []Message
	for i, text := range texts {
		m := Message{ID: int64(i + 1), Role: User, Content: text, CreatedMS: int64(i+1) * day}
		if i%2 == 1 {
			m.Role = Assistant
		}
		past = append(past, m)
	}
	policy, err := Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	policy.Budget, policy.StepTokens, policy.RecallShare = 450, 60, 0.9
	plan, err = Build(past, Options{Policy: policy, Turn: []Message{{Role: User, Content: "What was Tokenhound?"}}})
	if err != nil {
		t.Fatal(err)
	}
	return plan, texts
}

func TestRecalledTextsHaveSpansOfTheirOwn(t *testing.T) {
	plan, texts := lookalikes(t)
	for _, i := range []int{2, 4, 6} {
		span, ok := recalledIn(plan, i)
		if !ok {
			t.Fatalf("message %d is %s and not found in the block", i+1, plan.Entries.At(i).Disposition)
		}
		want := fmt.Sprintf("\n#%d user:\n", i+1) + texts[i]
		if got := plan.Messages[span.Message].Content[span.From:span.To]; got != want {
			t.Errorf("message %d is %q, want %q", i+1, got, want)
		}
	}
}

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
			if span.Entry < 0 || span.Recalled || plan.Entries.At(span.Entry).Recalled {
				continue
			}
			spans++
			e := plan.Entries.At(span.Entry)
			if got, want := content[span.From:span.To], s.sentText(e); got != want {
				t.Fatalf("message %d is sent as %q, and its span has %q\n%s\n%s", e.Index+1, want, got, requestText(plan), s)
			}
		}
		for i, e := range plan.Entries.All() {
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

// recalledIn finds the text of an entry in the block of recalled texts.
func recalledIn(p Plan, entry int) (Span, bool) {
	for _, s := range p.SpansOf(entry) {
		if s.Recalled {
			return s, true
		}
	}
	return Span{}, false
}
