package panel

import (
	"strings"

	"charm.land/bubbles/v2/key"

	"winnow/history"
	"winnow/history/cause"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

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
	group := r.Plan.Group(e.Index)
	var flag history.Flag
	before, after := 0, 0
	for _, at := range group {
		member := r.Plan.Entries[at]
		switch {
		case member.Pinned:
			flag = history.Pin
		case member.Disposition == history.Excluded && member.Cause.Code != cause.QuestionExcluded:
			flag = history.Exclude
		}
		after += r.Plan.Sum.Tokens(member.TokensAfter)
		if member.Whole && member.Sent() {
			before += r.Plan.Sum.Tokens(member.TokensAfter) // Repairing it may take some.
		} else {
			before += r.Plan.Sum.Tokens(member.TokensBefore)
		}
	}
	k := &p.Keys
	with := ""
	if len(group) > 1 {
		with = ", with " + theme.Thousands(len(group)-1) + " more"
	}
	price := func(n int) string {
		if n == 0 {
			return ""
		}
		return theme.Signed(n)
	}
	pin := keyPrice{k.First(keymap.Pin), "pin", strings.TrimPrefix(price(before-after)+with, ", ")}
	exclude := keyPrice{k.First(keymap.Exclude), "exclude", price(-after)}
	auto := keyPrice{k.First(keymap.Auto), "automatic", "up to "}
	switch flag {
	case history.Pin:
		auto.price += theme.Signed(-after) + with
		return []keyPrice{auto, exclude}
	case history.Exclude:
		auto.price += theme.Signed(before) + with
		return []keyPrice{auto, pin}
	}
	return []keyPrice{pin, exclude}
}

// difference is a number of counted tokens with its sign, as the server counts them.
func (r *Request) difference(n int) string {
	if n == 0 {
		return "±0"
	}
	return theme.Signed(r.Plan.Sum.Tokens(n))
}

// Counted writes a number of tokens in the server's measure, so that the parts add up to the total.
func (r *Request) Counted(n int) string { return theme.Thousands(r.Plan.Sum.Tokens(n)) }
