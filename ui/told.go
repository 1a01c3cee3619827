package ui

import (
	"errors"
	"slices"
	"strings"

	"winnow/history"
	"winnow/ui/keymap"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// tell is what an act by hand did, in one line: to which messages, at which price, what goes with
// them, and what became of others.
func (m *Model) tell(msg handMsg) string {
	w := msg.wish
	did := m.didWhat(w, msg.deed)
	if w.undo == nil && len(msg.deed.before) == 0 {
		return did + "."
	}
	parts := []string{did}
	if price := msg.price(); price != "" {
		parts[0] += ": " + price
	}
	if mates := m.matesText(w.ids, msg.mates); mates != "" {
		parts = append(parts, mates)
	}
	if others := msg.others(); others != "" {
		parts = append(parts, others)
	}
	said := strings.Join(parts, "; ") + "."
	switch {
	case !msg.planned:
		said += " It holds for the next request: the one that is running has left."
	case m.panel.Past != nil:
		said += " It holds for the next request, not for the one on show."
	}
	if over := (*history.OverBudgetError)(nil); errors.As(msg.short, &over) {
		sum := msg.now.Sum
		said += " What must be sent"
		if sum.Pinned > 0 {
			said += ", " + theme.Thousands(sum.Tokens(sum.Pinned)) + " pinned tokens among it,"
		}
		said += " is " + theme.Plural(max(1, over.Need-over.Have), "token") + " more than fits."
	}
	return said
}

// didWhat names an act and its messages; one that changed nothing says why.
func (m *Model) didWhat(w wish, d deed) string {
	which, be := m.numbersOf(w.ids), " are "
	if len(w.ids) == 1 {
		be = " is "
	}
	free := "; " + m.keys.First(keymap.Auto) + " gives back to the rules"
	var done, already string
	switch w.flag {
	case history.Pin:
		done, already = "pinned "+which, which+be+"pinned already"+free
	case history.Exclude:
		done, already = "excluded "+which, which+be+"excluded already"+free
	default:
		done, already = which+be+"back under the rules", which+be+"under the rules already"
	}
	switch {
	case w.undo != nil:
		return "Undone: " + done
	case len(d.before) == 0:
		return strings.ToUpper(already[:1]) + already[1:]
	}
	return strings.ToUpper(done[:1]) + done[1:]
}

// price is what an act changed in the tokens of the messages that it was about, as the server counts
// them; for one message also why that is nothing.
func (msg handMsg) price() string {
	if !msg.planned {
		return ""
	}
	was, now := entriesOf(msg.was), entriesOf(msg.now)
	n := 0
	for _, id := range slices.Concat(msg.wish.ids, msg.mates) {
		n += now[id].TokensAfter - was[id].TokensAfter
	}
	e, known := now[msg.wish.ids[0]]
	alone := len(msg.wish.ids) == 1 && known
	switch flag := msg.flagNow(); {
	case alone && flag == history.Pin && !e.Sent():
		return "it is not sent all the same, " + e.Cause.Sentence()
	case n != 0:
		return theme.Signed(msg.now.Sum.Tokens(n)) + " tokens"
	case alone && flag == history.Pin:
		return "it is sent whole anyway, so nothing is added"
	case alone && flag == history.Exclude:
		return "it was not sent anyway, so nothing is saved"
	}
	return "no token more or less for now"
}

// flagNow is the flag that the messages have behind the act, where it is one for all.
func (msg handMsg) flagNow() history.Flag {
	if msg.wish.undo == nil {
		return msg.wish.flag
	}
	return msg.wish.undo.before[msg.wish.ids[0]]
}

// entriesOf are a plan's verdicts by message.
func entriesOf(p history.Plan) map[int64]history.Entry {
	byID := make(map[int64]history.Entry, len(p.Entries))
	for _, e := range p.Entries {
		byID[e.ID] = e
	}
	return byID
}

// matesText says what goes with the messages of an act: "its call and 2 results go with it".
func (m *Model) matesText(ids, mates []int64) string {
	if len(mates) == 0 {
		return ""
	}
	follow, with, its := "go", "them", "their "
	if len(mates) == 1 {
		follow = "goes"
	}
	if len(ids) == 1 {
		with, its = "it", "its "
	}
	calls := 0
	for _, id := range mates {
		if i, ok := m.chat.Place[id]; ok && len(m.chat.Messages[i].ToolCalls) > 0 {
			calls++
		}
	}
	var what []string
	switch results := len(mates) - calls; {
	case calls > 1:
		what = append(what, theme.Thousands(calls)+" calls")
	case calls == 1:
		what = append(what, "call")
	case results == 1:
		return its + "result " + follow + " with " + with
	}
	if results := len(mates) - calls; results > 0 {
		what = append(what, theme.Plural(results, "result"))
	}
	return its + strings.Join(what, " and ") + " " + follow + " with " + with
}

// others says what became of messages that the act was not about.
func (msg handMsg) others() string {
	if !msg.planned || overBudget(msg.short) {
		return ""
	}
	meant := map[int64]bool{}
	for _, id := range slices.Concat(msg.wish.ids, msg.mates) {
		meant[id] = true
	}
	var left, cut, came, more, rest []history.Entry
	for _, c := range history.Compare(msg.was.Entries, msg.now.Entries) {
		e := c.Entry()
		if meant[e.ID] {
			continue
		}
		switch c.Kind {
		case history.ChangeLeft:
			left = append(left, e)
		case history.ChangeShortened:
			cut = append(cut, e)
		case history.ChangeEntered, history.ChangeRecalled:
			came = append(came, e)
		case history.ChangeRestored:
			more = append(more, e)
		default:
			rest = append(rest, e)
		}
	}
	var list []string
	for _, part := range []struct {
		list []history.Entry
		what string
	}{
		{left, "left"}, {cut, "cut"}, {came, "came in"}, {more, "longer"}, {rest, "otherwise"},
	} {
		if len(part.list) > 0 {
			list = append(list, theme.Plural(len(part.list), "message")+" "+part.what+" ("+panel.Named(part.list)+")")
		}
	}
	text := strings.Join(list, ", ")
	if len(left)+len(cut) > 0 && len(came)+len(more) == 0 {
		text = "to make room " + text
	}
	return text
}

func overBudget(err error) bool {
	var over *history.OverBudgetError
	return errors.As(err, &over)
}
