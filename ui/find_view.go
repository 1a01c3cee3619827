package ui

import (
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// findTitle counts the hits, for the frame of the transcript.
func (m *Model) findTitle() string {
	f := &m.find
	switch {
	case !f.on || f.Text == "" || !f.done && f.total == 0:
		return ""
	case f.total == 0:
		return "no hits"
	case !m.panel.Shown().Ready:
		return theme.Plural(f.total, "hit")
	}
	return theme.Plural(f.total, "hit") + ": " + f.tally.text()
}

// hitText says where the user's hit is and what the model sees of it.
func (m *Model) hitText() string {
	f := &m.find
	x, ok := f.hit()
	switch {
	case f.Text == "":
		return "type what to look for"
	case !f.done && f.total == 0:
		return "looking …"
	case !ok || x.message >= len(m.chat.messages):
		return "nowhere in this conversation"
	}
	text := "hit " + theme.Thousands(f.at+1) + " of " + theme.Thousands(f.total)
	switch {
	case f.total == 1 && f.around != 0:
		text = "the only hit"
	case f.around > 0:
		text += ", from the top"
	case f.around < 0:
		text += ", from the end"
	}
	s, e := m.chat.sees(x)
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
	last, ok := f.whole[m.chat.messages[x.message].ID]
	switch {
	case !ok:
		return text
	case last.never:
		return text + " · never whole"
	}
	return text + " · last whole in turn " + theme.Thousands(last.turn) + " (" + answersAgo(m.info.Turns-last.turn) + ")"
}

// answersAgo is how many answers lie behind a turn.
func answersAgo(n int) string {
	if n <= 0 {
		return "the last answer"
	}
	return theme.Plural(n, "answer") + " ago"
}

// findLine is the search line: what is looked for, then the hit that the user is at. The cursor stands
// at column x.
func (m *Model) findLine(w int) (line string, x int) {
	st, f := m.styles, &m.find
	text, x := f.View(max(1, w/2) + 1) // the cursor stands behind the text
	status := m.hitText()
	if f.open && m.toast.text != "" {
		status = markdown.OneLine(m.toast.text, w)
	}
	hint := ""
	if !f.open && f.total > 0 {
		hint = m.keys.First(keymap.NextHit) + " " + m.keys.First(keymap.PrevHit) + " go on · " + m.keys.First(keymap.Back) + " ends "
	}
	left := " / "
	if f.open {
		left = " " + st.Accent.Render("/") + " "
	}
	x = min(3+x, max(0, w-1))
	line = left + text + st.Dim.Render("  ") + st.Strong.Render(status)
	if theme.Width(line)+2+theme.Width(hint) > w {
		return theme.Fit(line, w), x
	}
	return theme.Spread(line, st.Dim.Render(hint), w), x
}
