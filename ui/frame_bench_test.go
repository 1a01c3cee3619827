package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// fullPanel returns a model in colours, with an answer arriving and a full panel if there is room.
func fullPanel(t testing.TB, w, h int) *Model {
	m := asking(t, w, h)
	_, plan := spoken()
	for i := range 90 {
		e := history.Entry{
			ID: int64(100 + i), Role: history.User,
			Disposition: history.Kept, Whole: true, TokensBefore: i, TokensAfter: i,
		}
		if i%3 == 0 {
			e.Disposition, e.Whole, e.TokensAfter = history.Cut, false, i/2
		}
		plan.Entries = append(plan.Entries, e)
	}
	plans(m, plan)
	m.Themes.Wanted, m.Themes.NoColour, m.Themes.Profile = theme.Dark, false, colorprofile.TrueColor
	m.restyle()
	return m
}

// BenchmarkView measures a message and the view after it: a piece of an answer, a letter in the draft, and a step of
// the wheel, with a full panel.
func BenchmarkView(b *testing.B) {
	for _, size := range []struct {
		name string
		w, h int
	}{{"120x40", 120, 40}, {"300x100", 300, 100}} {
		for _, c := range []struct {
			name string
			do   func(m *Model, i int)
		}{
			{"piece", func(m *Model, i int) {
				piece := "Some **words** of an answer that goes on, with `code` in it, as models write. "
				if i%10 == 9 {
					piece += "\n\n"
				}
				tell(m, time.Duration(i)*50*time.Millisecond, session.Delta{Text: piece})
			}},
			{"letter", func(m *Model, i int) {
				if i%200 == 199 {
					m.composer.SetDraft("")
				}
				m.Update(char('x'))
			}},
			{"wheel", func(m *Model, i int) {
				button := tea.MouseWheelUp
				if i/20%2 == 1 {
					button = tea.MouseWheelDown
				}
				m.Update(tea.MouseWheelMsg{X: 10, Y: 10, Button: button})
			}},
		} {
			b.Run(size.name+"/"+c.name, func(b *testing.B) {
				m := fullPanel(b, size.w, size.h)
				tell(m, 0, session.Delta{Text: strings.Repeat("A paragraph of **words** that stands there.\n\n", 100)})
				b.ResetTimer()
				for i := 0; b.Loop(); i++ {
					c.do(m, i)
					m.View()
				}
			})
		}
	}
}

// BenchmarkSessionsKey measures a key in the list of sessions, with its view.
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

// manySessions returns n sessions.
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
