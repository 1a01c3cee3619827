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

// list is the visible part of the list, as last drawn.
type list struct {
	top          int // line of the panel at which it begins
	first, end   int // half-open range of the visible rows
	page0, page1 int // rows of the messages that the transcript shows; page1 is 0 for none
}

// drawList draws the list in h lines of w cells, with texts of in cells. Top is the line of the panel where it begins.
func (p *Model) drawList(in, w, top, h int) (drawn []string) {
	r, l, st := p.ShownRequest(), &p.list, &p.Themes.Styles
	rows, at := p.lines()
	n, draft := len(rows), p.draft()
	all, from, to := n+min(draft, 1), at, at+1
	if at == n-1 {
		to = all // The draft is visible together with the last message.
	}
	*l = list{top: top, first: l.first}
	if first, end := p.VisibleMessages(); end > first {
		holds := func(index int) int {
			return slices.IndexFunc(rows, func(row Row) bool { return row.has(min(index, len(r.Plan.Entries)-1)) })
		}
		l.page0, l.page1 = holds(first), holds(end-1)+1
	}
	if !p.hasKeys() && l.page1 > 0 {
		from, to = l.page0, l.page1
	}
	// Scroll as little as possible to show the rows from..to.
	l.first = max(0, min(max(l.first, to-h), from, all-h))
	l.end = min(all, l.first+h)
	cols := p.columns(in)
	for i := l.first; i < l.end; i++ {
		it := item{
			glyph: "›", who: "you", text: "draft", words: st.You, tokens: theme.Thousands(draft),
		}
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

// draft returns the tokens of the message that is being written, 0 if there is none.
func (p *Model) draft() int {
	if p.Busy || p.ShownRequest().Past != nil {
		return 0
	}
	return p.ShownRequest().share("draft")
}

// columns are the columns of the list in cells: the text begins at text, and the numbers end at end. Who and saved are
// 0 if there is no room for them.
type columns struct{ digits, who, text, saved, end int }

// The narrowest columns.
const (
	tokensCells = len("tokens")
	savedCells  = len("  saved")
	minText     = 8  // cells that make a text worth showing
	wideText    = 40 // cells from which the beginning of the message follows its verdict
)

// columns divides w cells. The column of saved tokens exists only if something is saved.
func (p *Model) columns(w int) columns {
	r, saved, model := p.ShownRequest(), 0, p.Ref
	if r.Past != nil {
		model = r.Past.Request.Model
	}
	for i := range r.Plan.Entries {
		saved = max(saved, r.Plan.Entries[i].TokensBefore-r.Plan.Entries[i].TokensAfter)
	}
	c := columns{digits: len(theme.Thousands(max(10, len(r.Plan.Entries)))), end: w + 1}
	c.who = max(len("model"), theme.Width(theme.ModelFamily(model))) + 1
	if saved > 0 || p.Whatif != nil {
		c.saved = max(savedCells, 2+len(r.FormatTokens(saved)))
	}
	lead := len(" G ") + c.digits + 1
	if c.text = lead + c.who; c.end-c.saved-tokensCells-c.text < minText {
		c.text, c.who, c.saved = lead, 0, 0
	}
	return c
}

// item is the content of one line of the list.
type item struct {
	glyph, number string
	who           string         // the speaker; "" for a group of messages and for added text
	text          string         // the verdict, or the beginning of the message
	more          string         // the beginning of the message, after the verdict if there is room
	words         lipgloss.Style // style of text
	tokens, saved string
}

// draw draws the item without the cell of the cursor.
func (it item) draw(st *theme.Styles, c columns) string {
	lead, right, saved := fmt.Sprintf("%*s ", c.digits, it.number), "", st.Muted
	if it.who == "" && it.number != "" {
		lead = fmt.Sprintf("%-*s ", c.text-len(" G  "), it.number)
	}
	line := " " + st.GlyphStyle(it.glyph).Render(it.glyph) + " " + st.Muted.Render(lead)
	if it.who != "" && c.who > 0 {
		line += st.Text.Render(theme.Fit(it.who, c.who-1) + " ")
	}
	if it.tokens != "" {
		right = st.Text.Render(fmt.Sprintf("%*s", max(tokensCells, theme.Width(it.tokens)+1), it.tokens))
	}
	if strings.HasPrefix(it.saved, "+") { // tokens that a trial adds
		saved = st.Seen
	}
	if c.saved > 0 {
		right += saved.Render(fmt.Sprintf("%*s", c.saved, it.saved))
	}
	end := c.end - theme.Width(right)
	if _, reason, ok := strings.Cut(it.text, ": "); ok && it.more != "" && theme.Width(line+it.text) > end {
		it.text = reason // The glyph already says the verdict.
	}
	line += it.words.Render(markdown.OneLine(it.text, max(0, end-theme.Width(line))))
	if room := end - theme.Width(line) - 2; it.more != "" && end-c.text >= wideText && room >= minText {
		line += "  " + st.Muted.Render(markdown.OneLine(it.more, room))
	}
	return theme.Fit(line, end) + right
}

// item returns the content of a row.
func (p *Model) item(row Row) item {
	r, st := p.ShownRequest(), &p.Themes.Styles
	if a := row.Added; a != nil {
		return item{
			glyph: "✚", text: addedName(a.Kind), words: st.GlyphStyle("✚"), tokens: r.FormatTokens(a.Tokens),
		}
	}
	e := *row.Entry
	it := item{glyph: theme.Glyph(e), number: theme.Thousands(e.Index + 1), words: st.Muted}
	before, after := 0, 0
	for _, e := range r.Plan.Entries[e.Index : e.Index+row.Count] {
		before, after = before+e.TokensBefore, after+e.TokensAfter
	}
	if e.Sent() {
		it.tokens = r.FormatTokens(after)
	}
	if diff := r.Plan.Sum.Tokens(after) - r.Plan.Sum.Tokens(before); diff < 0 {
		it.saved = theme.Signed(diff)
	}
	if row.Count > 1 {
		it.number += "–" + theme.Thousands(e.Index+row.Count)
		if it.text = "whole"; !e.Sent() {
			it.text = theme.Thousands(row.Count) + " " + theme.VerdictWord(e)
		}
		return it
	}
	m, _ := p.StoredMessage(e.ID)
	it.who, it.text, it.more = theme.ShortSpeaker(e.Role, m.Model), theme.VerdictText(e), p.gist(m)
	switch change := r.change(&e); {
	case record.UnreadByServer(e, r.FirstRead):
		it.glyph, it.text, it.words = "▲", "not read", st.Repaired
	case change != "":
		diff := r.Plan.Sum.Tokens(e.TokensAfter - r.before[e.Index].TokensAfter)
		it.text, it.saved, it.words = change, theme.Signed(diff), st.Cut
		if diff > 0 {
			it.words = st.Seen
		}
	case it.text == "":
		it.text, it.more = it.more, ""
	case e.Sent():
		it.words = st.GlyphStyle(it.glyph)
	}
	return it
}

// StoredMessage returns a message of the shown request as it is stored.
func (p *Model) StoredMessage(id int64) (store.Message, bool) {
	if past := p.ShownRequest().Past; past != nil {
		if m, there, err := past.Messages.ByID(id); there && err == nil {
			return m, true
		}
	}
	return p.Message(id)
}

// addedName names a text that winnow added to a request.
func addedName(k history.AddedKind) string {
	names := map[history.AddedKind]string{
		history.AddedMarker: "gap marker", history.AddedStart: "opening line", history.AddedBridge: "filler answer",
		history.AddedRecalled: "recall heading", history.AddedPlaceholder: "placeholder result",
	}
	return "added: " + cmp.Or(names[k], string(k))
}

// gistKey identifies a cached beginning: by length too, since a streaming message grows, and by whether secrets are
// revealed.
type gistKey struct {
	id       int64
	bytes    int
	revealed bool
}

// gist returns the beginning of a message without Markdown and secrets. It is cached because lines are drawn often and
// redacting is slow.
func (p *Model) gist(m store.Message) string {
	of := gistKey{m.ID, len(m.Content), p.Secrets.Revealed}
	if gist, known := p.gists[of]; known {
		return gist
	}
	text := p.Gist(m)
	if m.Role == history.Assistant {
		text = markdown.Gist(text)
	}
	if p.gists == nil {
		p.gists = map[gistKey]string{}
	}
	p.gists[of] = strings.TrimSpace(p.Secrets.RedactLine(text))
	return p.gists[of]
}
