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
		it := Line{
			Glyph: "›", Who: "you", Text: "draft", Words: st.You, Tokens: theme.Thousands(draft),
		}
		if i < n {
			it = p.item(rows[i])
		}
		line := it.Draw(st, cols)
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

// Columns are the columns of a list in cells: Digits of the number, the speaker, the text, which begins at Text, and
// the saved tokens; the numbers end at End. Who and Saved are 0 if there is no room for them.
type Columns struct{ Digits, Who, Text, Saved, End int }

// The narrowest columns.
const (
	tokensCells = len("tokens")
	savedCells  = len("  saved")
	minText     = 8  // cells that make a text worth showing
	wideText    = 40 // cells from which the beginning of the message follows its verdict
)

// columns divides w cells. The column of saved tokens exists only if something is saved.
func (p *Model) columns(w int) Columns {
	r, saved, model := p.ShownRequest(), 0, p.Ref
	if r.Past != nil {
		model = r.Past.Request.Model
	}
	for i := range r.Plan.Entries {
		saved = max(saved, r.Plan.Entries[i].TokensBefore-r.Plan.Entries[i].TokensAfter)
	}
	c := Columns{Digits: len(theme.Thousands(max(10, len(r.Plan.Entries)))), End: w + 1}
	c.Who = max(len("model"), theme.Width(theme.ModelFamily(model))) + 1
	if saved > 0 || p.Whatif != nil {
		c.Saved = max(savedCells, 2+len(r.FormatTokens(saved)))
	}
	return c.Fit()
}

// Fit decides where the text begins. Without room for it, the columns of the speaker and of the saved tokens go.
func (c Columns) Fit() Columns {
	lead := len(" G ") + c.Digits + 1
	if c.Text = lead + c.Who; c.End-c.Saved-tokensCells-c.Text < minText {
		c.Text, c.Who, c.Saved = lead, 0, 0
	}
	return c
}

// Line is the content of one line of a list.
type Line struct {
	Glyph, Number string
	Who           string         // the speaker; "" for a group of messages and for added text
	Text          string         // the verdict, or the beginning of the message
	More          string         // the beginning of the message, after the verdict if there is room
	Words         lipgloss.Style // style of Text
	Tokens, Saved string
}

// Draw draws the line without the cell of the cursor.
func (it Line) Draw(st *theme.Styles, c Columns) string {
	lead, right, saved := fmt.Sprintf("%*s ", c.Digits, it.Number), "", st.Muted
	if it.Who == "" && it.Number != "" {
		lead = fmt.Sprintf("%-*s ", c.Text-len(" G  "), it.Number)
	}
	line := " " + st.GlyphStyle(it.Glyph).Render(it.Glyph) + " " + st.Muted.Render(lead)
	if it.Who != "" && c.Who > 0 {
		line += st.Text.Render(theme.Fit(it.Who, c.Who-1) + " ")
	}
	if it.Tokens != "" {
		right = st.Text.Render(fmt.Sprintf("%*s", max(tokensCells, theme.Width(it.Tokens)+1), it.Tokens))
	}
	if strings.HasPrefix(it.Saved, "+") { // tokens that a trial adds
		saved = st.Seen
	}
	if c.Saved > 0 {
		right += saved.Render(fmt.Sprintf("%*s", c.Saved, it.Saved))
	}
	end := c.End - theme.Width(right)
	if _, reason, ok := strings.Cut(it.Text, ": "); ok && it.More != "" && theme.Width(line+it.Text) > end {
		it.Text = reason // The glyph already says the verdict.
	}
	line += it.Words.Render(markdown.OneLine(it.Text, max(0, end-theme.Width(line))))
	if room := end - theme.Width(line) - 2; it.More != "" && end-c.Text >= wideText && room >= minText {
		line += "  " + st.Muted.Render(markdown.OneLine(it.More, room))
	}
	return theme.Fit(line, end) + right
}

// item returns the content of a row.
func (p *Model) item(row Row) Line {
	r, st := p.ShownRequest(), &p.Themes.Styles
	if a := row.Added; a != nil {
		return Line{
			Glyph: "✚", Text: addedName(a.Kind), Words: st.GlyphStyle("✚"), Tokens: r.FormatTokens(a.Tokens),
		}
	}
	e := *row.Entry
	it := Line{Glyph: theme.Glyph(e), Number: theme.Thousands(e.Index + 1), Words: st.Muted}
	before, after := 0, 0
	for _, e := range r.Plan.Entries[e.Index : e.Index+row.Count] {
		before, after = before+e.TokensBefore, after+e.TokensAfter
	}
	if e.Sent() {
		it.Tokens = r.FormatTokens(after)
	}
	if diff := r.Plan.Sum.Tokens(after) - r.Plan.Sum.Tokens(before); diff < 0 {
		it.Saved = theme.Signed(diff)
	}
	if row.Count > 1 {
		it.Number += "–" + theme.Thousands(e.Index+row.Count)
		if it.Text = "whole"; !e.Sent() {
			it.Text = theme.Thousands(row.Count) + " " + theme.VerdictWord(e)
		}
		return it
	}
	m, _ := p.StoredMessage(e.ID)
	it.Who, it.Text, it.More = theme.ShortSpeaker(e.Role, m.Model), theme.VerdictText(e), p.gist(m)
	switch change := r.change(&e); {
	case record.UnreadByServer(e, r.FirstRead):
		it.Glyph, it.Text, it.Words = "▲", "not read", st.Repaired
	case change != "":
		diff := r.Plan.Sum.Tokens(e.TokensAfter - r.before[e.Index].TokensAfter)
		it.Text, it.Saved, it.Words = change, theme.Signed(diff), st.Cut
		if diff > 0 {
			it.Words = st.Seen
		}
	case it.Text == "":
		it.Text, it.More = it.More, ""
	case e.Sent():
		it.Words = st.GlyphStyle(it.Glyph)
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
