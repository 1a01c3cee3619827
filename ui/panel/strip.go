package panel

import (
	"fmt"
	"strconv"
	"strings"

	"winnow/ui/theme"
)

// shortStrip is the width below which the strip says only how much is sent and what is next.
const shortStrip = 60

// Strip is the rule above the draft as one line of w cells that says what the next request sends, what becomes of the
// rest and what falls out next. Margin is how many cells of the rule stand at either side of the words. Without a plan
// it is a plain rule, and where the draft does not fit it says by how much, as Rule does.
func (p *Model) Strip(w, margin int) string {
	r, st := p.Shown(), &p.Themes.Styles
	if p.Next.Over > 0 || !r.Ready || r.Counts.Stored == 0 {
		return p.Rule(w, margin)
	}
	words, right := []string{r.sent(st)}, ""
	next := r.next()
	if w < shortStrip {
		if len(next) > 0 {
			words[0] += st.Muted.Render(" · next ") + st.Text.Render(numbered(next, 1))
		}
		return theme.Ruled(st.Lines, w, margin, words, "")
	}
	verb := "sends "
	switch {
	case p.Whatif != nil:
		verb = "would send "
	case p.Past != nil:
		verb = theme.UpperFirst(p.Name(p.Past)) + " sent "
	}
	words[0] = st.Muted.Render(verb) + words[0]
	if r.Limit != "" {
		words = append(words, st.Cut.Render("! "+r.Limit))
	}
	if len(next) > 0 {
		right = st.Muted.Render("next out ") + st.Text.Render(numbered(next, maxNumbers))
	}
	return theme.Ruled(st.Lines, w, margin, append(words, r.tallies(st)...), right)
}

// Rule is the rule above the draft where the panel says the rest: it turns red where the draft does not fit, and says
// by how much.
func (p *Model) Rule(w, margin int) string {
	st := &p.Themes.Styles
	if p.Next.Over <= 0 {
		return st.Rule(w)
	}
	many := st.Repaired.Render(theme.Thousands(p.Next.Over) + " tokens too many")
	return theme.Ruled(st.Repaired, w, margin, []string{many}, "")
}

// gaugeCells is the length of the bar in the header.
const gaugeCells = 8

// Gauge is what the header says of the next request where the panel is not open: its tokens and, with bar, how full
// it is. It is "" where nothing is planned.
func (p *Model) Gauge(bar bool) string {
	r, st := p.Shown(), &p.Themes.Styles
	_, text := r.used()
	limit := r.Plan.Sum.Limit
	switch {
	case !r.Ready:
		return ""
	case limit <= 0:
		return st.Muted.Render(text + " tokens")
	}
	words := st.Muted
	if r.Over > 0 {
		words = st.Repaired
	}
	text = words.Render(text + " / " + theme.Thousands(limit))
	if bar {
		text += " " + r.bar(st, gaugeCells)
	}
	return text
}

// State says in a few words what is next, for the end of the line with the hints; "" for nothing.
func (p *Model) State() string {
	if next := p.Next.next(); p.Past == nil && p.Whatif == nil && len(next) > 0 {
		return "next out " + numbered(next, 2)
	}
	return ""
}

// maxNumbers is how many messages are named by their numbers.
const maxNumbers = 3

// numbered are the numbers of messages by their rising indexes, at most so many: "44, 45", "3–9", "1, 5, 9, …".
func numbered(indexes []int, most int) string {
	var list []string
	for i := 0; i < len(indexes); {
		if len(list) == most {
			list = append(list, "…")
			break
		}
		last := i
		for last+1 < len(indexes) && indexes[last+1] == indexes[last]+1 {
			last++
		}
		text := strconv.Itoa(indexes[i] + 1)
		if last-i >= 2 {
			text, i = fmt.Sprintf("%s–%d", text, indexes[last]+1), last
		}
		list, i = append(list, text), i+1
	}
	return strings.Join(list, ", ")
}
