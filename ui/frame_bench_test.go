//go:build unix

package ui

import (
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"winnow/session"
	"winnow/ui/terminal"
)

// BenchmarkFrame is what a frame costs, from the message that causes it to the bytes for the terminal: of a piece of an
// answer, of a letter in the draft while the answer stands, and of a step of the wheel. The panel is full.
func BenchmarkFrame(b *testing.B) {
	for _, size := range []struct {
		name string
		w, h int
	}{{"120x40", 120, 40}, {"300x100", 300, 100}} {
		for _, c := range []struct {
			name string
			do   func(m *Model, i int)
		}{
			{"piece", func(m *Model, i int) {
				tell(m, time.Duration(i)*50*time.Millisecond, session.Delta{Text: "Some **words** of an answer that goes on, with `code` in it, as models write. "})
				if i%10 == 9 {
					tell(m, time.Duration(i)*50*time.Millisecond, session.Delta{Text: "\n\n"})
				}
			}},
			{"letter", func(m *Model, i int) {
				if i%200 == 199 {
					m.composer.Rewrite("")
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
				out, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
				if err != nil {
					b.Fatal(err)
				}
				defer out.Close()
				m := fullPanel(b, size.w, size.h)
				screen := terminal.New(out, out)
				if err := screen.Start("", func(tea.Msg) {}); err != nil {
					b.Fatal(err)
				}
				defer screen.Close()
				screen.Message(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
				screen.Message(tea.WindowSizeMsg{Width: size.w, Height: size.h})
				f := newFrames(m, screen)
				tell(m, 0, session.Delta{Text: strings.Repeat("A paragraph of **words** that stands there.\n\n", 100)})
				b.ResetTimer()
				for i := 0; b.Loop(); i++ {
					c.do(m, i)
					f.draw(f.now())
				}
			})
		}
	}
}
