package panel

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/session/record"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// fullHead is the height from which the panel names every part of the sum.
const fullHead = 15

// head is the lines above the list: which request it is, the bar, the parts, and what is doubtful.
func (p *Model) head(st theme.Styles, w, h int) []string {
	r := p.Shown()
	lines := []string{theme.Fit(" "+st.Strong.Render(p.Title()), w)}
	if r.Past != nil {
		lines = append(lines, Proof(st, *r.Past, w)...)
		if by := r.Past.Request.PriceSource; by != "" {
			lines = append(lines, theme.Indented(st.Muted, "cost by "+markdown.Visible(by), w)...)
		}
		use, style := record.CacheUseOf(r.Past.Request), st.Muted
		if use.Missed() {
			style = st.Cut
		}
		for _, text := range use.Sentences(theme.Thousands) {
			lines = append(lines, theme.Indented(style, markdown.Visible(text), w)...)
		}
	}
	if p.Whatif != nil {
		lines = append(lines, p.Whatif.dials(st, w, h)...)
	}
	total, cost := r.costBeside(st, r.total(st, w), w)
	lines = append(lines, r.bar(st, w), total)
	if h >= fullHead {
		lines = append(lines, flow(r.parts(st), w)...)
		if r.Spent != "" {
			cost = append(cost, st.Muted.Render("session "+r.Spent))
		}
		lines = append(lines, flow(append(r.verdicts(st), cost...), w)...)
	}
	if p.Whatif != nil {
		lines = append(lines, p.Whatif.changes(st, w)...)
	}
	if r.Past == nil {
		lines = append(lines, p.warnings(st, w)...)
	}
	if r.Note != "" {
		lines = append(lines, theme.Indented(st.Error, markdown.Visible(r.Note), w)...)
	}
	return append(lines, st.Rule(w))
}

// warnings are what makes the numbers doubtful.
func (p *Model) warnings(st theme.Styles, w int) []string {
	var lines []string
	if s := p.Shown().Plan.Sum; s.Capped() {
		lines = append(lines, theme.Indented(st.Muted, "budget "+theme.Thousands(s.Budget)+", capped by the model's window of "+theme.Thousands(s.Window), w)...)
	}
	doubt := p.Doubt
	if p.Whatif != nil {
		doubt = doubtOf(p.Whatif.Window)
	}
	if limit := p.Shown().Limit; limit != "" {
		lines = append(lines, theme.Indented(st.Cut, "! "+limit+": winnow asks first", w)...)
	}
	if doubt != "" {
		lines = append(lines, theme.Indented(st.Cut, doubt, w)...)
	}
	if p.Guessed != "" {
		lines = append(lines, theme.Indented(st.Muted, p.Guessed, w)...)
	}
	if p.Whatif != nil {
		return lines
	}
	for _, s := range p.Forecast.Warnings {
		lines = append(lines, theme.Indented(st.Cut, "! "+s, w)...)
	}
	return lines
}

// Proof says when a past request was sent, to whom, and whether what is shown is what left.
func Proof(st theme.Styles, r record.Replayed, w int) []string {
	q := r.Request
	lines := []string{theme.Spread(" "+st.Text.Render(q.Created.Local().Format(time.DateTime)), st.Muted.Render(markdown.OneLine(q.Model, max(1, w-24)))+" ", w)}
	if short, ok := record.ShortfallOf(r.Request); ok {
		lines = append(lines, theme.Indented(st.Cut, fmt.Sprintf("! the server read %s of ~%s", theme.Thousands(short.Reported), theme.Thousands(short.Expected)), w)...)
	}
	if r.Proven {
		return append(lines, theme.Indented(st.Seen, "✓ proven by hash: this was sent", w)...)
	}
	return append(lines, theme.Indented(st.Cut, "! not proven: "+markdown.Visible(r.Doubt)+". The verdicts are the recorded ones.", w)...)
}

// TurnName is a past request's name in its session.
func TurnName(r record.Recorded) string {
	if r.Of > 1 {
		return fmt.Sprintf("turn %d, request %d of %d", r.Request.Turn, r.Nth, r.Of)
	}
	return fmt.Sprintf("turn %d", r.Request.Turn)
}

// part is one share of a request: its sign in the bar, its name, its tokens as the server counts them.
type part struct {
	sign  string
	name  string
	n     int
	style lipgloss.Style
}

// split is a request's tokens by their parts, in the order of the bar; what the chat format costs goes
// with the system prompt there.
func (r *Request) split(st theme.Styles) []part {
	signs := map[string]part{
		"system": {sign: "█", style: st.Muted}, "tools": {sign: "█", style: st.Muted}, "format": {sign: "█", style: st.Muted},
		"pinned": {sign: "▓", style: st.Pinned}, "history": {sign: "▇", style: st.Seen}, "recalled": {sign: "▆", style: st.Recalled},
		"added": {sign: "▆", style: st.Recalled}, "draft": {sign: "▅", style: st.You},
	}
	var list []part
	for _, share := range r.Plan.Sum.Shares() {
		p := signs[share.Name]
		p.name, p.n = share.Name, share.Tokens
		list = append(list, p)
	}
	return list
}

// bar draws the parts, what is free and what is kept for the reply, over the whole window.
func (r *Request) bar(st theme.Styles, w int) string {
	s := r.Plan.Sum
	cells := max(0, w-8)
	whole := s.Tokens(s.Total)
	percent := "  –"
	if s.Limit > 0 {
		whole = max(s.Limit, whole) + replyOf(s)
		percent = fmt.Sprintf("%3d %%", s.Tokens(s.Total)*100/s.Limit)
	}
	line, used, sum := " ", 0, 0
	draw := func(p part) {
		sum += p.n
		to := cells
		if whole > 0 {
			to = min(cells, sum*cells/whole)
		}
		if to == used && p.n > 0 && used < cells {
			to++ // What is there shows.
		}
		line += p.style.Render(strings.Repeat(p.sign, max(0, to-used)))
		used = max(used, to)
	}
	for _, p := range r.split(st) {
		draw(p)
	}
	if s.Limit > 0 {
		draw(part{"░", "free", max(0, s.Limit-s.Tokens(s.Total)), st.Faint})
		draw(part{"▒", "reply", replyOf(s), st.Faint})
	}
	return theme.Spread(line, percent+" ", w)
}

// replyOf is what the limit leaves free for the reply: a budget leaves it to the window.
func replyOf(s history.Sum) int {
	if s.Bound == history.BoundWindow || s.Bound == "" {
		return s.Reserve
	}
	return 0
}

// total is the sum against the limit: total and what is free add up to the limit.
func (r *Request) total(st theme.Styles, w int) string {
	s := r.Plan.Sum
	total := "~" + r.Counted(s.Total)
	if r.Past != nil && r.Past.Request.Prompt > 0 {
		return theme.Fit(" "+st.Strong.Render(theme.Thousands(r.Past.Request.Prompt))+st.Muted.Render(" by the server · "+total+" of "+limitOf(s)), w)
	}
	if r.now != nil && r.Counted(s.Total) != r.now.Counted(r.now.Plan.Sum.Total) {
		total += " (now ~" + r.now.Counted(r.now.Plan.Sum.Total) + ")"
	}
	if s.Limit <= 0 {
		return theme.Fit(" "+st.Strong.Render(total)+st.Muted.Render(" tokens · no limit known"), w)
	}
	rest := " of " + theme.Thousands(s.Limit)
	switch free := s.Free(); {
	case free > 0:
		rest += " · " + theme.Thousands(free) + " free"
	case s.Used() > s.Limit:
		rest += " · " + theme.Thousands(s.Used()-s.Limit) + " too many"
	default:
		rest += " · full"
	}
	return theme.Fit(" "+st.Strong.Render(total)+st.Muted.Render(rest), w)
}

// limitOf is the most that a request may hold, in words where it is not known.
func limitOf(s history.Sum) string {
	if s.Limit <= 0 {
		return "no known limit"
	}
	return theme.Thousands(s.Limit)
}

// parts names every part that is not nothing.
func (r *Request) parts(st theme.Styles) []string {
	s := r.Plan.Sum
	var list []string
	for _, p := range r.split(st) {
		if p.n == 0 && p.name != "draft" {
			continue
		}
		n := theme.Thousands(p.n)
		if p.name == "draft" && r.Past == nil {
			n = "~" + n
		}
		name := p.name
		if name == "draft" && r.Past != nil {
			name = "question"
		}
		list = append(list, p.style.Render(p.sign)+st.Muted.Render(" "+name+" "+n))
	}
	if spare := s.Window - s.Reserve - s.Limit; s.Bound == history.BoundWindow && spare > 0 {
		list = append(list, st.Faint.Render("░")+st.Muted.Render(" margin "+theme.Thousands(spare)))
	}
	if reply := replyOf(s); s.Limit > 0 && reply > 0 {
		list = append(list, st.Faint.Render("▒")+st.Muted.Render(" reply "+theme.Thousands(reply)))
	}
	return list
}

// verdicts counts what became of the messages.
func (r *Request) verdicts(st theme.Styles) []string {
	c := r.Counts
	sees := "sees " + theme.Thousands(c.Sent()) + " of " + theme.Thousands(c.Stored)
	if r.now != nil && r.now.Counts.Sent() != c.Sent() {
		sees += " (now " + theme.Thousands(r.now.Counts.Sent()) + ")"
	}
	list := []string{st.Text.Render(sees)}
	for _, n := range []struct {
		glyph, what string
		n           int
	}{
		{"◐", "cut", c.Cut},
		{"○", "dropped", c.Dropped},
		{"↺", "recalled", c.Recalled},
		{"◆", "pinned", c.Pinned},
		{"⊘", "excluded", c.Excluded},
		{"⚠", "repaired", c.Repaired},
		{"○", "unreadable", c.Quarantined},
		{"○", "blank", c.Blank},
		{"✚", "added", c.Added},
	} {
		if n.n > 0 {
			list = append(list, st.OfGlyph(n.glyph).Render(n.glyph)+st.Muted.Render(" "+theme.Thousands(n.n)+" "+n.what))
		}
	}
	return list
}

// flow puts words on lines of w cells, a cell away from the left, two apart.
func flow(list []string, w int) []string {
	var lines []string
	line, used := "", 0
	for _, s := range list {
		n := theme.Width(s)
		if used > 0 && used+2+n > w {
			lines = append(lines, theme.Fit(line, w))
			line, used = "", 0
		}
		lead := " "
		if used > 0 {
			lead = "  "
		}
		line += lead + s
		used += len(lead) + n
	}
	if used > 0 {
		lines = append(lines, theme.Fit(line, w))
	}
	return lines
}
