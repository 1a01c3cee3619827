package ui

import (
	"strings"

	"winnow/history"
	"winnow/ui/keymap"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// prices says what each act by hand on a message would cost or free in the next request, with its whole
// tool group, as the server counts: "p +540 · x −37". What the rules would do with a message that was
// pinned or excluded is not known before they are asked, so that is the most it can be.
func (m *Model) prices(e history.Entry) string {
	next := &m.panel.Next
	now, ok := next.Verdict(e.Index, e.ID)
	if !ok || !next.Ready {
		return ""
	}
	var flag history.Flag
	before, after := 0, 0
	group := m.session.Group(now.ID)
	for _, id := range group {
		if mate, ok := next.Verdict(m.chat.Place[id], id); ok {
			switch {
			case mate.Pinned:
				flag = history.Pin
			case mate.Disposition == history.Excluded && mate.Cause.Code != history.CauseQuestionExcluded:
				flag = history.Exclude
			}
			after += mate.TokensAfter
			if before += mate.TokensBefore; mate.Whole && mate.Sent() {
				before += mate.TokensAfter - mate.TokensBefore // Mending it may take some.
			}
		}
	}
	k := &m.keys
	pin := k.First(keymap.Pin) + " pin " + difference(next, before-after)
	exclude := k.First(keymap.Exclude) + " exclude " + difference(next, -after)
	auto := k.First(keymap.Auto) + " auto "
	var list []string
	switch flag {
	case history.Pin:
		list = []string{auto + "up to " + difference(next, -after), exclude}
	case history.Exclude:
		list = []string{auto + "up to " + difference(next, before), pin}
	default:
		list = []string{pin, exclude}
	}
	if len(group) > 1 {
		list = append(list, "with "+theme.Plural(len(group)-1, "more"))
	}
	return strings.Join(list, " · ")
}

// difference is a number of counted tokens with its sign, as the server counts them.
func difference(r *panel.Request, n int) string {
	if n == 0 {
		return "±0"
	}
	return theme.Signed(r.Plan.Sum.Tokens(n))
}
