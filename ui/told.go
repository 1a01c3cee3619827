package ui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"winnow/history"
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
	case m.panel.past != nil:
		said += " It holds for the next request, not for the one on show."
	}
	if over := (*history.OverBudgetError)(nil); errors.As(msg.short, &over) {
		sum := msg.now.Sum
		said += " What must be sent"
		if sum.Pinned > 0 {
			said += ", " + thousands(sum.Tokens(sum.Pinned)) + " pinned tokens among it,"
		}
		said += " is " + plural(max(1, sum.Tokens(over.Need-over.Have)), "token") + " more than fits."
	}
	return said
}

// didWhat names an act and its messages; one that changed nothing says why.
func (m *Model) didWhat(w wish, d deed) string {
	which := m.numbersOf(w.ids)
	one := len(w.ids) == 1
	is := which + " are"
	if one {
		is = which + " is"
	}
	done := map[history.Flag]string{
		history.Pin:     "Pinned " + which,
		history.Exclude: "Excluded " + which,
		"":              strings.ToUpper(is[:1]) + is[1:] + " back under the rules",
	}[w.flag]
	if w.undo != nil {
		return "Undone: " + strings.ToLower(done[:1]) + done[1:]
	}
	if len(d.before) == 0 {
		return strings.ToUpper(is[:1]) + is[1:] + map[history.Flag]string{
			history.Pin:     " pinned already; " + firstKey(m.keys.Auto) + " gives back to the rules",
			history.Exclude: " excluded already; " + firstKey(m.keys.Auto) + " gives back to the rules",
			"":              " under the rules already",
		}[w.flag]
	}
	return done
}

// numbersOf names messages: a single one by its number, others by how many they are.
func (m *Model) numbersOf(ids []int64) string {
	if len(ids) == 1 {
		return "message " + m.numberOf(ids[0])
	}
	return thousands(len(ids)) + " messages"
}

// numberOf is a message's number in the conversation, as the panel has it.
func (m *Model) numberOf(id int64) string {
	if e, ok := entryOf(m.panel.next.plan, id); ok {
		return thousands(e.Index + 1)
	}
	return thousands(m.chat.place[id] + 1)
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
		return "it is not sent all the same, " + e.Reason
	case n != 0:
		return signed(msg.now.Sum.Tokens(n)) + " tokens"
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

// signed writes a difference with its sign.
func signed(n int) string {
	if n > 0 {
		return "+" + thousands(n)
	}
	return thousands(n)
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
		if i, ok := m.chat.place[id]; ok && len(m.chat.messages[i].ToolCalls) > 0 {
			calls++
		}
	}
	var what []string
	switch results := len(mates) - calls; {
	case calls > 1:
		what = append(what, thousands(calls)+" calls")
	case calls == 1:
		what = append(what, "call")
	case results == 1:
		return its + "result " + follow + " with " + with
	}
	if results := len(mates) - calls; results > 0 {
		what = append(what, plural(results, "result"))
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
			list = append(list, plural(len(part.list), "message")+" "+part.what+" ("+named(part.list)+")")
		}
	}
	text := strings.Join(list, ", ")
	if len(left)+len(cut) > 0 && len(came)+len(more) == 0 {
		text = "to make room " + text
	}
	return text
}

// mostNamed is how many messages are named in one list.
const mostNamed = 3

// named names messages: "5 you, 6 model and 4 more".
func named(list []history.Entry) string {
	var r roll
	for i := range list {
		r.add(&list[i])
	}
	return r.String()
}

// roll names the first few of many messages.
type roll struct {
	names []string
	of    int
}

func (r *roll) add(e *history.Entry) {
	if r.of++; r.of <= mostNamed {
		r.names = append(r.names, thousands(e.Index+1)+" "+speaker(e.Role))
	}
}

func (r *roll) String() string {
	text := strings.Join(r.names, ", ")
	if more := r.of - len(r.names); more > 0 {
		text += " and " + thousands(more) + " more"
	}
	return text
}

func overBudget(err error) bool {
	var over *history.OverBudgetError
	return errors.As(err, &over)
}

// messagesNamed are the messages that numbers name, such as 3 5-8, or a sentence that says what is
// wrong with them.
func (m *Model) messagesNamed(numbers string) (ids []int64, fault string) {
	entries := m.panel.next.plan.Entries
	for _, word := range strings.FieldsFunc(numbers, func(r rune) bool { return r == ' ' || r == ',' }) {
		first, last, ranged := strings.Cut(word, "-")
		if !ranged {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil {
			return nil, fmt.Sprintf("Messages are named by their numbers in the panel, as in 3 5-8; %s is none.", word)
		}
		if from < 1 || to < from || to > len(entries) {
			return nil, fmt.Sprintf("There is no message %s: the conversation has %s.", word, plural(len(entries), "message"))
		}
		for _, e := range entries[from-1 : to] {
			if !slices.Contains(ids, e.ID) {
				ids = append(ids, e.ID)
			}
		}
	}
	return ids, ""
}
