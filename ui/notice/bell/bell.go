// Package bell calls a user who is not looking: with the terminal's bell and a desktop notification, and only while the
// terminal has said that it does not have the focus. It decides whether to call, and not what about.
package bell

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
)

// Mode is how the user wants to be called.
type Mode string

// The modes. The empty one is Auto.
const (
	Auto Mode = "auto" // by a notification and the bell
	Bell Mode = "bell" // by the bell alone
	Off  Mode = "off"
)

// Worth is how long an answer takes that is worth a call: nobody looks away for less.
const MinWait = 10 * time.Second

// mostCells is how much of a text a notification has.
const mostCells = 120

// Model knows whether the user looks, and how to call. Its zero value calls nobody, because the terminal has not said
// that it lost the focus.
type Model struct {
	Mode Mode

	away   bool // the terminal has said that it does not have the focus
	tmux   bool // a notification is wrapped, so that tmux hands it on
	silent bool // GNU screen would show a notification as text
}

// Environment learns what the terminal runs in.
func (m *Model) SetEnvironment(getenv func(string) string) {
	m.tmux = getenv("TMUX") != ""
	m.silent = getenv("STY") != "" && !m.tmux
}

// Focus takes what the terminal says about its focus.
func (m *Model) SetFocus(has bool) { m.away = !has }

// Away says that the user is elsewhere, as far as the terminal knows.
func (m *Model) Away() bool { return m.away }

// Call calls the user about something that took so long to come. It is nil where the user looks, does not want to be
// called, or has not waited long enough to look away.
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
