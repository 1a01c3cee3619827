package ui

import (
	"fmt"

	"winnow/ui/theme"
)

// foot is the reason for the line under the cursor, and what falls out next.
func (p *panel) foot(st theme.Styles, w int) []string {
	r := p.shown()
	on := p.chosen()
	var lines []string
	switch {
	case on.entry != nil:
		lines = st.Reason(fmt.Sprintf("%s %s: %s", theme.Glyph(*on.entry), theme.Thousands(on.entry.Index+1), on.entry.Cause.Sentence()), w)
	case on.added != nil:
		lines = st.Reason("✚ "+on.added.Kind+": "+on.added.Cause.Sentence(), w)
	}
	if on.entry != nil && p.price != nil && p.whatif == nil {
		if price := p.price(*on.entry); price != "" {
			lines = append(lines, theme.Fit(" "+st.Dim.Render(price), w))
		}
	}
	if next := r.fallsOutNext(); next != "" && r.past == nil {
		lines = append(lines, theme.Fit(st.Dim.Render(" next to fall out: "+next), w))
	}
	cached := ""
	switch {
	case p.whatif != nil:
		cached = p.whatif.cached(p.outlook.prefix)
	case r == &p.next:
		cached = r.cached(p.outlook.prefix)
	}
	if cached != "" {
		lines = append(lines, theme.Indented(st.Dim, cached, w)...)
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
	return fmt.Sprintf("%s %s (%s)", theme.Thousands(first.Index+1), theme.Speaker(first.Role), r.counted(first.TokensAfter))
}
