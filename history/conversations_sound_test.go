package history

import (
	"fmt"
	"slices"
	"testing"
)

func TestConversationsAreSound(t *testing.T) {
	for _, conv := range allConversations(t) {
		t.Run(conv.name, func(t *testing.T) { checkConversation(t, conv) })
	}
}

func checkConversation(t *testing.T, conv recorded) {
	if !slices.Contains([]string{"chat", "talk", "tools"}, conv.kind) || conv.lang == "" {
		t.Errorf("kind is %q and lang %q", conv.kind, conv.lang)
	}
	if len(conv.questions) == 0 {
		t.Error("it asks nothing")
	}
	t.Log(conv.shape())
	asked := map[string]bool{}
	for _, q := range conv.questions {
		if sortName(q.sort) == "" || len(q.needs) == 0 || q.text == "" {
			t.Errorf("question %q of sort %q needs %q", q.text, q.sort, q.needs)
		}
		for _, label := range q.needs {
			if _, ok := conv.labels[label]; !ok {
				t.Errorf("question %q needs %s, which no message has", q.text, label)
			}
			asked[label] = true
		}
	}
	for label, i := range conv.labels {
		if !asked[label] {
			t.Errorf("no question needs %s: %.60s", label, conv.past[i].Content)
		}
	}
	calls := map[string]bool{}
	for i, m := range conv.past {
		if m.Content == "" && len(m.ToolCalls) == 0 {
			t.Errorf("message %d of %s is empty", i+1, m.Role)
		}
		for _, c := range m.ToolCalls {
			calls[c.ID] = true
		}
		if m.Role == Tool && !calls[m.ToolCallID] {
			t.Errorf("message %d answers the call %s, which nobody made", i+1, m.ToolCallID)
		}
		delete(calls, m.ToolCallID)
	}
	if len(calls) > 0 {
		t.Errorf("calls without an answer: %v", calls)
	}
	o := benchOptions(t, "balanced", 0)
	o.Policy.Recovery = RecoverStrict
	if _, err := Build(conv.past, o); err != nil {
		t.Error(err)
	}
}

// shape says how long a conversation and its messages are.
func (t recorded) shape() string {
	lengths, tokens := map[Role][]int{}, 0
	for _, m := range t.past {
		lengths[m.Role] = append(lengths[m.Role], runes(m.Content))
		tokens += o200k()(m.Content)
	}
	s := fmt.Sprintf("%d messages, %d tokens, %d questions, characters in the middle and at most:", len(t.past), tokens, len(t.questions))
	for _, role := range []Role{User, Assistant, Tool} {
		if l := lengths[role]; len(l) > 0 {
			slices.Sort(l)
			s += fmt.Sprintf(" %s %d and %d", role, l[len(l)/2], l[len(l)-1])
		}
	}
	return s
}

func sortName(sort string) string {
	for _, s := range sorts {
		if s.sort == sort {
			return s.name
		}
	}
	return ""
}
