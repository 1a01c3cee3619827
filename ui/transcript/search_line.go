package transcript

import (
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// SearchTitle counts the hits, "" where nothing is looked for.
func (c *Model) SearchTitle() string {
	f := &c.Search
	switch {
	case !f.On || f.Text == "" || !f.done && f.Total == 0:
		return ""
	case f.Total == 0:
		return "no hits"
	case len(c.Plan.Entries) == 0:
		return theme.Plural(f.Total, "hit")
	}
	return theme.Plural(f.Total, "hit") + ": " + f.tally.text()
}

// hitText says where the user's hit is and what the model sees of it.
func (c *Model) hitText() string {
	f := &c.Search
	x, ok := c.hit()
	switch {
	case f.Text == "":
		return "type what to look for"
	case !f.done && f.Total == 0:
		return "looking …"
	case !ok:
		return "nowhere in this conversation"
	}
	text := "hit " + theme.Thousands(f.at+1) + " of " + theme.Thousands(f.Total)
	switch {
	case f.Total == 1 && f.around != 0:
		text = "the only hit"
	case f.around > 0:
		text += ", from the top"
	case f.around < 0:
		text += ", from the end"
	}
	s, e := c.sees(x)
	switch s {
	case inContext:
		return text + " · ● in context"
	case cutAway:
		text += " · ✂ cut: this place is not sent"
	case leftOut:
		text += " · ○ out: " + string(e.Disposition)
	default:
		return text + " · ? this request does not know the message"
	}
	last, ok := f.whole[c.Messages[x.message].ID]
	switch {
	case !ok:
		return text
	case last.never:
		return text + " · never whole"
	}
	ago := "the last answer"
	if n := c.Turns - last.turn; n > 0 {
		ago = theme.Plural(n, "answer") + " ago"
	}
	return text + " · last whole in turn " + theme.Thousands(last.turn) + " (" + ago + ")"
}

// SearchLine is the search line: what is looked for, then a sentence while it is typed, else the hit that the user
// is at. The cursor stands at column x.
func (c *Model) SearchLine(w int, sentence string) (line string, x int) {
	st, f := c.Styles, &c.Search
	text, x := f.View(max(1, w/2) + 1) // the cursor stands behind the text
	status := c.hitText()
	if f.Open && sentence != "" {
		status = markdown.OneLine(sentence, w)
	}
	hint := ""
	if !f.Open && f.Total > 0 {
		hint = c.Keys.First(keymap.NextHit) + " " + c.Keys.First(keymap.PrevHit) + " go on · " + c.Keys.First(keymap.Back) + " ends "
	}
	left := " / "
	if f.Open {
		left = " " + st.Accent.Render("/") + " "
	}
	x = min(3+x, max(0, w-1))
	line = left + text + st.Dim.Render("  ") + st.Strong.Render(status)
	if theme.Width(line)+2+theme.Width(hint) > w {
		return theme.Fit(line, w), x
	}
	return theme.Spread(line, st.Dim.Render(hint), w), x
}
