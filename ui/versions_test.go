package ui

import (
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/sessiontest"
)

// versioned returns the conversation of spoken with several versions of two messages.
func versioned(t testing.TB, w, h int) *Model {
	m := chatting(t, w, h)
	messages, plan := spoken()
	for i := range messages {
		messages[i].Seq, messages[i].CreatedMS = i+1, begun.Add(time.Duration(i-60)*time.Minute).UnixMilli()
	}
	messages[2].Sibling, messages[2].Siblings = 2, 3
	messages[5].Sibling, messages[5].Siblings = 1, 2
	m.Chat.SetBranch(branch.Branch{}.Append(messages...))
	plans(m, plan)
	return m
}

// edited returns a model while an earlier message is edited: the plan ends before it.
func edited(t testing.TB, w, h int) *Model {
	m := versioned(t, w, h)
	typing(m, "half a thought")
	m.Update(tab)
	m.Chat.GoTo(3)
	m.Update(char('e'))
	typing(m, " Ever.")
	plan := m.Panel.Next.Plan
	plan.Entries, plan.NextToDrop = plan.Entries[:2], nil
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
	}
}

// wantTexts fails unless these are the first sentences of the messages, on the screen and in the session.
func (l *live) wantTexts(want string) {
	l.t.Helper()
	for where, messages := range map[string]branch.Branch{"screen": l.Chat.Messages, "session": l.Session.Branch()} {
		var texts []string
		for _, m := range sessiontest.Messages(messages) {
			text, _, _ := strings.Cut(m.Content, ".")
			texts = append(texts, text)
		}
		if got := strings.Join(texts, " | "); got != want {
			l.t.Errorf("the %s has %q, want %q", where, got, want)
		}
	}
}

// body returns the body of the newest request.
func (l *live) body() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bodies[len(l.bodies)-1]
}

func (l *live) flagOf(n int) history.Flag {
	return l.Session.State().Flags[l.Chat.Messages.ID(n)]
}

func TestALongNoticeTakesTwoLinesWhereThereIsRoom(t *testing.T) {
	said := "Pinned message 12: +1,204 tokens; its call and 2 results go with it; 2 messages dropped (5 you, 6 " +
		"model) to make room."
	m := chatting(t, 80, 24)
	m.notice.Say(said)
	m.arrange()
	lines := strings.Split(plain(m), "\n")
	if got := strings.Join(strings.Fields(strings.Join(lines[22:24], " ")), " "); got != said {
		t.Errorf("the lowest lines say %q", got)
	}
	fits(t, m)
}
