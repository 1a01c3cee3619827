package history

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"winnow/history/message"
)

// As many messages stay as the request after the next step back begins with.
func TestNextIsTakenOut(t *testing.T) {
	fewer, system := 0, 0
	check(t, func(t *rapid.T, s scene) {
		for i := range s.past {
			if m := &s.past[i]; !message.IsBlank(m.Content) {
				m.Content = fmt.Sprint(i, " ") + m.Content // Otherwise one text could take the place of another.
			}
		}
		c := NewConversation(s.past, words)
		b := c.selectFor(s.o)
		p := b.plan()
		_, undone := b.nextToFall()
		for _, c := range undone {
			b.chosen[c.candidate] = c.before
		}
		without := b.plan()
		want := CommonPrefix(p.Messages, without.Messages)
		if p.Unchanged != want {
			t.Fatalf("%d messages stay, want %d\n%v\n%v\nbefore\n%v\nafter\n%v", p.Unchanged, want, s, p.NextToDrop,
				requestText(p), requestText(without))
		}
		if want < len(p.Messages) {
			fewer++
		}
		if len(p.NextToDrop) > 0 && want == 0 {
			system++
		}
	})
	t.Logf("in %d requests something would change, in %d of them all", fewer, system)
}

// Requests are alike up to the first message of which a model sees something else.
func TestAlikeIsWhatAModelSees(t *testing.T) {
	first := Message{Role: System, Content: "Be kind."}
	m := Message{
		ID: 7, Label: "x", Tokens: 3, Role: Assistant, Content: "I look.", Reasoning: "so", Replay: `{"a":1}`,
		ToolCalls: []ToolCall{{ID: "a", Name: "read", Arguments: "{}"}}, Parts: []Part{image},
	}
	otherImage, otherCall := image, m.ToolCalls[0]
	otherImage.Data, otherCall.Arguments = []byte{2}, "{ }"
	for what, change := range map[string]func(*Message){
		"its role":             func(m *Message) { m.Role = Tool },
		"its text":             func(m *Message) { m.Content += "." },
		"its reasoning":        func(m *Message) { m.Reasoning = "" },
		"its server's keys":    func(m *Message) { m.Replay = "" },
		"the call it answers":  func(m *Message) { m.ToolCallID = "b" },
		"a call's arguments":   func(m *Message) { m.ToolCalls = []ToolCall{otherCall} },
		"one call more":        func(m *Message) { m.ToolCalls = append(slices.Clone(m.ToolCalls), ToolCall{}) },
		"an image":             func(m *Message) { m.Parts = []Part{otherImage} },
		"no image":             func(m *Message) { m.Parts = nil },
		"where it comes from":  nil,
		"another message next": nil,
	} {
		other, want := m, 1
		other.ID, other.Label, other.Tokens = 8, "y", 4
		if change == nil {
			want = 2
		} else {
			change(&other)
		}
		if got := CommonPrefix([]Message{first, m, {Content: "one"}}, []Message{first, other, {Content: "two"}}); got != want {
			t.Errorf("with %s changed %d messages are alike, want %d", what, got, want)
		}
	}
	if CommonPrefix([]Message{first, m}, []Message{first}) != 1 || CommonPrefix(nil, []Message{first}) != 0 {
		t.Error("a request is alike with more than the shorter one holds")
	}
}
