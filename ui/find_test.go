package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"winnow/history"
)

// searching returns a model while a search is typed. Its four matches are in a dropped message, in the omitted part of
// a cut one, and in two that are sent.
func searching(t testing.TB, w, h int) *Model {
	m := chatting(t, w, h)
	_, plan := spoken()
	plan.Entries = editedEntries(plan.Entries, func(list []history.Entry) {
		list[1].Cuts = []history.CharRange{{From: 1, To: 2310}}
	})
	plans(m, plan)
	m.Update(tab)
	m.Update(char('g'))
	m.Update(char('/'))
	for _, r := range "re" {
		_, cmd := m.Update(char(r))
		m.Update(cmd())
	}
	return m
}

// hitText returns what the search line says about the current match.
func hitText(m *Model) string {
	line, _ := m.Chat.SearchLine(400, "")
	return strings.Split(strings.TrimSpace(ansi.Strip(line)), "  ")[1]
}

func TestASearchSaysWhatTheModelSeesOfEachHit(t *testing.T) {
	m := searching(t, 120, 40)
	m.Update(enter)
	for i, want := range []string{
		"match 1 of 4 · ○ not sent",
		"match 2 of 4 · ◐ cut",
		"match 3 of 4 · ● sent",
		"match 4 of 4 · ● sent",
	} {
		if got := hitText(m); got != want {
			t.Errorf("hit %d: %q, want %q", i+1, got, want)
		}
		m.Update(char('n'))
	}
	if got := hitText(m); !strings.HasPrefix(got, "match 1 of 4 · ○ not sent") {
		t.Errorf("behind the last hit: %q", got)
	}
	m.Update(char('N'))
	if got := hitText(m); got != "match 4 of 4 · ● sent" {
		t.Errorf("before the first hit: %q", got)
	}
	m.Update(esc)
	if m.Chat.Search.Active || m.focus != transcriptPane || strings.Contains(plain(m), "hits") {
		t.Errorf("esc does not end the search:\n%s", plain(m))
	}
}

func TestALateAnswerOfASearchIsDropped(t *testing.T) {
	m := chatting(t, 120, 40)
	m.Update(tab)
	m.Update(char('/'))
	_, first := m.Update(char('r'))
	_, second := m.Update(char('e'))
	m.Update(second())
	want := hitText(m)
	m.Update(first())
	if got := hitText(m); got != want || !strings.HasPrefix(got, "match ") {
		t.Errorf("after the answer for an older text it says %q, want %q", got, want)
	}
	m.Update(esc)
	m.Update(second())
	if m.Chat.Search.Active {
		t.Error("an answer after the end begins the search again")
	}
}
