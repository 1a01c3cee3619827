package panel

import (
	"fmt"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/ui/theme"
)

// shortStrip is the width below which the strip says only how much is sent and what is next.
const shortStrip = 60

// Strip is the rule above the draft as one line of w cells that says what the next request sends, what becomes of the
// rest and what falls out next. Margin is how many cells of the rule stand at either side of the words. Without a plan
// it is a plain rule, and where the draft does not fit it says by how much, as Rule does.
func (p *Model) Strip(st theme.Styles, w, margin int) string {
	r := p.Shown()
	if p.Next.Over > 0 || !r.Ready || r.Counts.Stored == 0 {
		return p.Rule(st, w, margin)
	}
	c := r.Counts
	of := theme.Thousands(c.Sent()) + " of " + theme.Thousands(c.Stored)
	next := ""
	if r.Past == nil && r.tight() {
		next = numbered(r.Plan.Next, maxNumbers)
	}
	if w < shortStrip {
		line := st.Text.Render(of)
		if next != "" {
			line += st.Muted.Render(" · next ") + st.Text.Render(numbered(r.Plan.Next, 1))
		}
		return theme.Ruled(st.Lines, w, margin, []string{line}, "")
	}
	left := []string{st.Muted.Render(p.verb()+" ") + st.Text.Render(of)}
	if r.Limit != "" {
		left = append(left, st.Cut.Render("! "+r.Limit))
	}
	for _, n := range r.tallies(st) {
		left = append(left, n.style.Render(n.text()))
	}
	if next != "" {
		next = st.Muted.Render("next out ") + st.Text.Render(next)
	}
	return theme.Ruled(st.Lines, w, margin, left, next)
}

// Rule is the rule above the draft where the panel says the rest: it turns red where the draft does not fit, and says
// by how much.
func (p *Model) Rule(st theme.Styles, w, margin int) string {
	if p.Next.Over <= 0 {
		return st.Lines.Render(strings.Repeat("─", max(0, w)))
	}
	st.Lines = st.Repaired
	return theme.Ruled(st.Lines, w, margin, []string{
		st.Repaired.Render(theme.Thousands(p.Next.Over) + " tokens too many"),
	}, "")
}

// verb says what the request on show does with the messages that are counted.
func (p *Model) verb() string {
	switch {
	case p.Whatif != nil:
		return "would send"
	case p.Past != nil:
		return theme.UpperFirst(p.Name(p.Past)) + " sent"
	}
	return "sends"
}

// gaugeCells is the length of the bar in the header.
const gaugeCells = 8

// Gauge is what the header says of the next request where the panel is not open: its tokens and, with bar, how full
// it is. It is "" where nothing is planned.
func (p *Model) Gauge(st theme.Styles, bar bool) string {
	r := p.Shown()
	if !r.Ready {
		return ""
	}
	s := r.Plan.Sum
	text := r.tokens()
	if s.Limit <= 0 {
		return st.Muted.Render(text + " tokens")
	}
	words, line := st.Muted, st.Seen
	if r.Over > 0 {
		words, line = st.Repaired, st.Repaired
	}
	text = words.Render(text + " / " + theme.Thousands(s.Limit))
	if bar {
		full := gauge(s.Used(), s.Limit)
		text += " " + line.Render(strings.Repeat("━", full)) + st.Faint.Render(strings.Repeat("─", gaugeCells-full))
	}
	return text
}

// tokens is what the request takes: as the server counted it, else estimated.
func (r *Request) tokens() string {
	if r.Past != nil && r.Past.Request.Prompt > 0 {
		return theme.Thousands(r.Past.Request.Prompt)
	}
	return "~" + r.Counted(r.Plan.Sum.Total)
}

// gauge is how many cells of the header's bar stand for n of whole. Each cell of so short a bar is an eighth, so what
// is less than half of one is not drawn.
func gauge(n, whole int) int {
	if n >= whole {
		return gaugeCells
	}
	return min((2*n*gaugeCells+whole)/(2*whole), gaugeCells-1)
}

// cells is how many of a bar's cells stand for n of whole: what is there shows, and so does what is free.
func cells(n, whole, of int) int {
	switch {
	case n <= 0 || whole <= 0 || of <= 0:
		return 0
	case n >= whole:
		return of
	}
	return min(max(1, (n*of+whole-1)/whole), max(1, of-1))
}

// count is how many messages of a request have one verdict.
type count struct {
	glyph, word string
	n           int
	style       lipgloss.Style
}

func (c count) text() string { return c.glyph + " " + theme.Thousands(c.n) + " " + c.word }

// tallies are the verdicts that are not the usual one, the most important first.
func (r *Request) tallies(st theme.Styles) []count {
	c := r.Counts
	var list []count
	for _, v := range []count{
		{"◐", "cut", c.Cut, st.Cut},
		{"○", "dropped", c.Dropped, st.Muted},
		{"⊘", "excluded", c.Excluded, st.Muted},
		{"↺", "recalled", c.Recalled, st.Recalled},
		{"▲", "repaired", c.Repaired, st.Repaired},
		{"○", "unreadable", c.Quarantined, st.Muted},
		{"○", "blank", c.Blank, st.Muted},
		{"◆", "pinned", c.Pinned, st.Pinned},
		{"✚", "added", len(r.Plan.Added), st.Seen},
	} {
		if v.n > 0 {
			list = append(list, v)
		}
	}
	return list
}

// numberedIn are the numbers of messages in at most w cells, "" where there is no room for one.
func numberedIn(indexes []int, w int) string {
	for most := maxNumbers; most > 0; most-- {
		if text := numbered(indexes, most); theme.Width(text) <= w {
			return text
		}
	}
	return ""
}

// numbered are the numbers of messages by their rising indexes, at most so many: "44, 45", "3–9", "1, 5, 9, …".
func numbered(indexes []int, most int) string {
	var list []string
	for i := 0; i < len(indexes); {
		if len(list) == most {
			return strings.Join(list, ", ") + ", …"
		}
		last := i
		for last+1 < len(indexes) && indexes[last+1] == indexes[last]+1 {
			last++
		}
		from := strconv.Itoa(indexes[i] + 1)
		if last-i >= 2 {
			list, i = append(list, fmt.Sprintf("%s–%d", from, indexes[last]+1)), last+1
			continue
		}
		list, i = append(list, from), i+1
	}
	return strings.Join(list, ", ")
}
