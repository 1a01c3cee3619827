//go:build unix

package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"winnow/history"
	"winnow/session"
	"winnow/ui/current"
	"winnow/ui/terminal"
	"winnow/ui/theme"
)

// fullPanel is a chat that asks, in colours, with a panel full of messages where it has room.
func fullPanel(t testing.TB, w, h int) *Model {
	m := asking(t, w, h)
	_, plan := conversation()
	for i := range 90 {
		e := history.Entry{ID: int64(100 + i), Role: history.User, Disposition: history.Kept, Whole: true, TokensBefore: i, TokensAfter: i}
		if i%3 == 0 {
			e.Disposition, e.Whole, e.TokensAfter = history.Cut, false, i/2
		}
		plan.Entries = history.EntriesOf(append(plan.Entries.List(), e)...)
	}
	m.Update(current.PlannedMsg{Generation: m.current.Generation, Planned: current.Planned{Plan: plan}})
	m.themes.Wanted, m.themes.Plain, m.themes.Profile = theme.Dark, false, colorprofile.TrueColor
	m.restyle()
	return m
}

// An answer that scrolls on a wide screen, beside a panel full of messages, writes its own lines again and not the panel,
// and a screen that only the letters of a draft change writes those.
func TestAStreamOnAWideScreenWritesFewBytes(t *testing.T) {
	t.Parallel()
	out, err := os.Create(filepath.Join(t.TempDir(), "screen"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	const w, h, frames, mostPerFrame = 300, 100, 15, 9000
	m := fullPanel(t, w, h)

	screen := terminal.New(out, out)
	if err := screen.Start("", func(tea.Msg) {}); err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	screen.Message(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	screen.Message(tea.WindowSizeMsg{Width: w, Height: h})
	size := func() int64 {
		info, err := out.Stat()
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	text := []rune(strings.Repeat("The generator writes its **files** anew, whatever stands in `gen.go`; the other two are yours, and nobody "+
		"else touches them before the next release of the grammar.\n\n- one thing is left\n- and another one, with *some* words\n\n", 60))
	text = append(text, []rune(strings.Repeat("And a paragraph that goes on for a long time without an end, as models like to write. ", 60))...)
	var first, all int64
	for i := range frames {
		from := i * len(text) / frames
		tell(m, time.Duration(i)*50*time.Millisecond, session.Delta{Text: string(text[from : (i+1)*len(text)/frames])})
		screen.Draw(m.View())
		if i == 0 {
			first = size()
		}
	}
	all = size() - first
	typed := size()
	const letters, mostPerLetter = 20, 300
	for range letters {
		m.Update(char('x'))
		screen.Draw(m.View())
	}
	if per := (size() - typed) / letters; per > mostPerLetter {
		t.Errorf("a letter has %d bytes, want at most %d", per, mostPerLetter)
	}
	if per := all / (frames - 1); per > mostPerFrame {
		t.Errorf("a frame has %d bytes, want at most %d", per, mostPerFrame)
	}
}
