package panel

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// head is the lines above the list: which request it is, the bar, the sums and what is wrong; with the focus all that
// is known besides.
func (p *Model) head(w, in, h int) []string {
	r, st := p.Shown(), &p.Themes.Styles
	var blank []string
	if h >= airyHeight {
		blank = []string{""}
	}
	if p.Whatif != nil {
		return slices.Concat(p.whatif(w, in, blank), framed(slices.Concat(p.wrap(in, p.problems()...), blank), w))
	}
	lines := []string{
		theme.Spread(st.Strong.Render(p.heading()), p.sends(), in), r.bar(st, in), r.total(st, in),
	}
	if tallies := flow(r.tallies(st), in); len(tallies) > 0 && h >= columnHeight {
		if !p.Focused {
			tallies = tallies[:1]
		}
		lines = append(lines, tallies...)
	}
	if r.Past != nil {
		lines = append(lines, p.wrap(in, p.proof()...)...)
	}
	lines = append(lines, p.wrap(in, p.problems()...)...)
	if p.Focused && h >= airyHeight {
		lines = slices.Concat(lines, blank, p.legend(in))
	}
	switch {
	case len(r.Plan.Entries) == 0 && p.draft() == 0:
		lines = slices.Concat(lines, blank, p.wrap(in, note{st.Muted, r.Missing()}))
	case h >= columnHeight:
		c := p.columns(in)
		names := fmt.Sprintf("%*s", c.tokens-1, "~tokens")
		if c.any {
			names += fmt.Sprintf("%*s", c.saved-c.tokens, "saved")
		}
		lines = append(slices.Concat(lines, blank), st.Muted.Render(names))
	}
	return framed(lines, w)
}

// sends says how many of the messages are sent, or selected.
func (p *Model) sends() string {
	r, st := p.Shown(), &p.Themes.Styles
	if selection := p.Selection(); selection != "" {
		return st.Seen.Render(selection)
	}
	verb := "sends "
	switch {
	case r.Counts.Stored == 0:
		return ""
	case r.Past != nil:
		verb = "sent "
	case r.Whole():
		return st.Muted.Render("everything fits")
	}
	return st.Muted.Render(verb) + st.Text.Render(theme.Thousands(r.Counts.Sent())) +
		st.Muted.Render(" of "+theme.Thousands(r.Counts.Stored))
}

// part is a part of the bar.
type part struct {
	name  string
	n     int
	style lipgloss.Style
}

// parts are where the tokens go. What the chat format costs around the messages counts as theirs.
func (r *Request) parts(st *theme.Styles) []part {
	s, fixed, draft := r.Plan.Sum, r.share("system", "tools"), r.share("draft")
	turn := "draft"
	if r.Past != nil {
		turn = "this turn"
	}
	return []part{
		{"system, tools", fixed, st.Muted}, {"messages", s.Used() - fixed - draft, st.Seen}, {turn, draft, st.You},
	}
}

// bar draws where the tokens go, over what the request may hold. What is there shows, and so does what is free.
func (r *Request) bar(st *theme.Styles, w int) string {
	var b strings.Builder
	used, sum, whole := 0, 0, max(1, r.Plan.Sum.Limit, r.Plan.Sum.Used())
	for _, part := range r.parts(st) {
		sum += part.n
		to := (sum*w + whole - 1) / whole
		if sum < whole {
			to = min(to, w-1)
		}
		if part.n > 0 && to == used && used < w-1 {
			to++
		}
		b.WriteString(part.style.Render(strings.Repeat("━", max(0, to-used))))
		used = max(used, to)
	}
	return b.String() + st.Faint.Render(strings.Repeat("─", max(0, w-used)))
}

// total is the sum against the limit: what is taken and what is free add up to it.
func (r *Request) total(st *theme.Styles, w int) string {
	used, shown := r.used()
	limit := r.Plan.Sum.Limit
	if limit <= 0 {
		return theme.Spread(st.Text.Render(shown+" tokens"), st.Muted.Render("no known limit"), w)
	}
	free := st.Muted.Render(theme.Thousands(limit-used) + " free")
	if used > limit {
		free = st.Repaired.Render(theme.Thousands(used-limit) + " too many")
	}
	return theme.Spread(st.Text.Render(shown+" of "+theme.Thousands(limit)+" tokens"), free, w)
}

// tallies are how many messages have the verdicts that are not the usual one, the most important first.
func (r *Request) tallies(st *theme.Styles) []string {
	c := r.Counts
	var list []string
	for _, v := range []struct {
		glyph, word string
		n           int
		style       lipgloss.Style
	}{
		{"◐", "cut", c.Cut, st.Cut},
		{"○", "dropped", c.Dropped, st.Muted},
		{"⊘", "excluded", c.Excluded, st.Muted},
		{"↺", "recalled", c.Recalled, st.Recalled},
		{"▲", "repaired", c.Repaired, st.Repaired},
		{"○", "unreadable", c.Quarantined, st.Muted},
		{"○", "blank", c.Blank, st.Muted},
		{"◆", "pinned", c.Pinned, st.Pinned},
		{"✚", "added", len(r.Added), st.Seen},
	} {
		if v.n > 0 {
			list = append(list, v.style.Render(v.glyph+" "+theme.Thousands(v.n)+" "+v.word))
		}
	}
	return list
}

// flow puts words on lines of w cells, two cells apart.
func flow(list []string, w int) []string {
	var lines []string
	for _, words := range list {
		if last := len(lines) - 1; last >= 0 && theme.Width(lines[last])+2+theme.Width(words) <= w {
			lines[last] += "  " + words
			continue
		}
		lines = append(lines, words)
	}
	return lines
}

// problems are what the user may want to do something about, and what is not known yet.
func (p *Model) problems() []note {
	r, st := p.Shown(), &p.Themes.Styles
	list := []note{{st.Error, r.Note}}
	if r.Limit != "" {
		list = append(list, note{st.Cut, "! " + r.Limit + ": winnow asks first"})
	}
	if r != &p.Next {
		return list
	}
	list = append(list, note{st.Cut, p.wrong})
	if short := p.Forecast.Shortfall; short != nil {
		list = append(list, note{st.Cut, fmt.Sprintf(
			"! in turn %s the server counted %s of ~%s tokens: it dropped a part of the request",
			theme.Thousands(short.Turn), theme.Thousands(short.Reported), theme.Thousands(short.Expected))})
	}
	lost := map[history.Disposition][]int{} // for the first time
	for _, i := range p.Forecast.Losses {
		is := r.Plan.Entries[i].Disposition
		lost[is] = append(lost[is], i)
	}
	for _, is := range slices.Sorted(maps.Keys(lost)) {
		list = append(list, note{st.Cut, fmt.Sprintf("! New: %s %s (%s)", theme.Thousands(len(lost[is])), is,
			numbered(lost[is], maxNumbers))})
	}
	return list
}

// legend says what the parts of the bar are, what sets the limit and what the request costs. Its numbers are estimates
// unless the server has counted the request.
func (p *Model) legend(w int) []string {
	cells := w/2 - 2 // two of them are on a line
	r, st, sign := p.Shown(), &p.Themes.Styles, "~"
	if r.counted() {
		sign = ""
	}
	var parts []string
	for _, part := range r.parts(st) {
		text := " " + part.name + " " + sign + theme.Thousands(part.n)
		if part.n > 0 {
			parts = append(parts, part.style.Render("━")+st.Muted.Render(fmt.Sprintf("%-*s", cells-1, text)))
		}
	}
	if limit := r.Plan.Sum.Limit; limit > 0 {
		parts = append(parts, st.Faint.Render("─")+st.Muted.Render(" free "+theme.Thousands(r.Plan.Sum.Free())))
	}
	list := []note{{st.Muted, r.bound()}}
	if r.Past == nil {
		cost := r.Cost()
		if r.Spent != "" {
			cost = strings.TrimPrefix(cost+" · chat "+r.Spent, " · ")
		}
		if p.Window.Assumed {
			list = append(list, note{st.Muted, "Context window unknown; assuming " + theme.Thousands(p.Window.Tokens) +
				" (/window to set)"})
		}
		list = append(list, note{st.Muted, cost})
	}
	return append(flow(parts, w), p.wrap(w, list...)...)
}

// bound says what sets the limit of the request.
func (r *Request) bound() string {
	s := r.Plan.Sum
	text := "The window has " + theme.Thousands(s.Window)
	if s.Window == 0 {
		text = "The window is not known"
	}
	by := map[history.Bound]string{
		history.BoundBudget: "Your budget", history.BoundMaxContext: "Automatic budget",
		history.BoundUnread: "The server took no more",
	}[s.Bound]
	switch {
	case s.Limit <= 0:
		return ""
	case by != "":
		return by + "; t" + text[1:]
	case s.Reserve > 0:
		text += ": " + theme.Thousands(s.Reserve) + " kept for the reply"
	}
	if margin := s.Window - s.Reserve - s.Limit; margin > 0 {
		text += ", " + theme.Thousands(margin) + " as a margin"
	}
	return text
}

// proof says when a past request was sent, to whom and what it cost, whether what is shown is what was sent, and what
// the server made of it.
func (p *Model) proof() []note {
	r, st := p.Past, &p.Themes.Styles
	q, cost := r.Past.Request, r.Cost()
	if cost != "" && q.PriceSource != "" {
		cost += " by " + markdown.OneLine(q.PriceSource, 60)
	}
	list := []note{
		{st.Muted, q.Created.Local().Format(time.DateTime) + " · " + markdown.OneLine(q.Model, 40)}, {st.Muted, cost},
	}
	if q.End == store.EndFailed {
		list = append(list, note{st.Error, "✗ Failed: " + markdown.OneLine(record.ReadFault(q.Fault).What, 1000)})
	}
	if short, ok := record.ShortfallOf(q); ok {
		list = append(list, note{st.Cut, "! The server read " + theme.Thousands(short.Reported) + " of ~" +
			theme.Thousands(short.Expected)})
	}
	if r.Past.Proven {
		list = append(list, note{st.Seen, "✓ Proven by hash: this was sent"})
	} else {
		list = append(list, note{st.Cut, "! Not proven: " + r.Past.Doubt + ". The verdicts are the recorded ones."})
	}
	use, style := record.CacheUseOf(q), st.Muted
	if use.Missed() {
		style = st.Cut
	}
	return append(list, note{style, use.Sentence(theme.Thousands)})
}
