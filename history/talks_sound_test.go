package history

import (
	"fmt"
	"slices"
	"testing"
)

func TestTalksAreSound(t *testing.T) {
	for _, talk := range allTalks(t) {
		t.Run(talk.name, func(t *testing.T) { checkTalk(t, talk) })
	}
}

func checkTalk(t *testing.T, talk talk) {
	if !slices.Contains([]string{"chat", "talk", "tools"}, talk.kind) || talk.lang == "" {
		t.Errorf("kind is %q and lang %q", talk.kind, talk.lang)
	}
	if len(talk.questions) == 0 {
		t.Error("it asks nothing")
	}
	t.Log(talk.shape())
	asked := map[string]bool{}
	for _, q := range talk.questions {
		if sortName(q.sort) == "" || len(q.needs) == 0 || q.text == "" {
			t.Errorf("question %q of sort %q needs %q", q.text, q.sort, q.needs)
		}
		for _, label := range q.needs {
			if _, ok := talk.labels[label]; !ok {
				t.Errorf("question %q needs %s, which no message has", q.text, label)
			}
			asked[label] = true
		}
	}
	for label, i := range talk.labels {
		if !asked[label] {
			t.Errorf("no question needs %s: %.60s", label, talk.past[i].Content)
		}
	}
	calls := map[string]bool{}
	for i, m := range talk.past {
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
	if _, err := Build(talk.past, o); err != nil {
		t.Error(err)
	}
}

// shape says how long a talk and its messages are.
func (t talk) shape() string {
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
