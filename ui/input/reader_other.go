//go:build !unix

package input

import (
	"os"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/cells"
)

// Options are none where Bubble Tea reads the console's own events, which hold no escape sequences.
func Options(_, _ *os.File) []tea.ProgramOption { return nil }

// MeasuredMsg says how the terminal counts the cells of characters; here it is not asked.
type MeasuredMsg struct{ cells.Terminal }
