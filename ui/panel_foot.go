package ui

import "fmt"

// foot is the reason for the line under the cursor, and what falls out next.
func (p *panel) foot(st styles, w int) []string {
	r := p.shown()
	on := p.chosen()
	var lines []string
	switch {
	case on.entry != nil:
		lines = st.reason(fmt.Sprintf("%s %s: %s", glyph(*on.entry), thousands(on.entry.Index+1), on.entry.Reason), w)
	case on.added != nil:
		lines = st.reason("✚ "+on.added.Kind+": "+on.added.Reason, w)
	}
	if on.entry != nil && p.price != nil && p.whatif == nil {
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
	return fmt.Sprintf("%s %s (%s)", thousands(first.Index+1), speaker(first.Role), r.counted(first.TokensAfter))
}
