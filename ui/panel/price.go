package panel

import (
	"strings"

	"winnow/history"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// price says what each flag for a message would cost or free in the next request, with its whole tool group,
// as the server counts: "p +540 · x −37". What the rules would do with a message that was pinned or excluded is
// not known before they are asked, so that is the most it can be. It is "" where nothing is known.
func (p *Model) price(e history.Entry) string {
	r := &p.Next
	if _, ok := r.Verdict(e.Index, e.ID); !ok || !r.Ready {
		return ""
	}
	group := r.Plan.Group(e.Index)
	var flag history.Flag
	before, after := 0, 0
	for _, at := range group {
		member := r.Plan.Entries[at]
		switch {
		case member.Pinned:
			flag = history.Pin
		case member.Disposition == history.Excluded && member.Cause.Code != history.CauseQuestionExcluded:
			flag = history.Exclude
		}
		after += member.TokensAfter
		if before += member.TokensBefore; member.Whole && member.Sent() {
			before += member.TokensAfter - member.TokensBefore // Repairing it may take some.
		}
	}
	k := &p.Keys
	pin := k.First(keymap.Pin) + " pin " + r.difference(before-after)
	exclude := k.First(keymap.Exclude) + " exclude " + r.difference(-after)
	auto := k.First(keymap.Auto) + " auto up to "
	var list []string
	switch flag {
	case history.Pin:
		list = []string{auto + r.difference(-after), exclude}
	case history.Exclude:
		list = []string{auto + r.difference(before), pin}
	default:
		list = []string{pin, exclude}
	}
	if len(group) > 1 {
		list = append(list, "with "+theme.Plural(len(group)-1, "more"))
	}
	return strings.Join(list, " · ")
}

// difference is a number of counted tokens with its sign, as the server counts them.
func (r *Request) difference(n int) string {
	if n == 0 {
		return "±0"
	}
	return theme.Signed(r.Plan.Sum.Tokens(n))
}
