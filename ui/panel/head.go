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
func (p *Model) head(st theme.Styles, w, h int, focused bool) []string {
	var blank []string
	if h >= airyHeight {
		blank = []string{""}
	}
	if p.Whatif != nil {
		return slices.Concat(p.Whatif.head(st, w, h, blank, p.Forecast.Prefix), p.problems(st, w), blank)
	}
	r := p.Shown()
	lines := []string{between(w, []words{{p.heading(), st.Strong}}, p.sends(st))}
	if h >= barHeight {
		lines = append(lines, r.bar(st, w))
	}
	lines = append(lines, r.total(st, w))
	if counts := flow(r.tallies(st), w); len(counts) > 0 && h >= columnHeight {
		if !focused {
			counts = counts[:1]
		}
		lines = append(lines, counts...)
	}
	if r.Past != nil {
		lines = append(lines, proof(st, *r.Past, r.estimate, r.Cost(), w)...)
	}
	lines = append(lines, p.problems(st, w)...)
	if focused && h >= airyHeight {
		lines = slices.Concat(lines, blank, p.legend(st, w))
	}
	if len(r.Plan.Entries) == 0 && p.draft() == 0 {
		return slices.Concat(lines, blank, theme.WrapStyled(st.Muted, r.Missing(), w))
	}
	if h >= columnHeight {
		lines = append(slices.Concat(lines, blank), columnHead(st, r.columns(w, p.model()), r.saved > 0))
	}
	return lines
}

// columnHead names the columns of numbers.
func columnHead(st theme.Styles, c columns, saved bool) string {
	row := newLine(c.saved)
	row.to(c.tokens - len("~tokens"))
	row.add("~tokens", st.Muted)
	if saved && c.saved > c.tokens {
		row.to(c.saved - len("saved"))
		row.add("saved", st.Muted)
	}
	row.to(c.saved)
	return row.String()
}

// model is the model of the request on show.
func (p *Model) model() string {
	if r := p.Shown(); r.Past != nil {
		return r.Past.Request.Model
	}
	return p.Model
}

// sends says how many of the messages are sent.
func (p *Model) sends(st theme.Styles) []words {
	r := p.Shown()
	switch {
	case p.Selection != "":
		return []words{{p.Selection, st.Seen}}
	case r.Counts.Stored == 0:
		return nil
	case r.Whole() && r.Past == nil:
		return []words{{"everything fits", st.Muted}}
	}
	verb := "sends "
	if r.Past != nil {
		verb = "sent "
	}
	return []words{
		{verb, st.Muted},
		{theme.Thousands(r.Counts.Sent()), st.Text},
		{" of " + theme.Thousands(r.Counts.Stored), st.Muted},
	}
}

// bar draws where the tokens go, over what the request may hold.
func (r *Request) bar(st theme.Styles, w int) string {
	s := r.Plan.Sum
	whole := max(s.Limit, s.Used())
	fixed, draft := r.fixed(), r.share("draft")
	var b strings.Builder
	used, sum := 0, 0
	for _, part := range []struct {
		n     int
		style lipgloss.Style
	}{{fixed, st.Muted}, {s.Used() - fixed - draft, st.Seen}, {draft, st.You}} {
		sum += part.n
		to := cells(sum, whole, w)
		if part.n > 0 && to == used && used < w-1 {
			to++ // What is there shows.
		}
		b.WriteString(part.style.Render(strings.Repeat("━", max(0, to-used))))
		used = max(used, to)
	}
	return b.String() + st.Faint.Render(strings.Repeat("─", max(0, w-used)))
}

// total is the sum against the limit: what is taken and what is free add up to it.
func (r *Request) total(st theme.Styles, w int) string {
	s := r.Plan.Sum
	used := s.Used()
	if r.Past != nil && r.Past.Request.Prompt > 0 {
		used = r.Past.Request.Prompt
	}
	if s.Limit <= 0 {
		return between(w, []words{{r.tokens() + " tokens", st.Text}}, []words{{"no known limit", st.Muted}})
	}
	right := words{theme.Thousands(s.Limit-used) + " free", st.Muted}
	switch {
	case used > s.Limit:
		right = words{theme.Thousands(used-s.Limit) + " too many", st.Repaired}
	case used == s.Limit:
		right = words{"full", st.Muted}
	}
	left := r.tokens() + " of " + theme.Thousands(s.Limit) + " tokens"
	switch {
	case theme.Width(left) > w:
		left, right.text = r.tokens()+" / "+theme.Thousands(s.Limit), ""
	case theme.Width(left+" "+right.text) > w:
		right.text = ""
	}
	return between(w, []words{{left, st.Text}}, []words{right})
}

// problems are what the user may want to do something about, and what is not known yet.
func (p *Model) problems(st theme.Styles, w int) []string {
	r := p.Shown()
	var lines []string
	say := func(style lipgloss.Style, text string) {
		if text != "" {
			lines = append(lines, theme.WrapStyled(style, markdown.Visible(text), w)...)
		}
	}
	say(st.Error, r.Note)
	if r.Past != nil {
		return lines
	}
	if r.Limit != "" {
		say(st.Cut, "! "+r.Limit+": winnow asks first")
	}
	if p.Whatif == nil {
		say(st.Cut, p.wrong)
		for _, s := range p.Forecast.warnings(w) {
			say(st.Cut, s)
		}
	}
	return lines
}

// legend says what the parts of the bar are, what sets the limit and what the request costs. Its numbers are estimates
// unless the server has counted the request.
func (p *Model) legend(st theme.Styles, w int) []string {
	r := p.Shown()
	s := r.Plan.Sum
	draft, fixed := r.share("draft"), r.fixed()
	sign := "~"
	if r.counted {
		sign = ""
	}
	var parts []words
	part := func(name string, n int, style lipgloss.Style) {
		if n > 0 {
			parts = append(parts, words{"━ " + name + " " + sign + theme.Thousands(n), style})
		}
	}
	part(r.fixedName(), fixed, st.Muted)
	part("messages", s.Used()-fixed-draft, st.Seen)
	if r.Past != nil || p.Busy {
		part("this turn", draft, st.You)
	} else {
		part("draft", draft, st.You)
	}
	if s.Limit > 0 {
		parts = append(parts, words{"─ free " + theme.Thousands(max(0, s.Limit-s.Used())), st.Faint})
	}
	const line = len("━")
	var lines []string
	each := max(1, min(w/(textWidth/2), len(parts))) // on a line
	for i := 0; i < len(parts); i += each {
		row := newLine(w)
		for k, part := range parts[i:min(i+each, len(parts))] {
			row.to(k * w / each)
			row.add(part.text[:line], part.style)
			row.add(part.text[line:], st.Muted)
		}
		row.to(w)
		lines = append(lines, row.String())
	}
	say := func(text string) {
		if text != "" {
			lines = append(lines, theme.WrapStyled(st.Muted, markdown.Visible(text), w)...)
		}
	}
	say(r.bound())
	if p.Past == nil {
		say(p.assumed)
	}
	if r.Past == nil {
		say(strings.Join(slices.DeleteFunc([]string{r.Cost(), phrase("chat ", r.Spent)},
			func(s string) bool { return s == "" }), " · "))
	}
	if p.Marked != nil {
		say(p.Keys.First(keymap.Compare) + " compares with " + p.Name(p.Marked))
	}
	return lines
}

// phrase is a word with what it is about, "" where there is nothing.
func phrase(word, about string) string {
	if about == "" {
		return ""
	}
	return word + about
}

// fixedName is what the first part of the bar is made of.
func (r *Request) fixedName() string {
	switch s := r.Plan.Sum; {
	case s.System > 0 && s.Tools > 0:
		return "system, tools"
	case s.Tools > 0:
		return "tools"
	}
	return "system"
}

// bound says what sets the limit of the request.
func (r *Request) bound() string {
	s := r.Plan.Sum
	window := "the window is not known"
	if s.Window > 0 {
		window = "the window has " + theme.Thousands(s.Window)
	}
	switch {
	case s.Limit <= 0:
		return ""
	case s.Capped():
		return "Your budget of " + theme.Thousands(s.Budget) + " is more than the window of " +
			theme.Thousands(s.Window) + " leaves"
	case s.Bound == history.BoundBudget:
		return "Your budget; " + window
	case s.Bound == history.BoundMaxContext:
		return "Automatic budget; " + window
	case s.Bound == history.BoundUnread:
		return "The server took no more; " + window
	}
	text := theme.UpperFirst(window)
	if s.Reserve > 0 {
		text += ": " + theme.Thousands(s.Reserve) + " kept for the reply"
	}
	if margin := s.Window - s.Reserve - s.Limit; margin > 0 {
		text += ", " + theme.Thousands(margin) + " as a margin"
	}
	return text
}

// flow puts counts on lines of w cells, two cells apart.
func flow(list []count, w int) []string {
	var lines []string
	row := newLine(w)
	for _, c := range list {
		if row.at > 0 && row.at+2+theme.Width(c.text()) > w {
			row.to(w)
			lines, row = append(lines, row.String()), newLine(w)
		}
		if row.at > 0 {
			row.to(row.at + 2)
		}
		row.add(c.text(), c.style)
	}
	if row.at > 0 {
		row.to(w)
		lines = append(lines, row.String())
	}
	return lines
}

// proof says when a past request was sent, to whom and what it cost, whether what is shown is what was sent, and what
// the server made of it.
func proof(st theme.Styles, r record.Replayed, estimate int, cost string, w int) []string {
	q := r.Request
	if by := q.PriceSource; by != "" && cost != "" {
		cost += " by " + markdown.OneLine(by, 60)
	}
	facts := []string{q.Created.Local().Format(time.DateTime), markdown.OneLine(q.Model, 40)}
	if cost != "" {
		facts = append(facts, cost)
	}
	if q.Prompt > 0 {
		facts = append(facts, "the estimate was ~"+theme.Thousands(estimate))
	}
	lines := joined(st.Muted, facts, w)
	if q.End == store.EndFailed {
		failed := "✗ Failed"
		if what := record.ReadFault(q.Fault).What; what != "" {
			failed += ": " + markdown.OneLine(what, 1000)
		}
		lines = append(lines, theme.WrapStyled(st.Error, failed, w)...)
	}
	if short, ok := record.ShortfallOf(r.Request); ok {
		lines = append(lines, theme.WrapStyled(st.Cut, fmt.Sprintf("! The server read %s of ~%s",
			theme.Thousands(short.Reported), theme.Thousands(short.Expected)), w)...)
	}
	if r.Proven {
		lines = append(lines, theme.WrapStyled(st.Seen, "✓ Proven by hash: this was sent", w)...)
	} else {
		lines = append(lines, theme.WrapStyled(st.Cut, "! Not proven: "+markdown.Visible(r.Doubt)+". The verdicts "+
			"are the recorded ones.", w)...)
	}
	use, style := record.CacheUseOf(r.Request), st.Muted
	if use.Missed() {
		style = st.Cut
	}
	if text := use.Sentence(theme.Thousands); text != "" {
		lines = append(lines, theme.WrapStyled(style, markdown.Visible(text), w)...)
	}
	return lines
}

// joined are facts with dots between them on lines of w cells: a fact is broken only where a line cannot hold it.
func joined(style lipgloss.Style, facts []string, w int) []string {
	var lines []string
	line := ""
	for _, fact := range facts {
		switch next := line + " · " + fact; {
		case line == "":
			line = fact
		case theme.Width(next) <= w:
			line = next
		default:
			lines, line = append(lines, theme.WrapStyled(style, line, w)...), fact
		}
	}
	return append(lines, theme.WrapStyled(style, line, w)...)
}

// TurnName is a past request's name in its session.
func TurnName(r record.Recorded) string {
	if r.Of > 1 {
		return fmt.Sprintf("turn %d, request %d of %d", r.Request.Turn, r.Nth, r.Of)
	}
	return fmt.Sprintf("turn %d", r.Request.Turn)
}
