package ui

import (
	"strings"
	"testing"
	"time"

	"winnow/session/branch"
	"winnow/session/store"
)

// versioned is the conversation with several versions of two messages.
func versioned(t testing.TB, w, h int) *Model {
	m := chatting(t, w, h)
	messages, plan := spoken()
	for i := range messages {
		messages[i].Seq, messages[i].CreatedMS = i+1, begun.Add(time.Duration(i-60)*time.Minute).UnixMilli()
	}
	messages[2].Sibling, messages[2].Siblings = 2, 3
	messages[5].Sibling, messages[5].Siblings = 1, 2
	m.Chat.Follow(branch.Branch{}.With(messages...))
	plans(m, plan)
	return m
}

// kin are a parent and two forks.
var kin = []store.Session{
	{ID: "p", Title: "Parser", Turns: 4},
	{ID: "a", Title: "Parser rewrite (fork)", ForkedAt: 6, Turns: 3},
	{ID: "b", Title: "Parser rewrite (fork 2)", ForkedAt: 6, Turns: 12},
}

// edited is the conversation while an earlier message is edited: the plan ends before it.
func edited(t testing.TB, w, h int) *Model {
	m := versioned(t, w, h)
	typing(m, "half a thought")
	m.Update(tab)
	m.Chat.GoTo(3)
	m.Update(char('e'))
	typing(m, " Ever.")
	plan := m.Panel.Next.Plan
	plan.Entries, plan.Next = plan.Entries[:2], nil
	plan.Sum.Sent, plan.Sum.Stored, plan.Sum.Pinned = 1, 2, 0
	plan.Sum.Body, plan.Sum.Draft, plan.Sum.Total = 37, 20, 329
	plans(m, plan)
	return m
}

func versionStates() []state {
	return []state{
		{"versions", func(t testing.TB, w, h int) *Model {
			m := versioned(t, w, h)
			m.Update(tab)
			m.Chat.GoTo(3)
			return m
		}},
		{"editing", edited},
		{"forks-list", func(t testing.TB, w, h int) *Model {
			m := versioned(t, w, h)
			m.Info.Parent = "p"
			m.listForks(kin)
			return m
		}},
	}
}

// What is edited stays on the screen as it was said.
func TestEditedMessageIsNamed(t *testing.T) {
	m := edited(t, 120, 40)
	if got := strings.Join(m.Chat.View(), "\n"); strings.Count(got, "editing") != 1 {
		t.Errorf("the message that is edited does not say so:\n%s", got)
	}
}
