//go:build !unix

package input

import (
	"os"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/cells"
)

// Reader does nothing where Bubble Tea reads the console's own events, which hold no escape sequences.
type Reader struct{}

// MeasuredMsg says how the terminal counts the cells of characters; here it is not asked.
type MeasuredMsg struct{ cells.Terminal }

// NewReader returns a reader in front of a terminal.
func NewReader(*os.File) *Reader { return &Reader{} }

// Options are none.
func (r *Reader) Options() []tea.ProgramOption { return nil }

// Question is empty.
func (r *Reader) Question() string { return "" }

// Message changes no message.
func (r *Reader) Message(msg tea.Msg) tea.Msg { return msg }
