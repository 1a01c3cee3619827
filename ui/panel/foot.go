package panel

import (
	"strings"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"

	"winnow/history"
	"winnow/history/cause"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// footLines is the height of the foot at least, so that the list does not move while the cursor does.
const footLines = 4

// foot is what falls out next and what is cached; with the focus it is the reason for the line under the cursor, and
// what the keys would cost.
func (p *Model) foot(w int) []string {
	var lines []string
	switch {
	case p.Whatif != nil:
	case p.Focused:
		lines = p.reason(w)
	case p.Past == nil:
		lines = p.prospect(w)
	}
	if len(lines) == 0 {
		return nil
	}
	lines = append([]string{p.Themes.Styles.Rule(w)}, lines...)
	for len(lines) < footLines {
		lines = append(lines, "")
	}
	return lines
}

// labelCells is the width of the labels below the list and of a trial's sums.
const labelCells = 11

// prospect says what falls out next, and how much of the request the server may have read before.
func (p *Model) prospect(w int) []string {
	r, st := &p.Next, &p.Themes.Styles
	next := r.next()
	if len(next) == 0 {
		return nil
	}
	label := func(text string) string { return st.Muted.Render(theme.Fit(text, labelCells)) }
	lines := []string{theme.Spread(label("Next out")+st.Text.Render(numbered(next, maxNumbers)),
		st.Muted.Render("after ~"+theme.Thousands(r.Plan.Sum.Free())+" more tokens"), w)}
	if known := p.Forecast.Prefix; known.Known && known.Tokens > 0 {
		cached := label("Cached") + st.Text.Render("~"+r.Counted(known.Tokens))
		if known.IfNextDrops < known.Tokens {
			cached += st.Muted.Render(
				", ~" + r.Counted(known.IfNextDrops) + " once " + theme.Thousands(next[0]+1) + " drops out")
		}
		lines = append(lines, cached)
	}
	return lines
}

// maxReason is the most lines of a reason below the list.
const maxReason = 3

// reason says why the message under the cursor is in the request as it is, and what the keys do with it.
func (p *Model) reason(w int) []string {
	st, on := &p.Themes.Styles, p.Chosen()
	keys := []key.Binding{p.Keys.Hint("read", keymap.Inspect)}
	text, glyph := "", "✚"
	switch {
	case on.Added > 0:
		a := p.Shown().Added[on.Added-1]
		text = theme.UpperFirst(addedName(a.Kind)) + ": " + a.Cause.Sentence()
	case on.Entry == nil:
		return nil
	default:
		glyph, text = theme.Glyph(*on.Entry), " is "+on.Entry.Cause.Sentence()
		if glyph == "▲" {
			text = ": " + on.Entry.Repairs[0].Sentence()
		}
		text = theme.Thousands(on.Entry.Index+1) + text
	}
	if n := p.folded(); n > 0 {
		keys = []key.Binding{p.Keys.Hint("show all "+theme.Thousands(n), keymap.Inspect)}
	} else if on.Entry != nil && p.Past == nil {
		keys = append(p.Prices(*on.Entry), keys...)
	}
	var lines []string
	lead := st.OfGlyph(glyph).Render(glyph) + " "
	for _, s := range theme.Wrap(markdown.Visible(text), max(1, w-2)) {
		lines, lead = append(lines, lead+st.Text.Render(s)), "  "
	}
	shown := help.New()
	shown.ShortSeparator, shown.Styles = "   ", help.Styles{ShortKey: st.Text, ShortDesc: st.Muted}
	shown.Ellipsis = ""
	shown.SetWidth(w - 2)
	return append(lines[:min(len(lines), maxReason)], "  "+shown.ShortHelpView(keys))
}

// Prices are the keys that flag a message of the next request, each with what it does and the tokens that this adds or
// frees with its whole tool group, as the server counts: p pin +540, x exclude −37. A key that changes nothing now has
// no number. What the rules would do with a message that was pinned or excluded is not known before they are asked, so
// that is the most it can be. There are none where nothing is known.
func (p *Model) Prices(e history.Entry) []key.Binding {
	r := &p.Next
	if !r.has(e.Index, e.ID) {
		return nil
	}
	var flag history.Flag
	whole, now, with := 0, 0, ""
	group := r.Plan.Group(e.Index)
	for _, at := range group {
		member := r.Plan.Entries[at]
		switch {
		case member.Pinned:
			flag = history.Pin
		case member.Disposition == history.Excluded && member.Cause.Code != cause.QuestionExcluded:
			flag = history.Exclude
		}
		now += r.Plan.Sum.Tokens(member.TokensAfter)
		if member.Whole && member.Sent() {
			whole += r.Plan.Sum.Tokens(member.TokensAfter) // Repairing it may take some.
		} else {
			whole += r.Plan.Sum.Tokens(member.TokensBefore)
		}
	}
	if len(group) > 1 {
		with = " with " + theme.Thousands(len(group)-1) + " more"
	}
	price := func(what string, n int, with string) string {
		if n != 0 {
			what += " " + theme.Signed(n) + ","
		}
		return strings.TrimSuffix(what+with, ",")
	}
	k := &p.Keys
	pin := k.Hint(price("pin", whole-now, with), keymap.Pin)
	exclude := k.Hint(price("exclude", -now, ""), keymap.Exclude)
	switch flag {
	case history.Pin:
		return []key.Binding{k.Hint(price("automatic up to", -now, with), keymap.Pin), exclude}
	case history.Exclude:
		return []key.Binding{k.Hint(price("automatic up to", whole, with), keymap.Exclude), pin}
	}
	return []key.Binding{pin, exclude}
}
