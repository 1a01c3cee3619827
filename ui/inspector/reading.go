package inspector

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/theme"
)

// Reading is a message: its text to scroll through, and below that what past requests made of it.
type Reading struct {
	*Pager
	message int64
	more    string              // the key that reads on
	past    []store.PastVerdict // the newest first
	next    *history.Entry      // its verdict in the next request, nil where another request is on show
	saved   int                 // the tokens that are saved there

	w, h   int
	counts struct{ from, characters int } // kept, so that a long text is not counted anew at every step
}

// The heights of what a reading holds, in lines.
const (
	leastText    = 8 // of the text above a history
	aboveHistory = 3 // the rule with a blank line at either side
	mostRows     = 5 // of a history
	mostGlyphs   = 8 // in a row of it
)

// Resize is as Content has it.
func (r *Reading) Resize(w, h int) {
	r.w, r.h = w, h
	r.Pager.Resize(w, max(1, h-r.footHeight()))
}

// Page is as Content has it. The last row on the screen may say how much follows.
func (r *Reading) Page() int { return r.H - 1 }

// footHeight is how many lines the history takes, 0 where there is no room for it, or none.
func (r *Reading) footHeight() int {
	n := len(r.runs(r.h - leastText - aboveHistory - 1))
	if n == 0 {
		return 0
	}
	return aboveHistory + 1 + n
}

// run is a number of requests in turn that made the same of a message.
type run struct {
	store.PastVerdict // of the newest
	n, from           int
}

// runs are the newest of them, the oldest first, in at most so many rows with that of the next request.
func (r *Reading) runs(rows int) []run {
	rows = min(rows, mostRows)
	if r.next != nil {
		rows--
	}
	var list []run
	for _, v := range r.past {
		if n := len(list); n > 0 && alike(list[n-1].Entry, v.Entry) {
			list[n-1].n++
			list[n-1].from = v.Turn
			continue
		}
		if len(list) >= rows {
			break
		}
		list = append(list, run{v, 1, v.Turn})
	}
	slices.Reverse(list)
	if r.next != nil && len(list) > 0 {
		list = append(list, run{PastVerdict: store.PastVerdict{Entry: *r.next}, n: 1})
	}
	return list
}

// alike says that two requests made the same of a message, for the same reason.
func alike(a, b history.Entry) bool {
	return theme.Glyph(a) == theme.Glyph(b) && a.Cause.Code == b.Cause.Code && a.CharsAfter == b.CharsAfter
}

// View draws the text and the history below it.
func (r *Reading) View(st theme.Styles) []string {
	lines := r.Pager.View(st)
	if end := r.end(); end.line < len(r.lines) && len(lines) > 1 {
		if rest := r.rest(st, end); rest != "" {
			lines[len(lines)-1] = rest
		}
	}
	return append(lines, r.foot(st)...)
}

// rest says how much of the message's text follows the screen, "" where none does.
func (r *Reading) rest(st theme.Styles, end spot) string {
	last := r.move(end, -1) // the row that this one stands in the place of
	rows := r.wrapped(last.line)[last.row:]
	left := r.charactersFrom(last.line + 1)
	for _, row := range rows {
		left += charactersOf(row.segments)
	}
	if left == 0 {
		return ""
	}
	line := row{segments: []Segment{{Quiet, theme.Plural(left, "more character") + "   "}}, mark: rows[0].mark}
	return theme.Fit(line.draw(st, r.w)+st.Text.Render(r.more)+st.Muted.Render(" reads on"), r.w)
}

// charactersFrom is how many characters of the message's text a line and those below it have.
func (r *Reading) charactersFrom(line int) int {
	c := &r.counts
	if c.from == 0 {
		c.from = len(r.lines)
	}
	for ; c.from > line; c.from-- {
		c.characters += charactersOf(r.lines[c.from-1])
	}
	for ; c.from < line; c.from++ {
		c.characters -= charactersOf(r.lines[c.from])
	}
	return c.characters
}

// charactersOf is how many characters of a message's text segments have.
func charactersOf(segments []Segment) (n int) {
	for _, s := range segments {
		if ofMessage(s.Kind) {
			n += utf8.RuneCountInString(s.Text)
		}
	}
	return n
}

// foot is the history below a rule: a row for what several requests in turn made of the message, with a glyph for each
// of them.
func (r *Reading) foot(st theme.Styles) []string {
	if r.footHeight() == 0 {
		return nil
	}
	runs := r.runs(r.h - leastText - aboveHistory - 1)
	label, glyphs := 0, 0
	for _, v := range runs {
		label = max(label, theme.Width(r.label(v)))
		glyphs = max(glyphs, min(v.n, mostGlyphs))
	}
	edge := strings.Repeat(" ", theme.Gutter(r.w))
	lines := []string{"", ruleIn(st, r.w), "", edge + st.Strong.Render("History")}
	for _, v := range runs {
		g := theme.Glyph(v.Entry)
		row := strings.TrimSpace(strings.Repeat(g+" ", min(v.n, mostGlyphs)))
		lines = append(lines, theme.Fit(edge+st.Muted.Render(theme.Fit(r.label(v), label))+"  "+
			theme.Fit(st.OfGlyph(g).Render(row), 2*glyphs-1)+"  "+st.Text.Render(r.reason(v)), r.w))
	}
	return lines
}

// label is the verdict of a run in a word.
func (r *Reading) label(v run) string {
	switch word, _, _ := strings.Cut(theme.Verdict(v.Entry), " "); {
	case v.Request == 0:
		return "next"
	default:
		return cmp.Or(strings.TrimSuffix(word, ":"), "whole")
	}
}

// reason says which turns a run is of, and why they made that of the message.
func (r *Reading) reason(v run) string {
	if v.Request == 0 {
		if r.saved > 0 {
			return "the next request; sent whole it would take " + about(r.saved) + " more tokens"
		}
		return strings.TrimSuffix("the next request: "+why(v.Entry), ": ")
	}
	turns := "turn " + theme.Thousands(v.Turn)
	switch oldest := r.past[len(r.past)-1].Turn; {
	case v.from == oldest && len(r.past) == firstVerdicts: // those before were not read
		turns += " and before"
	case v.from != v.Turn:
		turns = fmt.Sprintf("turns %s to %s", theme.Thousands(v.from), theme.Thousands(v.Turn))
	}
	if reason := why(v.Entry); reason != "" {
		turns += ": " + reason
	}
	return turns
}
