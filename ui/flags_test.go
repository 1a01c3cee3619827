package ui

import (
	"strings"
	"testing"

	"winnow/history"
)

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

// walked goes to the transcript and to its first message.
func walked(t *testing.T, w, h int, said ...string) *live {
	l := onStage(t, w, h)
	for _, text := range said {
		l.say(text)
	}
	l.press("tab", "g")
	return l
}

func (l *live) flagOf(n int) history.Flag {
	return l.Session.Now().Flags[l.Chat.Messages.ID(n)]
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
