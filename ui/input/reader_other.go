//go:build !unix

package input

import (
	"os"

	tea "charm.land/bubbletea/v2"
)

// Options are none where Bubble Tea reads the console's own events, which hold no escape sequences.
func Options(*os.File) []tea.ProgramOption { return nil }
