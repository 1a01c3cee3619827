package panel

import (
	"fmt"

	"winnow/ui/theme"
)

// foot is the reason for the line under the cursor, and what falls out next.
func (p *Model) foot(st theme.Styles, w int) []string {
	r := p.Shown()
	on := p.Chosen()
	var lines []string
	switch {
	case on.Entry != nil:
		lines = st.Reason(fmt.Sprintf("%s %s: %s", theme.Glyph(*on.Entry), theme.Thousands(on.Entry.Index+1), on.Entry.Cause.Sentence()), w)
	case on.Added != nil:
		lines = st.Reason("✚ "+string(on.Added.Kind)+": "+on.Added.Cause.Sentence(), w)
	}
	if on.Entry != nil && p.Whatif == nil {
		if price := p.price(*on.Entry); price != "" {
			lines = append(lines, theme.Fit(" "+st.Muted.Render(price), w))
		}
	}
	if next := r.fallsOutNext(); next != "" && r.Past == nil {
		lines = append(lines, theme.Fit(st.Muted.Render(" next to fall out: "+next), w))
	}
	cached := ""
	switch {
	case p.Whatif != nil:
		cached = p.Whatif.cached(p.Forecast.Prefix)
	case r == &p.Next:
		cached = r.cached(p.Forecast.Prefix)
	}
	if cached != "" {
		lines = append(lines, theme.Indented(st.Muted, cached, w)...)
	}
	return lines
}

// fallsOutNext names what loses text first when the request grows, "" for nothing.
func (r *Request) fallsOutNext() string {
	next := r.Plan.Next
	if len(next) == 0 || next[0] >= len(r.Plan.Entries) {
		return ""
	}
	first := r.Plan.Entries[next[0]]
	return fmt.Sprintf("%s %s (%s)", theme.Thousands(first.Index+1), theme.Speaker(first.Role), r.Counted(first.TokensAfter))
}
