package transcript

import (
	"strings"

	"charm.land/bubbles/v2/key"

	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// SearchTitle counts the hits, "" where there is no search.
func (c *Model) SearchTitle() string {
	f := &c.Search
	switch {
	case !f.On || f.Text() == "" || !f.done && len(f.hits) == 0:
		return ""
	case len(f.hits) == 0:
		return "no matches"
	case len(c.Plan.Entries) == 0:
		return theme.Plural(len(f.hits), "match")
	}
	return theme.Plural(len(f.hits), "match") + ": " + f.tally.text()
}

// hitText says where the user's hit is and what the model sees of it.
func (c *Model) hitText() string {
	f := &c.Search
	h, ok := c.hit()
	switch {
	case f.Text() == "":
		return "type to search"
	case !f.done && len(f.hits) == 0:
		return "searching…"
	case !ok:
		return "no match in this chat"
	}
	text := "match " + theme.Thousands(f.at+1) + " of " + theme.Thousands(len(f.hits))
	switch {
	case len(f.hits) == 1 && f.wrapped != 0:
		text = "the only match"
	case f.wrapped > 0:
		text += ", from the top"
	case f.wrapped < 0:
		text += ", from the end"
	}
	switch c.sees(h) {
	case inContext:
		return text + " · ● sent"
	case cutAway:
		text += " · ◐ cut, not in what is sent"
	case leftOut:
		text += " · ○ not sent: " + string(c.Plan.Entries[h.message].Disposition)
	default:
		return text + " · ? the message is not part of this request"
	}
	last, ok := f.whole[c.Messages.ID(h.message)]
	switch {
	case !ok:
		return text
	case last == 0:
		return text + " · never whole"
	}
	ago := "the last answer"
	if n := c.Turns - last; n > 0 {
		ago = theme.Plural(n, "answer") + " ago"
	}
	return text + " · last whole in turn " + theme.Thousands(last) + " (" + ago + ")"
}

// SearchLine is the search line: the text, then a sentence while it is typed, else the hit that the user
// is at. The cursor is in column x.
func (c *Model) SearchLine(w int, sentence string) (line string, x int) {
	st, f := c.list.styles, &c.Search
	text, x := f.View(max(1, w/2) + 1) // the cursor stands behind the text
	status := c.hitText()
	if f.Open && sentence != "" {
		status = markdown.OneLine(sentence, w)
	}
	left := "  / "
	if f.Open {
		left = "  " + st.Strong.Render("/") + " "
	}
	x = min(theme.Width(left)+x, max(0, w-1))
	line = left + text + st.Muted.Render("  ") + st.Strong.Render(status)
	hint := ""
	if !f.Open && len(f.hits) > 0 {
		for _, h := range []key.Binding{
			c.Keys.Hint("next", keymap.NextHit), c.Keys.Hint("previous", keymap.PrevHit),
			c.Keys.Hint("close", keymap.Back),
			c.Keys.Hint("inspect", keymap.Inspect), c.Keys.Hint("pin", keymap.Pin),
			c.Keys.Hint("exclude", keymap.Exclude),
		} {
			more := hint + st.Text.Render(h.Help().Key) + st.Muted.Render(" "+h.Help().Desc) + "   "
			if theme.Width(line)+1+theme.Width(more) > w {
				break
			}
			hint = more
		}
		hint = strings.TrimSuffix(hint, " ")
	}
	if hint == "" {
		return theme.Fit(line, w), x
	}
	return theme.Spread(line, hint, w), x
}
