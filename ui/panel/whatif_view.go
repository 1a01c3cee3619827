package panel

import (
	"slices"
	"strconv"
	"strings"

	"winnow/history"
	"winnow/session/record"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// move is what a trial changes for a message.
type move struct {
	text string // "+ comes back"
	diff int    // counted tokens more or less
}

// Show shows a plan by the dials: compared with the next request as it is set, these are the changes.
func (w *Whatif) Show(tried, now Request, changes []history.Change) {
	tried.now = &now
	tried.moves = make(map[int64]move, len(changes))
	w.first, w.changed = 0, tally{}
	for _, c := range changes {
		text, kind := moveOf(c)
		if text == "" {
			continue
		}
		w.changed[kind]++
		e := c.Entry()
		tried.moves[e.ID] = move{text, c.After.TokensAfter - c.Before.TokensAfter}
		if n := e.Index + 1; w.first == 0 || n < w.first {
			w.first = n
		}
	}
	tried.fold()
	w.Request = tried
}

// kind is what a trial does to a message.
type kind int

const (
	back kind = iota // it is sent again
	wholeAgain
	longer
	shorter
	out
	kinds
)

// tally is how many messages a trial changes in each way.
type tally [kinds]int

// String names them: "6 whole again, 2 dropped".
func (t tally) String() string {
	var list []string
	for k, words := range [kinds]string{"sent again", "whole again", "longer", "shorter", "dropped"} {
		if t[k] > 0 {
			list = append(list, theme.Thousands(t[k])+" "+words)
		}
	}
	return strings.Join(list, ", ")
}

// moveOf says what a change does to the amount of a message that is sent, "" for nothing.
func moveOf(c history.Change) (string, kind) {
	cut := c.After.Disposition == history.Cut
	switch {
	case c.After.Sent() && !c.Before.Sent() && cut:
		return "+ comes back, cut", back
	case c.After.Sent() && !c.Before.Sent():
		return "+ comes back", back
	case c.Before.Sent() && !c.After.Sent():
		return "− drops out", out
	case c.After.CharsAfter > c.Before.CharsAfter && !cut:
		return "+ whole", wholeAgain
	case c.After.CharsAfter > c.Before.CharsAfter:
		return "+ " + theme.Verdict(c.After), longer
	case c.After.CharsAfter < c.Before.CharsAfter:
		return "− " + theme.Verdict(c.After), shorter
	}
	return "", 0
}

// maxNumbers is how many messages are named by their numbers.
const maxNumbers = 5

// head is the dials, and the sums that they change; in a low panel the dial under the cursor alone.
func (w *Whatif) head(st theme.Styles, width, h int, blank []string, now record.Prefix) []string {
	lines := append([]string{
		between(width, []words{{"What if", st.Strong}}, []words{{"nothing is sent or stored", st.Muted}}),
	}, blank...)
	lines = append(lines, make([]string, len(w.dialsIn(h)))...) // View draws them over all of its width.
	switch {
	case w.Asking() != "" && w.Note == "":
		lines = append(lines, theme.WrapStyled(st.Muted, "Asking for its context window…", width)...)
	case w.Listing && w.at == modelDial:
		lines = append(lines, theme.WrapStyled(st.Muted, "Asking the endpoints for their models…", width)...)
	}
	if w.Note != "" {
		lines = append(lines, theme.WrapStyled(st.Error, markdown.Visible(w.Note), width)...)
	}
	lines = append(lines, blank...)
	lines = append(lines, w.sums(st, width, now)...)
	if h >= barHeight {
		lines = slices.Concat(lines, blank, []string{w.Request.bar(st, width)})
	}
	return lines
}

// The columns of the dials, in cells.
const (
	dialAt    = 12
	dialCells = 13
)

// dialsFrom is the line of the first dial.
func dialsFrom(h int) int {
	if h < airyHeight {
		return 1
	}
	return 2 // There is a blank line below the title.
}

// dialsIn are the dials that a panel of h lines shows: a low one shows the dial under the cursor alone.
func (w *Whatif) dialsIn(h int) []Dial {
	if h < columnHeight {
		return []Dial{w.at}
	}
	list := make([]Dial, dialCount)
	for i := range list {
		list[i] = Dial(i)
	}
	return list
}

// dial is a dial's line of all cells, of which the first is the cursor's and width are for the text: its name, its
// value, and the value that is set.
func (w *Whatif) dial(st theme.Styles, d Dial, width, all int) string {
	to, was := w.Settings().Text(d), markdown.OneLine(w.was.Text(d), width)
	name, arrow, value, mark := st.Text, st.Faint, st.Text, " "
	row := newLine(all)
	if d == w.at {
		name, arrow, value, mark = st.Strong, st.Seen, st.Strong, "▌"
		row.ground = st.Selected
	}
	row.add(mark, st.Seen)
	width++
	right := ""
	if to != was {
		right = "was " + was
	}
	row.add(theme.UpperFirst(d.Name()), name)
	row.to(dialAt)
	row.add("◂ ", arrow)
	end := dialAt + 2 + max(dialCells, theme.Width(to)+1)
	if right != "" && end+2+theme.Width(right) > width {
		right = ""
	}
	row.cut(to, value, min(end-1, width-2))
	row.to(min(end, width-1))
	row.add("▸", arrow)
	row.to(width - theme.Width(right))
	row.add(right, st.Muted)
	row.to(all)
	return row.String()
}

// sums are what the trial changes in all.
func (w *Whatif) sums(st theme.Styles, width int, now record.Prefix) []string {
	if w.Asking() != "" {
		return nil
	}
	r := &w.Request
	var lines []string
	say := func(label, was, is, rest string) {
		row := newLine(width)
		row.add(theme.Fit(label, labelCells), st.Muted)
		if was != "" && was != is {
			row.add(was+" ", st.Muted)
			row.add("→ ", st.Faint)
			row.add(is, st.Strong)
		} else {
			row.add(is, st.Text)
		}
		row.add(rest, st.Text)
		row.to(width)
		lines = append(lines, row.String())
	}
	say("Sends", theme.Thousands(r.now.Counts.Sent()), theme.Thousands(r.Counts.Sent()), " of "+
		theme.Thousands(r.Counts.Stored))
	if changed := w.changed.String(); changed != "" {
		say("Changes", "", changed, "")
	}
	of := ""
	if limit := r.Plan.Sum.Limit; limit > 0 {
		of = " of " + theme.Thousands(limit)
	}
	say("Tokens", r.now.tokens(), r.tokens(), of)
	if r.Input.Known() {
		was := ""
		if r.now.Input.Known() {
			was = r.now.Input.String()
		}
		say("Price", was, r.Input.String(), " a request")
	}
	if cached := w.cached(now); cached != "" {
		say("Cache", "", cached, "")
	}
	return lines
}

// cached says what becomes of what the server may have read before; now is what that is without the trial. It is ""
// where nothing is known.
func (w *Whatif) cached(now record.Prefix) string {
	switch {
	case !now.Known, now.Tokens == 0 && w.Prefix.Tokens == 0:
		return ""
	case w.trial.Model != "":
		return "none: another model"
	case w.Prefix.Tokens == now.Tokens:
		return "~" + w.Request.Counted(now.Tokens) + ", as before"
	case w.first > 0:
		return "rebuilt once, from message " + strconv.Itoa(w.first) + " on"
	}
	return "~" + w.Request.Counted(now.Tokens) + " → ~" + w.Request.Counted(w.Prefix.Tokens)
}
