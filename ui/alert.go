package ui

import (
	"errors"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// mostAlertBytes is the most of an error that is looked at: more than its lines have room for.
const mostAlertBytes = 8 << 10

// wayOut says what the user can do about a turn that failed with err, "" for nothing.
func (m *Model) wayOut(err error) string {
	switch {
	case errors.Is(err, session.ErrNothingOlder), errors.Is(err, session.ErrNothingToAnswer):
		return ""
	case m.turn.sent != nil && m.session.Unready() != nil:
		return "The draft is still here."
	case m.turn.sent != nil && !m.composer.Empty() && m.turn.sent.edit.message == 0:
		return "Your message was not sent; " + m.keys.First(keymap.Older) + " recalls it."
	case m.turn.sent != nil && (errors.Is(err, store.ErrReadOnly) || errors.Is(err, store.ErrMoved)):
		return "The draft is still here."
	case m.turn.sent != nil:
		return "The draft is still here; " + m.keys.First(keymap.Send) + " sends it again."
	case m.turn.condensing:
		return "/compact tries again."
	case overBudget(err):
		return "Shorten or exclude something, or raise the budget with /budget; /retry asks again."
	}
	return "/retry asks again."
}

// withWayOut is an error in at most n lines of w cells. The way out stands whole at its end, so a server that
// says a lot is cut. A screen with no room for both shows the error.
func withWayOut(fault, way string, w, n int) []string {
	fault = "! " + markdown.Visible(fault[:min(len(fault), mostAlertBytes)])
	lines := theme.Wrap(strings.TrimSpace(fault+" "+way), w)
	exit := theme.Wrap(way, w)
	switch {
	case len(lines) <= n:
		return lines
	case way == "" || n <= len(exit):
		lines = theme.Wrap(fault, w)
		return lines[:min(len(lines), n)]
	}
	lines = theme.Wrap(fault, w)[:n-len(exit)]
	last := len(lines) - 1
	lines[last] = ansi.Truncate(lines[last], max(0, w-2), "") + " …"
	return append(lines, exit...)
}
