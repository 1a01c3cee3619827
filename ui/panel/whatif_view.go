package panel

import (
	"strings"

	"winnow/history"
	"winnow/session/record"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Show shows a plan by the dials: compared with the next request as it is set, these are the changes.
func (w *Whatif) Show(tried, now Request, changes []history.Change) {
	tried.now = &now
	tried.signs = make(map[int64]string, len(changes))
	w.Request, w.moves = tried, nil
	of := map[string][]history.Change{}
	for _, c := range changes {
		if sign := moveOf(c); sign != "" {
			tried.signs[c.Entry().ID] = sign
			of[sign] = append(of[sign], c)
		}
	}
	for _, move := range []struct{ sign, one, many string }{
		{"+", "enters", "enter"},
		{"−", "leaves", "leave"},
		{"▴", "gets longer", "get longer"},
		{"▾", "gets shorter", "get shorter"},
	} {
		if list := of[move.sign]; len(list) > 0 {
			what := move.many
			if len(list) == 1 {
				what = move.one
			}
			w.moves = append(w.moves, move.sign+" "+theme.Thousands(len(list))+" "+what+": "+namedChanges(list))
		}
	}
}

// moveOf is the sign of what a change does to the amount of a message that is sent, "" for nothing.
func moveOf(c history.Change) string {
	switch {
	case c.After.Sent() && !c.Before.Sent():
		return "+"
	case c.Before.Sent() && !c.After.Sent():
		return "−"
	case c.After.CharsAfter > c.Before.CharsAfter:
		return "▴"
	case c.After.CharsAfter < c.Before.CharsAfter:
		return "▾"
	}
	return ""
}

// maxNumbers is how many messages are named by their numbers.
const maxNumbers = 5

// namedChanges names the messages of changes.
func namedChanges(changes []history.Change) string {
	var list []string
	for i, c := range changes {
		if i == maxNumbers {
			return strings.Join(list, ", ") + " …"
		}
		list = append(list, theme.Thousands(c.Entry().Index+1))
	}
	return strings.Join(list, ", ")
}

// dials draws the dials; in a low panel the one under the cursor alone.
func (w *Whatif) dials(st theme.Styles, width, h int) []string {
	var lines []string
	for d := range dialCount {
		if d == w.at || h >= fullHead {
			lines = append(lines, w.dial(st, d, width))
		}
	}
	switch {
	case w.Asking() != "" && w.Note == "":
		lines = append(lines, theme.Indented(st.Muted, "asking for its window; the verdicts follow", width)...)
	case w.Listing && w.at == modelDial:
		lines = append(lines, theme.Indented(st.Muted, "asking the endpoints for their models", width)...)
	}
	if w.Note != "" {
		lines = append(lines, theme.Indented(st.Error, markdown.Visible(w.Note), width)...)
	}
	return append(lines, st.Rule(width))
}

// dial is a dial's line: its name, its value, and the value that is set.
func (w *Whatif) dial(st theme.Styles, d Dial, width int) string {
	to, was := w.Settings().Text(d), w.was.Text(d)
	right := ""
	if to != was {
		right = "now " + markdown.OneLine(was, width) + " "
	}
	text := theme.Fit(d.Name(), len("placement")) + "  "
	if width < roomyDial {
		text = d.Name() + " "
	}
	const marks = len(" > < ") + len(" >") // of the cursor
	if theme.Width(text+to+right)+marks > width {
		right = ""
	}
	to = markdown.OneLine(to, max(1, width-theme.Width(text)-marks))
	if d != w.at {
		return theme.Spread("   "+text+"  "+to, st.Muted.Render(right), width)
	}
	return st.Selected.Render(theme.Spread(" ▸ "+text+"◂ "+to+" ▸", right, width))
}

// roomyDial is the width from which the dials' values are in one column.
const roomyDial = 36

// changes says what would enter and leave.
func (w *Whatif) changes(st theme.Styles, width int) []string {
	switch {
	case w.Asking() != "":
		return nil
	case len(w.moves) == 0 && !w.turned():
		return theme.Indented(st.Muted, "nothing is stored or sent before you apply it", width)
	case len(w.moves) == 0:
		return []string{theme.Fit(st.Muted.Render(" no message enters or leaves"), width)}
	}
	var list []string
	for _, s := range w.moves {
		list = append(list, st.Strong.Render(s))
	}
	return flow(list, width)
}

// cached says how much of the request the server may have read before; now is what that is without the
// trial. It is "" where nothing is known.
func (w *Whatif) cached(now record.Prefix) string {
	switch {
	case !now.Known:
		return ""
	case w.trial.Model != "":
		return "no cached prefix: the model is another"
	case w.Prefix.Tokens == now.Tokens:
		return "cached prefix ~" + w.Request.Counted(now.Tokens)
	}
	return "cached prefix ~" + w.Request.Counted(w.Prefix.Tokens) + " (now ~" + w.Request.Counted(now.Tokens) + ")"
}

// turned reports whether a dial has another value than is set.
func (w *Whatif) turned() bool { return w.Settings() != w.was }
