package panel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// list is the part of the list that is on the screen.
type list struct {
	top          int // the line of the view with its first line
	first, end   int // the first line of the list that is shown, and the one behind the last
	page0, page1 int // the lines with the messages of the page; none where page1 is 0
}

// drawList draws the list in h lines of w cells, below so many lines of the view.
func (p *Model) drawList(in, w, top, h int) (drawn []string) {
	r, l, st := p.Shown(), &p.list, &p.Themes.Styles
	rows, at := p.lines()
	n, draft := len(rows), p.draft()
	all, from, to := n+min(draft, 1), at, at+1
	if at == n-1 {
		to = all // The draft is seen with the message before it.
	}
	*l = list{top: top, first: l.first}
	if first, end := p.OnPage(); end > first {
		holds := func(index int) int {
			return slices.IndexFunc(rows, func(row Row) bool { return row.has(min(index, len(r.Plan.Entries)-1)) })
		}
		l.page0, l.page1 = holds(first), holds(end-1)+1
	}
	if !p.hasKeys() && l.page1 > 0 {
		from, to = l.page0, l.page1
	}
	// The part that is shown moves as little as it takes to have the lines from one to the other in it.
	l.first = max(0, min(max(l.first, to-h), from, all-h))
	l.end = min(all, l.first+h)
	cols := p.columns(in)
	for i := l.first; i < l.end; i++ {
		it := item{glyph: "›", who: "you", text: "draft", words: st.You, tokens: theme.Thousands(draft)}
		if i < n {
			it = p.item(rows[i])
		}
		line := it.draw(st, cols)
		if p.Focused && p.Whatif == nil && i == at {
			line = st.CursorRow(line[1:], w)
		}
		drawn = append(drawn, theme.Fit(line, w))
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

// columns are the columns of the list in cells: a text begins at text, and the numbers end at end. Without space for it
// who said a message is not there, and what was saved is not either: they are 0.
type columns struct{ digits, who, text, saved, end int }

// The narrowest columns.
const (
	tokensCells = len("tokens")
	savedCells  = len("  saved")
	leastText   = 8  // cells that a text needs to say anything
	wideText    = 40 // from here a verdict leaves space for how the message begins
)

// columns are the columns in w cells behind the cursor's. Where nothing is saved there is no column for it.
func (p *Model) columns(w int) columns {
	r, saved, model := p.Shown(), 0, p.Ref
	if r.Past != nil {
		model = r.Past.Request.Model
	}
	for i := range r.Plan.Entries {
		saved = max(saved, r.Plan.Entries[i].TokensBefore-r.Plan.Entries[i].TokensAfter)
	}
	c := columns{digits: len(theme.Thousands(max(10, len(r.Plan.Entries)))), end: w + 1}
	c.who = max(len("model"), theme.Width(theme.ShortName(model))) + 1
	if saved > 0 || p.Whatif != nil {
		c.saved = max(savedCells, 2+len(r.Counted(saved)))
	}
	lead := len(" G ") + c.digits + 1
	if c.text = lead + c.who; c.end-c.saved-tokensCells-c.text < leastText {
		c.text, c.who, c.saved = lead, 0, 0
	}
	return c
}

// item is what a line of the list says.
type item struct {
	glyph, number string
	who           string         // who said it, "" for several messages, and without a number for what nobody said
	text          string         // the verdict, or how the message begins
	more          string         // how it begins, behind the verdict where there is space
	words         lipgloss.Style // of the text
	tokens, saved string
}

// draw draws the item, behind the cell of the cursor.
func (it item) draw(st *theme.Styles, c columns) string {
	lead, right, saved := fmt.Sprintf("%*s ", c.digits, it.number), "", st.Muted
	if it.who == "" && it.number != "" {
		lead = fmt.Sprintf("%-*s ", c.text-len(" G  "), it.number)
	}
	line := " " + st.OfGlyph(it.glyph).Render(it.glyph) + " " + st.Muted.Render(lead)
	if it.who != "" && c.who > 0 {
		line += st.Text.Render(theme.Fit(it.who, c.who-1) + " ")
	}
	if it.tokens != "" {
		right = st.Text.Render(fmt.Sprintf("%*s", max(tokensCells, theme.Width(it.tokens)+1), it.tokens))
	}
	if strings.HasPrefix(it.saved, "+") { // what a trial adds
		saved = st.Seen
	}
	if c.saved > 0 {
		right += saved.Render(fmt.Sprintf("%*s", c.saved, it.saved))
	}
	end := c.end - theme.Width(right)
	if _, reason, ok := strings.Cut(it.text, ": "); ok && it.more != "" && theme.Width(line+it.text) > end {
		it.text = reason // The glyph says the rest.
	}
	line += it.words.Render(markdown.OneLine(it.text, max(0, end-theme.Width(line))))
	if room := end - theme.Width(line) - 2; it.more != "" && end-c.text >= wideText && room >= leastText {
		line += "  " + st.Muted.Render(markdown.OneLine(it.more, room))
	}
	return theme.Fit(line, end) + right
}

// item is what a row says.
func (p *Model) item(row Row) item {
	r, st := p.Shown(), &p.Themes.Styles
	if a := row.Added; a != nil {
		return item{glyph: "✚", text: addedName(a.Kind), words: st.OfGlyph("✚"), tokens: r.Counted(a.Tokens)}
	}
	e := *row.Entry
	it := item{glyph: theme.Glyph(e), number: theme.Thousands(e.Index + 1), words: st.Muted}
	before, after := 0, 0
	for _, e := range r.Plan.Entries[e.Index : e.Index+row.Of] {
		before, after = before+e.TokensBefore, after+e.TokensAfter
	}
	if e.Sent() {
		it.tokens = r.Counted(after)
	}
	if diff := r.Plan.Sum.Tokens(after) - r.Plan.Sum.Tokens(before); diff < 0 {
		it.saved = theme.Signed(diff)
	}
	if row.Of > 1 {
		it.number += "–" + theme.Thousands(e.Index+row.Of)
		if it.text = "whole"; !e.Sent() {
			it.text = theme.Thousands(row.Of) + " " + theme.Word(e)
		}
		return it
	}
	m, _ := p.Stored(e.ID)
	it.who, it.text, it.more = theme.ShortSpeaker(e.Role, m.Model), theme.Verdict(e), p.gist(m)
	switch change := r.change(&e); {
	case record.UnreadByServer(e, r.FirstRead):
		it.glyph, it.text, it.words = "▲", "not read", st.Repaired
	case change != "":
		diff := r.Plan.Sum.Tokens(e.TokensAfter - r.was[e.Index].TokensAfter)
		it.text, it.saved, it.words = change, theme.Signed(diff), st.Cut
		if diff > 0 {
			it.words = st.Seen
		}
	case it.text == "":
		it.text, it.more = it.more, ""
	case e.Sent():
		it.words = st.OfGlyph(it.glyph)
	}
	return it
}

// Stored is a message of the request on show, as it is stored.
func (p *Model) Stored(id int64) (store.Message, bool) {
	if past := p.Shown().Past; past != nil {
		if m, there, err := past.Messages.ByID(id); there && err == nil {
			return m, true
		}
	}
	return p.Message(id)
}

// addedName says what a text is for that winnow added to a request.
func addedName(k history.AddedKind) string {
	names := map[history.AddedKind]string{
		history.AddedMarker: "gap marker", history.AddedStart: "opening line", history.AddedBridge: "filler answer",
		history.AddedRecalled: "recall heading", history.AddedPlaceholder: "placeholder result",
	}
	return "added: " + cmp.Or(names[k], string(k))
}

// gistOf is a message at the length that it had when its gist was made, since one that arrives grows, and whether what
// looks like a secret was shown.
type gistOf struct {
	id       int64
	bytes    int
	revealed bool
}

// gist is how a message begins, without its secrets and the Markdown marks of an answer. A line is drawn often, and
// secrets are searched for once.
func (p *Model) gist(m store.Message) string {
	of := gistOf{m.ID, len(m.Content), p.Secrets.Revealed}
	if gist, known := p.gists[of]; known {
		return gist
	}
	text := p.Gist(m)
	if m.Role == history.Assistant {
		text = markdown.Gist(text)
	}
	if p.gists == nil {
		p.gists = map[gistOf]string{}
	}
	p.gists[of] = strings.TrimSpace(p.Secrets.Line(text))
	return p.gists[of]
}
