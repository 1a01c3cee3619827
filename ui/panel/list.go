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
	head     int // the lines of the view above it
	top      int // the line of the view with its first message
	first    int // the first line of the list that is shown, and the one behind the last
	end      int
	clicked  bool // a click gave the panel the focus since
	above    bool // a line above the first says how many more there are
	from, to int  // the lines of the list with the messages of the page; none where to is 0
}

// window puts the part of a list of n lines that h lines show where the lines from and to are in it, as near to where
// it was as that lets it. What is above it and below it has a line each that says so.
func (l *list) window(n, h, from, to int) {
	l.place(n, h)
	for _, line := range []int{to, from} {
		if line < l.first {
			l.first = line
			l.place(n, h)
		}
		if line >= l.end {
			l.first = max(l.first, line-h+3)
			for l.place(n, h); line >= l.end && l.first < n; l.place(n, h) {
				l.first++
			}
		}
	}
}

// place finds what is shown behind the first line.
func (l *list) place(n, h int) {
	l.first = max(0, min(l.first, n-1))
	signs := h >= leastRows+2
	if n <= h {
		l.first = 0
	}
	for ; ; l.first-- { // The end of a list leaves no blank line.
		l.above = signs && l.first > 0
		rows := h
		if l.above {
			rows--
		}
		if l.end = min(n, l.first+rows); l.end < n && signs {
			l.end--
		}
		if l.first == 0 || l.end < n || l.end-l.first >= rows {
			return
		}
	}
}

// rows draws the list in h lines of w cells, below so many lines of the view.
func (p *Model) rows(st theme.Styles, in, w, top, h int, focused bool) []string {
	r, opened := p.Shown(), p.open()
	n := r.Rows.lines(opened)
	draft := p.draft()
	all := n
	if draft > 0 {
		all++ // It has a line behind the messages.
	}
	if p.list.clicked {
		p.list.first += top - p.list.head // The head grows with the focus, and the rows stay under the mouse.
	}
	p.list = list{head: top, top: top, first: p.list.first}
	if last := len(r.Plan.Entries) - 1; p.OnPage.To > 0 && last >= 0 { // The plan may not know the newest yet.
		p.list.from = r.Rows.lineOf(r.Rows.Place(min(p.OnPage.From, last)), opened)
		p.list.to = r.Rows.lineOf(r.Rows.Place(min(p.OnPage.To-1, last)), opened) + 1
	}
	at := r.Rows.lineOf(max(0, p.At), opened)
	switch {
	case focused || p.list.to == 0:
		last := at
		if draft > 0 && at == n-1 {
			last = n // The draft is seen with the message before it.
		}
		p.list.window(all, h, at, last)
	default:
		p.list.window(all, h, p.list.from, p.list.to-1)
	}
	l := p.list
	cols := r.columns(in, p.model())
	var lines []string
	if l.above {
		p.list.top++
		lines = append(lines, p.more(st, cols, w, "↑", l.first, 0))
	}
	for i := l.first; i < min(l.end, n); i++ {
		lines = append(lines, p.line(st, cols, i, opened, w, focused))
	}
	switch {
	case l.end < all:
		lines = append(lines, p.more(st, cols, w, "↓", l.end, draft))
	case draft > 0:
		line := inList{
			glyph: "›", who: "you", text: "draft", tokens: theme.Thousands(draft), tint: st.You, words: st.You,
		}
		lines = append(lines, line.draw(st, cols, w))
	}
	return lines[:min(len(lines), max(0, h))]
}

// draft is what the message costs that is being written, 0 for nothing.
func (p *Model) draft() int {
	if p.Busy || p.Shown().Past != nil {
		return 0
	}
	return p.Shown().share("draft")
}

// more says how many messages there are above a line, or from it on.
func (p *Model) more(st theme.Styles, c columns, w int, arrow string, line, draft int) string {
	r := p.Shown()
	place, _ := r.Rows.placeOf(line, p.open())
	n := r.Rows.entriesBefore(place)
	if arrow == "↓" {
		n = len(r.Plan.Entries) - n
	}
	text := theme.Thousands(n) + " more"
	switch {
	case draft > 0 && n == 0:
		text = "your draft ~" + theme.Thousands(draft)
	case draft > 0:
		text += ", and your draft ~" + theme.Thousands(draft)
	}
	row := newLine(w)
	row.add(fmt.Sprintf("   %*s  ", c.digits-1, arrow), st.Muted)
	row.cut(text, st.Muted, w)
	row.to(w)
	return row.String()
}

// onPage says that a line of the view shows a message that is on the page.
func (p *Model) onPage(y int) bool {
	line := y - p.list.top + p.list.first
	return y >= p.list.top && line < p.list.end && line >= p.list.from && line < p.list.to
}

// LineAt is the line of the list at a line of the view as it was drawn last, and false where there is none.
func (p *Model) LineAt(y int) (int, bool) {
	line := y - p.list.top + p.list.first
	return line, y >= p.list.top && line < min(p.list.end, p.Shown().Rows.lines(p.open()))
}

// page is how many lines of the list are on the screen.
func (p *Model) page() int { return max(1, p.list.end-p.list.first) }

// columns are the columns of the list in cells: a text begins at text, and the numbers end at tokens and saved. A
// column that has no space is where the one before it is.
type columns struct {
	digits, who, text, tokens, saved int
}

// The narrowest columns, and how many cells a text needs to say anything.
const (
	whoCells    = 5 // "model"
	tokensCells = len("tokens")
	savedCells  = len("  saved")
	leastText   = 8
	wideText    = 40 // from here a verdict leaves space for how the message begins
)

// columns are the columns in w cells. What was saved gives way where nothing is, then who said a message, then
// what was saved; the tokens never do.
func (r *Request) columns(w int, model string) columns {
	digits := len(theme.Thousands(max(10, len(r.Plan.Entries))))
	tokens, saved := tokensCells, savedCells
	if used := len(theme.Thousands(r.Plan.Sum.Used())); used > tokens {
		tokens = used + 1
	}
	saved = max(saved, 2+len(theme.Thousands(r.Plan.Sum.Tokens(r.saved))))
	who := min(theme.MostName, max(whoCells, theme.Width(theme.ShortName(model))))
	if r.system {
		who = theme.MostName
	}
	at := func(who, saved int) columns {
		c := columns{digits: digits, who: who, text: len("G ") + digits + 1, tokens: w - saved, saved: w}
		if who > 0 {
			c.text += who + 1
		}
		return c
	}
	for _, c := range []columns{at(who, saved), at(who, 0), at(0, 0)} {
		if gone := c.tokens == c.saved; gone && r.saved > 0 && c.who > 0 {
			continue
		}
		if c.tokens-tokens-c.text >= leastText || c.who == 0 {
			return c
		}
	}
	return at(0, 0)
}

// inList is what a line of the list says.
type inList struct {
	added            bool // nobody said it: its text begins where the speaker would stand
	chosen, selected bool
	glyph, number    string
	many             bool // the number is that of several messages and stands where the speaker would
	who              string
	text             string
	tint, words      lipgloss.Style // of the glyph, and of the text
	more             string         // how the message begins, behind the text where there is space
	tokens, saved    string
	gain             bool // saved is what a trial adds
}

// draw draws the line in w cells, of which the first is the cursor's.
func (l inList) draw(st theme.Styles, c columns, w int) string {
	row := newLine(w)
	if l.chosen {
		row.ground = st.Selected
	}
	mark := " "
	if l.chosen || l.selected {
		mark = "▌"
	}
	row.add(mark, st.Seen)
	glyph := l.tint
	if l.glyph == "○" || l.glyph == "⊘" {
		glyph = st.OfGlyph(l.glyph)
	}
	row.add(l.glyph+" ", glyph)
	switch {
	case l.many:
		row.add(l.number+" ", st.Muted)
	default:
		row.add(fmt.Sprintf("%*s ", c.digits, l.number), st.Muted)
		if c.who > 0 && !l.added {
			row.add(theme.Fit(l.who, c.who), st.Text)
		}
	}
	if !l.added {
		row.to(1 + c.text)
	}
	end := 1 + c.tokens
	if l.tokens != "" {
		end -= max(tokensCells, theme.Width(l.tokens)+1)
	} else if l.saved != "" && c.saved > c.tokens {
		end = min(end, 1+c.saved-theme.Width(l.saved)-1)
	}
	row.cut(l.text, l.words, end)
	if l.more != "" && end-1-c.text >= wideText && end-row.at >= 2+leastText {
		row.add("  ", st.Muted)
		row.cut(l.more, st.Muted, end)
	}
	row.to(1 + c.tokens - theme.Width(l.tokens))
	row.add(l.tokens, st.Text)
	if c.saved > c.tokens {
		row.to(1 + c.saved - theme.Width(l.saved))
		style := st.Muted
		if l.gain {
			style = st.Seen
		}
		row.add(l.saved, style)
	}
	row.to(w)
	return row.String()
}

// line draws one line of the list.
func (p *Model) line(st theme.Styles, c columns, i, opened, w int, focused bool) string {
	r := p.Shown()
	place, folded := r.Rows.placeOf(i, opened)
	l := inList{tint: st.Muted, words: st.Muted}
	on := r.Rows.Row(place)
	switch {
	case folded >= 0:
		u := r.Rows.runs[folded]
		first, n := r.Rows.entriesBefore(u.from), u.to-u.from
		l.glyph, l.many = theme.Glyph(*on.Entry), true
		l.number = theme.Thousands(first+1) + "–" + theme.Thousands(first+n)
		if l.text = "whole"; on.Entry.Sent() {
			l.tint, l.tokens = st.OfGlyph(l.glyph), r.Counted(u.sent)
		} else {
			l.text = theme.Thousands(n) + " " + notSent(on.Entry.Disposition)
			l.saved = saving(r.Plan.Sum.Tokens(u.diff))
		}
		l.selected = p.Selected != nil && p.Selected(on.Entry.ID)
	case on.Added != nil:
		l.glyph, l.tint, l.words, l.added = "✚", st.OfGlyph("✚"), st.OfGlyph("✚"), true
		l.text, l.more = addedName(on.Added.Kind), p.Secrets.Line(on.Added.Text)
		l.tokens = r.Counted(on.Added.Tokens)
	case on.Entry != nil:
		l = p.entryLine(st, *on.Entry)
	}
	l.chosen = focused && p.Whatif == nil && i == r.Rows.lineOf(max(0, p.At), opened)
	return l.draw(st, c, w)
}

// entryLine is one message: its glyph and number, who said it, how it begins or what became of it, and its tokens.
func (p *Model) entryLine(st theme.Styles, e history.Entry) inList {
	r := p.Shown()
	said := r.texts(e.ID)
	l := inList{
		glyph: theme.Glyph(e), number: theme.Thousands(e.Index + 1), who: theme.ShortSpeaker(e.Role, said.model),
		text: theme.Verdict(e),
		more: p.gist(e.ID, e.Role, said.text), selected: p.Selected != nil && p.Selected(e.ID),
		saved: saving(r.Plan.Sum.Tokens(e.TokensAfter) - r.Plan.Sum.Tokens(e.TokensBefore)),
	}
	if e.Cause.Code == history.CauseNeighbour && l.glyph == "↺" {
		l.text = "recalled" + phrase(": with ", r.match(e.Index))
	}
	l.tint = st.OfGlyph(l.glyph)
	if e.Sent() {
		l.tokens = r.Counted(e.TokensAfter)
	} else {
		l.tint = st.Muted
	}
	move, moved := r.moves[e.ID]
	switch {
	case record.NotRead(e, r.FirstRead):
		l.glyph, l.text, l.tint = "▲", "not read", st.Repaired
	case moved:
		l.text, l.saved, l.gain = move.text, r.difference(move.diff), move.diff > 0
		if l.tint = st.Cut; l.gain {
			l.tint = st.Seen
		}
	case l.text == "":
		l.text, l.more, l.words = l.more, "", st.Muted
		return l
	}
	l.words = l.tint
	return l
}

// saving is what a message costs less than whole: "−540", "" for nothing. What it costs more, such as the label of a
// recalled message, is in its tokens.
func saving(diff int) string {
	if diff >= 0 {
		return ""
	}
	return theme.Signed(diff)
}

// maxApart is how many messages a recalled one may stand from the match that it is recalled with.
const maxApart = 5

// match is the number of the recalled message nearest to one with an index that is recalled for what it says, "" for
// none.
func (r *Request) match(index int) string {
	for apart := 1; apart <= maxApart; apart++ {
		for _, i := range []int{index - apart, index + apart} {
			if i < 0 || i >= len(r.Plan.Entries) {
				continue
			}
			if e := r.Plan.Entries[i]; e.Recalled && e.Cause.Code == history.CauseSharedWords {
				return theme.Thousands(i + 1)
			}
		}
	}
	return ""
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

// gistOf is a message at the length that it had when its gist was made: one that arrives grows.
type gistOf struct {
	id    int64
	bytes int
}

// maxGists bounds how many beginnings are kept: more than the list shows at once.
const maxGists = 1000

// gist is how a message begins, without its secrets and the Markdown marks of an answer. A line is drawn often, and
// secrets are searched for once.
func (p *Model) gist(id int64, role history.Role, text string) string {
	of := gistOf{id, len(text)}
	gist, known := p.gists[of]
	if !known {
		if p.gists == nil || len(p.gists) >= maxGists {
			p.gists = map[gistOf]string{}
		}
		if role == history.Assistant {
			text = markdown.Gist(text)
		}
		gist = strings.TrimSpace(p.Secrets.Line(text))
		p.gists[of] = gist
	}
	return gist
}

// said is a message of the conversation as a row shows it.
func (p *Model) said(id int64) said {
	s := said{}
	if p.Text != nil {
		s.text = p.Text(id)
	}
	if p.ModelOf != nil {
		s.model = p.ModelOf(id)
	}
	return s
}
