// Package bell notifies a user who looks elsewhere, with the terminal's bell and a desktop notification. It does so
// only while the terminal reports that it does not have the focus. It decides whether to notify, not about what.
package bell

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
)

// Mode is how the user wants to be notified.
type Mode string

// The modes. The empty one is Auto.
const (
	Auto Mode = "auto" // by a notification and the bell
	Bell Mode = "bell" // by the bell alone
	Off  Mode = "off"
)

// MinWait is the shortest wait after which the user is notified: nobody looks away for less.
const MinWait = 10 * time.Second

// mostCells is the greatest width of a notification.
const mostCells = 120

// Model knows whether the terminal has the focus, and how to notify. Its zero value never notifies, because the
// terminal has not reported that it lost the focus.
type Model struct {
	Mode Mode

	away   bool // the terminal has reported that it lost the focus
	tmux   bool // a notification is wrapped, so that tmux hands it on
	silent bool // GNU screen would show a notification as text
}

// SetEnvironment reads from the environment whether tmux or GNU screen is between winnow and the terminal.
func (m *Model) SetEnvironment(getenv func(string) string) {
	m.tmux = getenv("TMUX") != ""
	m.silent = getenv("STY") != "" && !m.tmux
}

// SetFocus notes whether the terminal has the focus.
func (m *Model) SetFocus(has bool) { m.away = !has }

// Away reports whether the terminal has lost the focus.
func (m *Model) Away() bool { return m.away }

// Call notifies the user of something that took so long. It returns nil if the terminal has the focus, the mode is Off,
// or took is less than MinWait.
func (m *Model) Call(text string, took time.Duration) tea.Cmd {
	if m.Mode == Off || !m.away || took < MinWait {
		return nil
	}
	notification := ansi.Notify(markdown.OneLine(text, mostCells))
	switch {
	case m.Mode == Bell || m.silent:
		notification = ""
	case m.tmux:
		notification = ansi.TmuxPassthrough(notification)
	}
	return tea.Raw("\a" + notification)
}
