package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/uitest"
)

func TestEveryWordOfAFilterIsInTitleOrTags(t *testing.T) {
	m := fresh(t, 120, 40)
	m.Update(ctrl('s'))
	listed(m, someSessions()...)
	for _, c := range []struct{ filter, want string }{
		{"", "Parser rewrite, Bread with rye, Parser rewrite, without the lexer, Übersetzung für die Partnerschaft, " +
			"日本語の構文解析, untitled"},
		{"PARSER", "Parser rewrite, Parser rewrite, without the lexer"},
		{"go lexer", "Parser rewrite, without the lexer"},
		{"#kitch", "Bread with rye"},
		{"rye bread", "Bread with rye"},
		{"brd", "Bread with rye, Übersetzung für die Partnerschaft"},
		{"für", "Übersetzung für die Partnerschaft"},
		{"構文", "日本語の構文解析"},
		{"zebra", ""},
	} {
		m.Update(ctrl('u'))
		typing(m, c.filter)
		if got := strings.Join(titles(m), ", "); got != c.want {
			t.Errorf("%q leaves %s, want %s", c.filter, got, c.want)
		}
	}
}

// manySessions are so many sessions.
func manySessions(n int) []store.Session {
	stored := make([]store.Session, n)
	for i := range stored {
		stored[i] = store.Session{
			ID:    fmt.Sprintf("%08x-0000-7000-8000-000000000000", i),
			Title: fmt.Sprintf("Chat %d about the weather in Oslo", i),
			Model: "gpt-5.2", Turns: i % 50, Tags: []string{"sky", "work"}[:i%3%2+i%2], Updated: begun,
		}
	}
	return stored
}

// BenchmarkSessionsKey types in the list and draws it, as each key does.
func BenchmarkSessionsKey(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		for _, keys := range []string{"down up", "o backspace", "o s l o backspace backspace backspace backspace"} {
			b.Run(fmt.Sprintf("%d/%s", n, keys), func(b *testing.B) {
				m := fresh(b, 120, 40)
				m.Update(ctrl('s'))
				listed(m, manySessions(n)...)
				var presses []tea.KeyPressMsg
				for _, name := range strings.Fields(keys) {
					presses = append(presses, uitest.Key(name))
				}
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					m.Update(presses[i%len(presses)])
					_ = m.View()
					i++
				}
			})
		}
	}
}
