package panel

import (
	"fmt"
	"strings"

	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// footLines is the height of the foot at least, so that the list does not move while the cursor does.
const footLines = 4

// foot is what falls out next and what is cached; with the focus it is the reason for the line under the cursor, and
// what the keys would cost.
func (p *Model) foot(st theme.Styles, w int, focused bool) []string {
	var lines []string
	switch {
	case p.Whatif != nil:
	case focused:
		lines = p.reason(st, w)
	case p.Past == nil && p.Next.tight():
		lines = p.prospect(st, w)
	}
	if len(lines) == 0 {
		return nil
	}
	lines = append([]string{st.Lines.Render(strings.Repeat("─", w))}, lines...)
	for len(lines) < footLines {
		lines = append(lines, "")
	}
	return lines
}

// labelCells is the width of the labels below the list and of a trial's sums.
const labelCells = 11

// prospect says what falls out next, and how much of the request the server may have read before.
func (p *Model) prospect(st theme.Styles, w int) []string {
	r := &p.Next
	var lines []string
	if len(r.Plan.Next) > 0 {
		var after []words
		rest := w - labelCells
		if free := r.Plan.Sum.Free(); free > 0 {
			after = []words{{"after ~" + theme.Thousands(free) + " more tokens", st.Muted}}
			rest -= theme.Width(after[0].text) + 2
		}
		next := numberedIn(r.Plan.Next, rest)
		if next == "" {
			after, next = nil, numberedIn(r.Plan.Next, w-labelCells)
		}
		lines = append(lines, between(w, []words{
			{theme.Fit("Next out", labelCells), st.Muted}, {next, st.Text},
		}, after))
	}
	if known := p.Forecast.Prefix; known.Known && known.Tokens > 0 {
		cached := []words{{theme.Fit("Cached", labelCells), st.Muted}, {"~" + r.Counted(known.Tokens), st.Text}}
		if next := r.Plan.Next; len(next) > 0 && known.IfNextDrops < known.Tokens {
			cached = append(cached, words{
				", ~" + r.Counted(known.IfNextDrops) + " once " + theme.Thousands(next[0]+1) + " drops out", st.Muted,
			})
		}
		lines = append(lines, between(w, cached, nil))
	}
	return lines
}

// maxReason is the most lines of a reason below the list.
const maxReason = 3

// reason says why the message under the cursor is in the request as it is, and what the keys do with it.
func (p *Model) reason(st theme.Styles, w int) []string {
	on := p.Chosen()
	first, last, folded := p.Folded()
	var text, glyph string
	switch {
	case folded:
		glyph = theme.Glyph(*on.Entry)
		what := notSent(on.Entry.Disposition)
		if text = "Every message is sent whole."; on.Entry.Sent() {
			break
		}
		text = fmt.Sprintf("%s–%s are %s; %s: %s", theme.Thousands(first+1), theme.Thousands(last+1), what,
			theme.Thousands(on.Entry.Index+1), strings.TrimPrefix(on.Entry.Cause.Sentence(), what+": "))
	case on.Entry != nil:
		glyph, text = theme.Glyph(*on.Entry), theme.Thousands(on.Entry.Index+1)+" is "+on.Entry.Cause.Sentence()
		if glyph == "▲" {
			text = theme.Thousands(on.Entry.Index+1) + ": " + on.Entry.Repairs[0].Sentence()
		}
	case on.Added != nil:
		glyph, text = "✚", theme.UpperFirst(addedName(on.Added.Kind))+": "+on.Added.Cause.Sentence()
	default:
		return nil
	}
	var lines []string
	for i, s := range theme.Wrap(markdown.Visible(text), max(1, w-2)) {
		if i == maxReason {
			break
		}
		lead := "  "
		if i == 0 {
			lead = st.OfGlyph(glyph).Render(glyph) + " "
		}
		lines = append(lines, theme.Fit(lead+st.Text.Render(s), w))
	}
	k := &p.Keys
	keys := []keyPrice{{k.First(keymap.Inspect), "read", ""}}
	switch {
	case folded:
		keys = []keyPrice{{k.First(keymap.Inspect), "show all " + theme.Thousands(last-first+1), ""}}
	case on.Entry != nil && p.Past == nil:
		keys = append(p.prices(*on.Entry), keys...)
	}
	row := newLine(w)
	for i, key := range keys {
		lead := "   "
		if i == 0 {
			lead = "  "
		}
		if row.at+theme.Width(lead+key.key+" "+key.what+" "+key.price) > w {
			break
		}
		row.add(lead+key.key+" ", st.Text)
		row.add(key.what, st.Muted)
		if key.price != "" {
			row.add(" "+key.price, st.Text)
		}
	}
	row.to(w)
	return append(lines, row.String())
}

// keyPrice is a key with what it does and the tokens that this adds or frees.
type keyPrice struct{ key, what, price string }
