package panel

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/keymap"
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
		return slices.Concat(p.dials(w, in, blank), framed(slices.Concat(p.problems(in), blank), w))
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
		lines = append(lines, p.proof(in)...)
	}
	lines = append(lines, p.problems(in)...)
	if p.Focused && h >= airyHeight {
		lines = slices.Concat(lines, blank, p.legend(in))
	}
	switch {
	case len(r.Plan.Entries) == 0 && p.draft() == 0:
		lines = slices.Concat(lines, blank, p.wrap(st.Muted, r.Missing(), in))
	case h >= columnHeight:
		c := p.columns(in)
		names := fmt.Sprintf("%*s", c.tokens, "~tokens")
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
	name := "system"
	switch {
	case s.System > 0 && s.Tools > 0:
		name = "system, tools"
	case s.Tools > 0:
		name = "tools"
	}
	return []part{
		{name, fixed, st.Muted}, {"messages", s.Used() - fixed - draft, st.Seen}, {"draft", draft, st.You},
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
func (p *Model) problems(w int) []string {
	r, st, f := p.Shown(), &p.Themes.Styles, &p.Forecast
	lines := p.wrap(st.Error, r.Note, w)
	if r.Past != nil {
		return lines
	}
	if r.Limit != "" {
		lines = append(lines, p.wrap(st.Cut, "! "+r.Limit+": winnow asks first", w)...)
	}
	if p.Whatif != nil {
		return lines
	}
	lines = append(lines, p.wrap(st.Cut, p.wrong, w)...)
	if short := f.Shortfall; short != nil {
		lines = append(lines, p.wrap(st.Cut, fmt.Sprintf(
			"! in turn %s the server counted %s of ~%s tokens: it dropped a part of the request",
			theme.Thousands(short.Turn), theme.Thousands(short.Reported), theme.Thousands(short.Expected)), w)...)
	}
	var news []string
	for _, dropped := range []bool{true, false} {
		lost, word := p.lost(dropped), " cut ("
		if dropped {
			word = " dropped ("
		}
		if len(lost) > 0 {
			news = append(news, theme.Thousands(len(lost))+word+numbered(lost, maxNumbers)+")")
		}
	}
	if len(news) > 0 {
		lines = append(lines, p.wrap(st.Cut, "! New: "+strings.Join(news, ", "), w)...)
	}
	return lines
}

// lost are the messages that the next request drops, or cuts, and no request did before, by their indexes.
func (p *Model) lost(dropped bool) []int {
	var lost []int
	for _, i := range p.Forecast.Losses {
		if p.Next.Plan.Entries[i].Sent() != dropped {
			lost = append(lost, i)
		}
	}
	return lost
}

// Announcement says once, as a request leaves, which messages the model does not get any more, and the cures; "" where
// it gets all that it got.
func (p *Model) Announcement() string {
	var lost []history.Entry
	for _, i := range p.lost(true) {
		lost = append(lost, p.Next.Plan.Entries[i])
	}
	if len(lost) == 0 {
		return ""
	}
	return fmt.Sprintf("From now on the model does not see %s. %s pins a message, /budget raises the limit.",
		theme.Named(lost), p.Keys.First(keymap.Pin))
}

// legend says what the parts of the bar are, what sets the limit and what the request costs. Its numbers are estimates
// unless the server has counted the request.
func (p *Model) legend(w int) []string {
	cells := w/2 - 2 // two of them are on a line
	r, st, sign := p.Shown(), &p.Themes.Styles, "~"
	if r.counted {
		sign = ""
	}
	var parts []string
	for _, part := range r.parts(st) {
		if part.name == "draft" && (r.Past != nil || p.Busy) {
			part.name = "this turn"
		}
		text := " " + part.name + " " + sign + theme.Thousands(part.n)
		if part.n > 0 {
			parts = append(parts, part.style.Render("━")+st.Muted.Render(fmt.Sprintf("%-*s", cells-1, text)))
		}
	}
	s := r.Plan.Sum
	if s.Limit > 0 {
		parts = append(parts, st.Faint.Render("─")+st.Muted.Render(" free "+theme.Thousands(max(0, s.Limit-s.Used()))))
	}
	lines := append(flow(parts, w), p.wrap(st.Muted, r.bound(), w)...)
	if r.Past == nil {
		costs := []string{r.Cost()}
		if r.Spent != "" {
			costs = append(costs, "chat "+r.Spent)
		}
		lines = append(lines, p.wrap(st.Muted, p.doubt(), w)...)
		lines = append(lines, p.wrap(st.Muted, strings.TrimPrefix(strings.Join(costs, " · "), " · "), w)...)
	}
	if p.Marked != nil {
		lines = append(lines, p.wrap(st.Muted, p.Keys.First(keymap.Compare)+" compares with "+p.Name(p.Marked), w)...)
	}
	return lines
}

// doubt says why the limit may be wrong, "" where it is known.
func (p *Model) doubt() string {
	switch tokens := theme.Thousands(p.Window.Tokens); {
	case p.Window.Assumed:
		return "Context window unknown; assuming " + tokens + " (/window to set)"
	case p.Window.ByName:
		return "Window of " + tokens + " by the model's name (/window to set)"
	}
	return ""
}

// bound says what sets the limit of the request.
func (r *Request) bound() string {
	s, window := r.Plan.Sum, "the window is not known"
	if s.Window > 0 {
		window = "the window has " + theme.Thousands(s.Window)
	}
	switch {
	case s.Limit <= 0:
		return ""
	case s.Bound == history.BoundBudget:
		return "Your budget; " + window
	case s.Bound == history.BoundMaxContext:
		return "Automatic budget; " + window
	case s.Bound == history.BoundUnread:
		return "The server took no more; " + window
	}
	text := theme.UpperFirst(window)
	if s.Capped() {
		text = "Your budget of " + theme.Thousands(s.Budget) + " is more; " + window
	}
	if s.Reserve > 0 {
		text += ": " + theme.Thousands(s.Reserve) + " kept for the reply"
	}
	if margin := s.Window - s.Reserve - s.Limit; margin > 0 {
		text += ", " + theme.Thousands(margin) + " as a margin"
	}
	return text
}

// proof says when a past request was sent, to whom and what it cost, whether what is shown is what was sent, and what
// the server made of it.
func (p *Model) proof(w int) []string {
	r, st := p.Past, &p.Themes.Styles
	q := r.Past.Request
	var lines []string
	say := func(style lipgloss.Style, text string) { lines = append(lines, p.wrap(style, text, w)...) }
	say(st.Muted, q.Created.Local().Format(time.DateTime)+" · "+markdown.OneLine(q.Model, 40))
	if cost := r.Cost(); cost != "" && q.PriceSource != "" {
		say(st.Muted, cost+" by "+markdown.OneLine(q.PriceSource, 60))
	} else {
		say(st.Muted, cost)
	}
	if q.Prompt > 0 {
		say(st.Muted, "the estimate was ~"+theme.Thousands(r.estimate))
	}
	if q.End == store.EndFailed {
		say(st.Error, strings.TrimSuffix("✗ Failed: "+markdown.OneLine(record.ReadFault(q.Fault).What, 1000), ": "))
	}
	if short, ok := record.ShortfallOf(q); ok {
		say(st.Cut, fmt.Sprintf("! The server read %s of ~%s", theme.Thousands(short.Reported),
			theme.Thousands(short.Expected)))
	}
	if r.Past.Proven {
		say(st.Seen, "✓ Proven by hash: this was sent")
	} else {
		say(st.Cut, "! Not proven: "+r.Past.Doubt+". The verdicts are the recorded ones.")
	}
	use, style := record.CacheUseOf(q), st.Muted
	if use.Missed() {
		style = st.Cut
	}
	if text := use.Sentence(theme.Thousands); text != "" {
		say(style, text)
	}
	return lines
}
