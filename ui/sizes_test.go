package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"
)

// Whatever is on the screen, at any size: no line is wider than the screen, none is missing, and the cursor is on it.
func TestEveryStateFitsEverySize(t *testing.T) {
	sizes := [][2]int{
		{20, 5}, {40, 10}, {60, 20}, {80, 24}, {90, 30}, {119, 40}, {120, 40}, {200, 60}, {300, 100}, {1, 1}, {13, 3},
	}
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.SampledFrom(sizes).Draw(rt, "size")
		state := rapid.SampledFrom(states).Draw(rt, "state")
		m := state.make(t, 120, 40)
		m.Info.Title = rapid.SampledFrom([]string{
			"Parser rewrite", "語言模型看見什麼，又為什麼", "👩‍👩‍👧‍👦🏳️‍🌈 e\u0301 ﷽", "",
		}).Draw(rt, "title")
		for _, size := range [][2]int{size, rapid.SampledFrom(sizes).Draw(rt, "then")} {
			m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			fits(t, m)
			if c := m.View().Cursor; c != nil && (c.X < 0 || c.X >= size[0] || c.Y < 0 || c.Y >= size[1]) {
				rt.Fatalf("%s at %d×%d: the cursor is at %d, %d", state.name, size[0], size[1], c.X, c.Y)
			}
		}
	})
}
