package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"winnow/session/store"
	"winnow/ui/sessions"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// TestAFilterTypedOnFindsTheSame types filters in several ways and compares what they leave with what the
// whole filter leaves of the whole list.
func TestAFilterTypedOnFindsTheSame(t *testing.T) {
	letters := rapid.StringMatching(`[abA #]{0,8}`)
	rapid.Check(t, func(rt *rapid.T) {
		var lines []sessions.Line
		for i, title := range rapid.SliceOfN(letters, 0, 12).Draw(rt, "titles") {
			lines = append(lines, sessions.LineOf(theme.Secrets{}, store.Session{ID: fmt.Sprint(i), Title: title}))
		}
		l := sessions.Model{Lines: lines}
		l.Refilter()
		for _, key := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "#", "space", "left", "home", "backspace"}), 0, 10).Draw(rt, "keys") {
			before := l.Filter.Text()
			l.Filter.Typed(uitest.Key(key))
			l.Filtered(before)
			got, want := fmt.Sprint(l.Matches), fmt.Sprint(sessions.Matches(lines, nil, l.Filter.Text()))
			if got != want {
				rt.Fatalf("%q typed on leaves %s, want %s", l.Filter.Text(), got, want)
			}
			for _, x := range l.Matches {
				letters := strings.Join(strings.Fields(l.Filter.Text()), "")
				hits := sessions.HitsIn(lines[x.Line].Folded, l.Filter.Text())
				if len(hits) > len(letters) || len(letters) > 0 && len(hits) == 0 {
					rt.Fatalf("%q marks %d letters of %q", l.Filter.Text(), len(hits), lines[x.Line].Label)
				}
				for _, at := range hits {
					if letter := lines[x.Line].Folded[at : at+1]; !strings.Contains(sessions.Folded(letters), letter) {
						rt.Fatalf("%q marks %q in %q", l.Filter.Text(), letter, lines[x.Line].Label)
					}
				}
			}
		}
	})
}

func TestEveryWordOfAFilterIsInTitleOrTags(t *testing.T) {
	lines := sessions.SessionLines(theme.Secrets{}, someSessions())
	for _, c := range []struct{ filter, want string }{
		{"", "Parser rewrite, Bread with rye, Parser rewrite, without the lexer, Übersetzung für die Partnerschaft, 日本語の構文解析, untitled"},
		{"PARSER", "Parser rewrite, Parser rewrite, without the lexer"},
		{"go lexer", "Parser rewrite, without the lexer"},
		{"#kitch", "Bread with rye"},
		{"rye bread", "Bread with rye"},
		{"brd", "Bread with rye, Übersetzung für die Partnerschaft"},
		{"für", "Übersetzung für die Partnerschaft"},
		{"構文", "日本語の構文解析"},
		{"zebra", ""},
	} {
		l := sessions.Model{Lines: lines, Filter: theme.NewField(c.filter)}
		l.Refilter()
		if got := strings.Join(titles(&l), ", "); got != c.want {
			t.Errorf("%q leaves %s, want %s", c.filter, got, c.want)
		}
	}
}

// manyLines are so many sessions.
func manyLines(n int) []sessions.Line {
	stored := make([]store.Session, n)
	for i := range stored {
		stored[i] = store.Session{
			ID: fmt.Sprintf("%08x-0000-7000-8000-000000000000", i), Title: fmt.Sprintf("Session %d about the weather in Oslo", i),
			Model: "gpt-5.2", Turns: i % 50, Tags: []string{"sky", "work"}[:i%3%2+i%2], Updated: begun,
		}
	}
	return sessions.SessionLines(theme.Secrets{}, stored)
}

// BenchmarkSessionsKey types in the list and draws it, as each key does.
func BenchmarkSessionsKey(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		for _, keys := range []string{"down up", "o backspace", "o s l o backspace backspace backspace backspace"} {
			b.Run(fmt.Sprintf("%d/%s", n, keys), func(b *testing.B) {
				m := fresh(b, 120, 40)
				m.Update(ctrl('s'))
				m.Update(sessions.ListedMsg{Asked: m.sessions.Asked, Lines: manyLines(n), At: begun, Whole: true})
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
