package ui

import (
	"fmt"
	"strings"

	"winnow/ui/markdown"
)

// mostReason is the most lines of a reason under the list.
const mostReason = 3

// foot is the reason for the line under the cursor, and what falls out next.
func (p *panel) foot(st styles, w int) []string {
	r := p.shown()
	var lines []string
	why := ""
	switch on := p.chosen(); {
	case on.entry != nil:
		why = fmt.Sprintf("%s %s: %s", glyph(*on.entry), thousands(on.entry.Index+1), on.entry.Reason)
	case on.added != nil:
		why = "✚ " + on.added.Kind + ": " + on.added.Reason
	}
	if why != "" {
		said := indented(st.text, markdown.Visible(why), w)
		lines = append(lines, st.frame.Render(strings.Repeat("─", max(0, w))))
		lines = append(lines, said[:min(mostReason, len(said))]...)
	}
	if on := p.chosen(); on.entry != nil && p.price != nil && p.whatif == nil {
		if price := p.price(*on.entry); price != "" {
			lines = append(lines, fit(" "+st.dim.Render(price), w))
		}
	}
	if next := r.fallsOutNext(); next != "" && r.past == nil {
		lines = append(lines, fit(st.dim.Render(" next to fall out: "+next), w))
	}
	cached := ""
	switch {
	case p.whatif != nil:
		cached = p.whatif.cached(p.outlook.prefix)
	case r == &p.next:
		cached = r.cached(p.outlook.prefix)
	}
	if cached != "" {
		lines = append(lines, indented(st.dim, cached, w)...)
	}
	return lines
}

// fallsOutNext names what loses text first when the request grows, "" for nothing.
func (r *request) fallsOutNext() string {
	next := r.plan.Next
	if len(next) == 0 || next[0] >= len(r.plan.Entries) {
		return ""
	}
	first := r.plan.Entries[next[0]]
	text := fmt.Sprintf("%s %s (%s)", thousands(first.Index+1), speaker(first.Role), r.counted(first.TokensAfter))
	return text
}
