//go:build !unix

package terminal

import (
	"os"

	tea "charm.land/bubbletea/v2"
)

// frameRate is how often a second Bubble Tea draws a view that has changed.
const frameRate = 60

// Screen leaves the terminal to Bubble Tea, which knows how to draw on consoles that are no Unix terminals.
type Screen struct{ *os.File }

// New returns the screen of a terminal that is read from in and written to out.
func New(_, out *os.File) *Screen { return &Screen{out} }

// Options make a program draw by itself.
func (s *Screen) Options() []tea.ProgramOption { return []tea.ProgramOption{tea.WithFPS(frameRate)} }

// Start, Take, Release, Close, Draw and CountClusters do nothing.
func (s *Screen) Start(string, func(tea.Msg)) error { return nil }

func (s *Screen) Take() error { return nil }

func (s *Screen) Release() error { return nil }

func (s *Screen) Close() error { return nil }

func (s *Screen) Draw(tea.View) {}

func (s *Screen) CountClusters() {}

// Message changes no message.
func (s *Screen) Message(msg tea.Msg) tea.Msg { return msg }
