package ui

import (
	"fmt"
	"image/color"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"winnow/history"
	"winnow/session"
	"winnow/ui/app"
	"winnow/ui/frame"
	"winnow/ui/theme"
)

// Whatever happens, a view whose parts were kept from the view before is the view that is drawn from nothing.
func TestAViewOfKeptPartsIsTheViewDrawnAnew(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		dice := rand.New(rand.NewPCG(seed, 1))
		m := asking(t, 130, 30)
		m.frame.Mouse = true
		m.Themes.Wanted, m.Themes.Plain, m.Themes.Profile = theme.Auto, false, colorprofile.TrueColor
		m.restyle()
		_, plan := spoken()
		keys := []tea.KeyPressMsg{
			enter, esc, tab,
			{Code: tea.KeyUp},
			{Code: tea.KeyDown},
			{Code: 'x', Mod: tea.ModCtrl},
			{Code: 'o', Mod: tea.ModCtrl},
			{Code: 't', Mod: tea.ModCtrl},
			{Code: tea.KeyBackspace},
			{Code: tea.KeyPgUp},
			{Code: tea.KeyPgDown},
			{Code: 'p', Mod: tea.ModCtrl},
		}
		letters := []rune("jkJKpxom[ /?aé漢' G")
		at, said := time.Duration(0), ""
		for step := range 250 {
			at += time.Duration(dice.IntN(400)) * time.Millisecond
			var msg tea.Msg
			switch n := dice.IntN(20); {
			case n < 6:
				msg = char(letters[dice.IntN(len(letters))])
			case n < 9:
				msg = keys[dice.IntN(len(keys))]
			case n < 13:
				piece := []string{
					"words of an answer ", "\n\n", "```go\nx := 1\n```\n", "漢字 ", "- item\n",
				}[dice.IntN(5)]
				tell(m, at, session.Delta{Text: piece})
				msg = tea.FocusMsg{}
			case n < 15:
				msg = tea.MouseWheelMsg{
					X: dice.IntN(130), Y: dice.IntN(30), Button: []tea.MouseButton{
						tea.MouseWheelUp, tea.MouseWheelDown,
					}[dice.IntN(2)],
				}
			case n == 15:
				msg = tea.WindowSizeMsg{
					Width: []int{130, 160, 100, 60, 30}[dice.IntN(5)], Height: []int{30, 45, 12}[dice.IntN(3)],
				}
			case n == 16:
				plan.Sum.Limit += 100
				plan.Entries = editedEntries(plan.Entries, func(list []history.Entry) {
					list[dice.IntN(len(list))].Disposition = []history.Disposition{
						history.Kept, history.Dropped, history.Excluded,
					}[dice.IntN(3)]
				})
				msg = app.Then(func() tea.Cmd { return m.TakePlan(plan, nil, false) })
			case n == 17:
				msg = tea.BackgroundColorMsg{Color: []color.Color{color.Black, color.White}[dice.IntN(2)]}
			case n == 18:
				msg = tea.MouseClickMsg{X: dice.IntN(130), Y: dice.IntN(30), Button: tea.MouseLeft}
			default:
				msg = tea.BlurMsg{}
			}
			said = fmt.Sprintf("%T %v", msg, msg)
			if key, is := msg.(tea.KeyPressMsg); is && key.Code == tea.KeyEnter && m.focus == draftPane &&
				!m.covered() {
				continue // nothing is sent
			}
			m.Update(msg)
			kept := m.View()
			m.frame = frame.Model{Mouse: true}
			if m.dialogs.Floats() {
				continue // the page behind it is the one of the moment when it opened
			}
			want := strings.Split(m.View().Content, "\n")
			for y, line := range strings.Split(kept.Content, "\n") {
				if y >= len(want) || line != want[y] {
					t.Fatalf("seed %d, step %d, %s: line %d is\n%q\nwant\n%q", seed, step, said, y, line,
						want[min(y, len(want)-1)])
				}
			}
		}
	}
}
