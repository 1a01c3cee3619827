package history

import (
	"reflect"
	"testing"

	"winnow/history/message"
)

// The suffix is shown as what winnow put behind the text, of which nothing is missing.
func TestABrokenOffAnswerIsWholeWithANoteAfterIt(t *testing.T) {
	const answer = "It was a dörk"
	for _, status := range []Status{Interrupted, Streaming} {
		past := []Message{
			{ID: 1, Role: User, Content: "tell me", Status: Complete},
			{ID: 2, Role: Assistant, Content: answer, Status: status},
		}
		p, err := Build(past, askLarge(t))
		if err != nil {
			t.Fatal(err)
		}
		e := p.Entries[1]
		want := []Insert{{At: 13, Text: " [interrupted]"}}
		if !e.Whole || e.Disposition != Kept || len(e.Cuts) != 0 || len(e.Repairs) != 0 || !reflect.DeepEqual(e.Inserted, want) {
			t.Errorf("%s: entry %+v, want it whole with %+v", status, e, want)
		}
		if e.CharsBefore != 13 || e.CharsAfter != 13 || e.TokensAfter != e.TokensBefore || e.TokensAfter != (len(answer+message.InterruptedSuffix)+3)/4 {
			t.Errorf("%s: entry %+v: the note is part of the tokens and not of the characters", status, e)
		}
		if got := p.Messages[1].Content; got != answer+" [interrupted]" || past[1].Content != answer {
			t.Errorf("%s: sent %q, stored %q", status, got, past[1].Content)
		}
	}
}

// A result that comes after its call was taken out restores the call.
func TestALateResultRestoresTheCall(t *testing.T) {
	past := []Message{
		{ID: 1, Role: User, Content: "read it", Status: Complete},
		{ID: 2, Role: Assistant, Content: "I read.", Status: Interrupted, ToolCalls: []ToolCall{{ID: "a", Name: "read", Arguments: "{}"}}},
		{ID: 3, Role: User, Content: "well", Status: Complete},
	}
	c := Read(past, nil)
	p, err := c.Build(askLarge(t))
	if err != nil || len(p.Messages[1].ToolCalls) != 0 {
		t.Fatalf("%v: an unanswered call of an answer that broke off is sent: %s", err, requestText(p))
	}
	c.Append(Message{ID: 4, Role: Tool, ToolCallID: "a", Content: "late", Status: Complete})
	if p, err = c.Build(askLarge(t)); err != nil || len(p.Messages[1].ToolCalls) != 1 || p.Messages[2].Content != "late" {
		t.Fatalf("%v: the late result is not behind its call: %s", err, requestText(p))
	}
}
