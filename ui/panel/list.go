package panel

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/session/record"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// list is the part of the list that is on the screen.
type list struct {
	top          int  // the line of the view with its first line
	first, end   int  // the first line of the list that is shown, and the one behind the last
	page0, page1 int  // the lines with the messages of the page; none where page1 is 0
	clicked      bool // a click gave the panel the focus since
}

// page is how many lines are on the screen.
func (l *list) page() int { return max(1, l.end-l.first) }

// window moves the part of a list of n lines that h lines show as little as that takes to have the lines from one on up
// to another in it. Where there is more above or below, that is said in the place of the first or last line.
func (l *list) window(n, h, from, to int) {
	sign := 0
	if h >= leastRows+2 {
		sign = 1
	}
	l.first = max(l.first, to+sign-h)
	l.first = max(0, min(l.first, from-sign, n-h))
	l.end = min(n, l.first+h)
}

// rows draws the list in h lines of w cells, below so many lines of the view.
func (p *Model) rows(in, w, top, h int) []string {
	r, st, l := p.Shown(), &p.Themes.Styles, &p.list
	lines, at := p.lines()
	n, draft := len(lines), p.draft()
	all := n
	if draft > 0 {
		all++ // It has a line behind the messages.
	}
	if l.clicked {
		l.first += top - l.top // The head grows with the focus, and the rows stay under the mouse.
	}
	*l = list{top: top, first: l.first}
	if first, end := p.OnPage(); end > first && len(r.Plan.Entries) > 0 { // The plan may not know the newest yet.
		last := len(r.Plan.Entries) - 1
		l.page0 = lineOf(lines, r.RowOf(min(first, last)))
		l.page1 = lineOf(lines, r.RowOf(min(end-1, last))) + 1
	}
	switch {
	case !p.hasKeys() && l.page1 > 0:
		l.window(all, h, l.page0, l.page1)
	case at == n-1:
		l.window(all, h, at, all) // The draft is seen with the message before it.
	default:
		l.window(all, h, at, at+1)
	}
	cols := p.columns(in)
	var drawn []string
	for i := l.first; i < l.end; i++ {
		switch signs := h >= leastRows+2; {
		case signs && i == l.first && i > 0:
			drawn = append(drawn, p.more(cols, w, "↑", r.before(lines[i].to), 0))
		case signs && i == l.end-1 && l.end < all:
			drawn = append(drawn, p.more(cols, w, "↓", len(r.Plan.Entries)-r.before(lines[i].from), draft))
		case i == n:
			it := item{glyph: "›", who: "you", text: "draft", words: st.You, tokens: theme.Thousands(draft)}
			drawn = append(drawn, it.draw(st, cols, w))
		default:
			it := p.item(lines[i])
			it.cursor = p.Focused && p.Whatif == nil && i == at
			drawn = append(drawn, it.draw(st, cols, w))
		}
	}
	return drawn
}

// draft is what the message costs that is being written, 0 for nothing.
func (p *Model) draft() int {
	if p.Busy || p.Shown().Past != nil {
		return 0
	}
	return p.Shown().share("draft")
}

// more says how many messages there are above a line, or from it on.
func (p *Model) more(c columns, w int, arrow string, n, draft int) string {
	text := theme.Thousands(n) + " more"
	if draft > 0 {
		text = strings.TrimPrefix(text+", and your draft ~"+theme.Thousands(draft), "0 more, and ")
	}
	return p.Themes.Styles.Muted.Render(theme.Fit(fmt.Sprintf("   %*s  %s", c.digits-1, arrow, text), w))
}

// columns are the columns of the list in cells behind the cursor's: a text begins at text, and the numbers end at
// tokens and saved. Without who said a message, who is 0; without what was saved, saved is tokens.
type columns struct {
	digits, who, text, tokens, saved int
	any                              bool // something was saved
}

// The narrowest columns, and how many cells a text needs to say anything.
const (
	whoCells    = len("model")
	tokensCells = len("tokens")
	savedCells  = len("  saved")
	leastText   = 8
	wideText    = 40 // from here a verdict leaves space for how the message begins
)

// columns are the columns in w cells. Who said a message and what was saved give way, the tokens never do.
func (p *Model) columns(w int) columns {
	r, most, model := p.Shown(), 0, p.Ref
	if r.Past != nil {
		model = r.Past.Request.Model
	}
	c := columns{saved: w, digits: len(theme.Thousands(max(10, len(r.Plan.Entries))))}
	c.who = max(whoCells, theme.Width(theme.ShortName(model)))
	for i := range r.Plan.Entries {
		e := &r.Plan.Entries[i]
		most = max(most, e.TokensBefore-e.TokensAfter)
		if e.Role == history.System {
			c.who = theme.MostName
		}
	}
	c.any = most > 0
	c.text = len("G ") + c.digits + 1 + c.who + 1
	c.tokens = w - max(savedCells, 2+len(theme.Thousands(r.Plan.Sum.Tokens(most))))
	if c.tokens-tokensCells-c.text < leastText {
		c.text -= c.who + 1
		c.who, c.tokens = 0, w
	}
	return c
}

// item is what a line of the list says.
type item struct {
	cursor, selected bool
	glyph, number    string
	who              string         // who said it, "" for several messages, and without a number for what nobody said
	text             string         // the verdict, or how the message begins
	more             string         // how it begins, behind the verdict where there is space
	words            lipgloss.Style // of the text
	tokens, saved    string
	gain             bool // saved is what a trial adds
}

// draw draws the item in w cells, of which the first is the cursor's.
func (it item) draw(st *theme.Styles, c columns, w int) string {
	row := line{w: w}
	if it.cursor || it.selected {
		row.add("▌", st.Seen)
	}
	row.to(1)
	row.add(it.glyph+" ", st.OfGlyph(it.glyph))
	switch {
	case it.who != "":
		row.add(fmt.Sprintf("%*s ", c.digits, it.number), st.Muted)
		row.add(theme.Fit(it.who, c.who), st.Text)
		row.to(1 + c.text)
	case it.number != "":
		row.add(it.number+" ", st.Muted)
		row.to(1 + c.text)
	default:
		row.to(row.at + c.digits + 1)
	}
	end := 1 + c.tokens
	if it.tokens != "" {
		end -= max(tokensCells, theme.Width(it.tokens)+1)
	}
	row.cut(it.text, it.words, end)
	if it.more != "" && end-1-c.text >= wideText && end-row.at >= 2+leastText {
		row.to(row.at + 2)
		row.cut(it.more, st.Muted, end)
	}
	row.to(1 + c.tokens - theme.Width(it.tokens))
	row.add(it.tokens, st.Text)
	if c.saved > c.tokens {
		style := st.Muted
		if it.gain {
			style = st.Seen
		}
		row.to(1 + c.saved - theme.Width(it.saved))
		row.add(it.saved, style)
	}
	return row.on(st, it.cursor)
}

// item is what a line says about its rows.
func (p *Model) item(of span) item {
	r, st, on := p.Shown(), &p.Themes.Styles, p.Shown().Rows[of.from]
	if on.Added > 0 {
		a := r.Added[on.Added-1]
		return item{
			glyph: "✚", text: addedName(a.Kind), more: p.Secrets.Line(a.Text), words: st.OfGlyph("✚"),
			tokens: r.Counted(a.Tokens),
		}
	}
	e := *on.Entry
	it := item{glyph: theme.Glyph(e), number: theme.Thousands(e.Index + 1), selected: p.Selected(e.ID), words: st.Muted}
	before, after, n := 0, 0, of.to-of.from
	for _, row := range r.Rows[of.from:of.to] {
		before, after = before+row.Entry.TokensBefore, after+row.Entry.TokensAfter
	}
	if e.Sent() {
		it.tokens = r.Counted(after)
	}
	if diff := r.Plan.Sum.Tokens(after) - r.Plan.Sum.Tokens(before); diff < 0 {
		it.saved = theme.Signed(diff)
	}
	if n > 1 {
		it.number += "–" + theme.Thousands(e.Index+n)
		if it.text = "whole"; !e.Sent() {
			it.text = theme.Thousands(n) + " " + notSent(e.Disposition)
		}
		return it
	}
	text, model := r.said(e.ID)
	it.who, it.text, it.more = theme.ShortSpeaker(e.Role, model), theme.Verdict(e), p.gist(e, text)
	move, moved := r.moves[e.ID]
	switch {
	case record.NotRead(e, r.FirstRead):
		it.glyph, it.text, it.words = "▲", "not read", st.Repaired
	case moved:
		it.text, it.saved, it.gain, it.words = move.text, difference(r.Plan.Sum.Tokens(move.diff)), move.diff > 0, st.Cut
		if it.gain {
			it.words = st.Seen
		}
	case it.text == "":
		it.text, it.more = it.more, ""
	case e.Sent():
		it.words = st.OfGlyph(it.glyph)
	}
	return it
}

// difference is a number of tokens with its sign.
func difference(n int) string {
	if n == 0 {
		return "±0"
	}
	return theme.Signed(n)
}

// addedName says what a text is for that winnow added to a request.
func addedName(k history.AddedKind) string {
	switch k {
	case history.AddedMarker:
		return "added: note of a gap"
	case history.AddedStart:
		return "added: opening line"
	case history.AddedStandIn:
		return "added: stand-in result"
	case history.AddedBridge:
		return "added: filler answer"
	case history.AddedRecalled:
		return "added: recall heading"
	}
	return "added: " + string(k)
}

// notSent is what became of several messages.
func notSent(d history.Disposition) string {
	if d == history.Isolated {
		return "unreadable"
	}
	return string(d)
}

// gistOf is a message at the length that it had when its gist was made, since one that arrives grows, and whether what
// looks like a secret was shown.
type gistOf struct {
	id       int64
	bytes    int
	revealed bool
}

// maxGists bounds how many beginnings are kept: more than the list shows at once.
const maxGists = 1000

// gist is how a message begins, without its secrets and the Markdown marks of an answer. A line is drawn often, and
// secrets are searched for once.
func (p *Model) gist(e history.Entry, text string) string {
	of := gistOf{e.ID, len(text), p.Secrets.Revealed}
	gist, known := p.gists[of]
	if !known {
		if p.gists == nil || len(p.gists) >= maxGists {
			p.gists = map[gistOf]string{}
		}
		if e.Role == history.Assistant {
			text = markdown.Gist(text)
		}
		gist = strings.TrimSpace(p.Secrets.Line(text))
		p.gists[of] = gist
	}
	return gist
}
