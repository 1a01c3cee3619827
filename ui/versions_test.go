package ui

import (
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/sessiontest"
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
	m.Chat.Follow(branch.Branch{}.Append(messages...))
	plans(m, plan)
	return m
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

// What is edited stays on the screen as it was said.
func TestEditedMessageIsNamed(t *testing.T) {
	m := edited(t, 120, 40)
	if got := strings.Join(m.Chat.View(), "\n"); strings.Count(got, "editing") != 1 {
		t.Errorf("the message that is edited does not say so:\n%s", got)
	}
}

// texts are what the messages on the screen say, in short.
func (l *live) texts() string {
	var list []string
	for _, m := range sessiontest.Messages(l.Chat.Messages) {
		text, _, _ := strings.Cut(m.Content, ".")
		list = append(list, text)
	}
	return strings.Join(list, " | ")
}

// wantTexts fails where other messages are on the screen, or where the session has others.
func (l *live) wantTexts(want string) {
	l.t.Helper()
	if got := l.texts(); got != want {
		l.t.Errorf("the screen has %q, want %q", got, want)
	}
	var stored []string
	for _, m := range sessiontest.Messages(l.Session.Branch()) {
		text, _, _ := strings.Cut(m.Content, ".")
		stored = append(stored, text)
	}
	if got := strings.Join(stored, " | "); got != want {
		l.t.Errorf("the session has %q, want %q", got, want)
	}
}

// body is what the newest request held.
func (l *live) body() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bodies[len(l.bodies)-1]
}

// While an answer arrives nothing can become another version, and the screen says why.
func TestNoVersionsWhileAnAnswerArrives(t *testing.T) {
	m := asking(t, 120, 40)
	for _, key := range []rune{'e', 'r', '[', ']'} {
		m.setFocus(transcriptPane)
		m.Chat.GoTo(1)
		m.notice.Hush()
		m.Update(char(key))
		if !strings.Contains(plain(m), "An answer is still arriving: esc stops it.") {
			t.Errorf("%c while an answer arrives: %q", key, m.notice.Sentence())
		}
		if m.editing() || m.Chat.Messages.Len() != 7 {
			t.Errorf("%c while an answer arrives does something", key)
		}
	}
}

// ranged is a selection of the messages from the second to the last but one in the transcript.
func ranged(t testing.TB, w, h int) *Model {
	m := chatting(t, w, h)
	m.Update(tab)
	for _, k := range "KKKK    " {
		m.Update(char(k))
	}
	return m
}

// pinned is what the screen says after the dropped first message and the cut one behind it are pinned.
func pinned(t testing.TB, w, h int) *Model {
	m := chatting(t, w, h)
	m.Update(tab)
	for _, k := range "g  p" {
		m.Update(char(k))
	}
	_, now := spoken()
	now.Entries = editedEntries(now.Entries, func(list []history.Entry) {
		for i := range 2 {
			e := &list[i]
			e.Disposition, e.Pinned, e.Whole, e.Cause = history.Kept, true, true, history.Cause{Text: "pinned by you"}
			e.TokensAfter, e.CharsAfter, e.Cuts = e.TokensBefore, e.CharsBefore, nil
		}
		list[5].Disposition, list[5].TokensAfter, list[5].Cause = history.Dropped, 0,
			history.Cause{Text: "over the budget"}
	})
	now.Sum.Pinned += 612 + 577
	now.Sum.Body -= 37 + 31
	plans(m, now)
	m.Chat.Unselect()
	m.notice.Say("Pinned 2 messages.")
	return m
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
	m = chatting(t, 80, 12)
	m.notice.Say(said)
	m.arrange()
	if lines := strings.Split(plain(m), "\n"); !strings.Contains(lines[10], "Pinned message 12") ||
		!strings.Contains(lines[9], "›") {
		t.Errorf("a short screen does not make room for the notice:\n%s", plain(m))
	}
	fits(t, m)
}
