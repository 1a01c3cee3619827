package panel

import (
	"fmt"
	"strings"

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
	st, on, n := &p.Themes.Styles, p.Chosen(), p.folded()
	keys := []keyPrice{{p.Keys.First(keymap.Inspect), "read", ""}}
	text, glyph := "", "✚"
	switch {
	case on.Added > 0:
		a := p.Shown().Added[on.Added-1]
		text = theme.UpperFirst(addedName(a.Kind)) + ": " + a.Cause.Sentence()
	case on.Entry == nil:
		return nil
	case n > 0:
		keys = []keyPrice{{p.Keys.First(keymap.Inspect), "show all " + theme.Thousands(n), ""}}
		glyph, text = theme.Glyph(*on.Entry), "Every message is sent whole."
		if what := notSent(on.Entry.Disposition); !on.Entry.Sent() {
			lines, at := p.lines()
			first := p.Shown().before(lines[at].from) + 1
			text = fmt.Sprintf("%s–%s are %s; %s: %s", theme.Thousands(first), theme.Thousands(first+n-1), what,
				theme.Thousands(on.Entry.Index+1), strings.TrimPrefix(on.Entry.Cause.Sentence(), what+": "))
		}
	default:
		glyph, text = theme.Glyph(*on.Entry), " is "+on.Entry.Cause.Sentence()
		if glyph == "▲" {
			text = ": " + on.Entry.Repairs[0].Sentence()
		}
		text = theme.Thousands(on.Entry.Index+1) + text
		if p.Past == nil {
			keys = append(p.prices(*on.Entry), keys...)
		}
	}
	var lines []string
	lead := st.OfGlyph(glyph).Render(glyph) + " "
	for _, s := range theme.Wrap(markdown.Visible(text), max(1, w-2)) {
		lines, lead = append(lines, lead+st.Text.Render(s)), "  "
	}
	row := " "
	for _, key := range keys {
		part := " " + st.Text.Render(key.key) + st.Muted.Render(" "+key.what)
		if key.price != "" {
			part += st.Text.Render(" " + key.price)
		}
		if theme.Width(row+part) <= w {
			row += part + "  "
		}
	}
	return append(lines[:min(len(lines), maxReason)], row)
}

// keyPrice is a key with what it does and the tokens that this adds or frees.
type keyPrice struct{ key, what, price string }

// Prices are the keys that flag a message of the next request, each with what it does and the tokens that this adds or
// frees.
func (p *Model) Prices(e history.Entry) []key.Binding {
	var hints []key.Binding
	for _, k := range p.prices(e) {
		hints = append(hints, keymap.Typed(k.key, strings.TrimSpace(k.what+" "+k.price)))
	}
	return hints
}

// prices are what each flag for a message would cost or free in the next request, with its whole tool group,
// as the server counts: p pin +540, x exclude −37. A key that changes nothing now has no number. What the rules would
// do with a message that was pinned or excluded is not known before they are asked, so that is the most it can be.
// There are none where nothing is known.
func (p *Model) prices(e history.Entry) []keyPrice {
	r := &p.Next
	if _, ok := r.Verdict(e.Index, e.ID); !ok || !r.Ready {
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
		with = ", with " + theme.Thousands(len(group)-1) + " more"
	}
	price := func(n int) string {
		if n == 0 {
			return ""
		}
		return theme.Signed(n)
	}
	pin := keyPrice{p.Keys.First(keymap.Pin), "pin", strings.TrimPrefix(price(whole-now)+with, ", ")}
	exclude := keyPrice{p.Keys.First(keymap.Exclude), "exclude", price(-now)}
	auto := keyPrice{p.Keys.First(keymap.Auto), "automatic", "up to "}
	switch flag {
	case history.Pin:
		auto.price += theme.Signed(-now) + with
		return []keyPrice{auto, exclude}
	case history.Exclude:
		auto.price += theme.Signed(whole) + with
		return []keyPrice{auto, pin}
	}
	return []keyPrice{pin, exclude}
}
