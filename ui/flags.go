package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/composer"
	"winnow/ui/keymap"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// undoStack is the actions that changed flags since the session was opened, and those that wait.
type undoStack struct {
	done    []action // the last one is undone first
	busy    bool     // an action is being stored: the next one waits, so that each is undone by itself
	waiting []asked
}

// action is flags that were changed.
type action struct {
	flag   history.Flag
	ids    []int64                // what it was about
	before map[int64]history.Flag // the flags that it changed, as they were
}

// asked is an action that is to be done: to give messages a flag, or to undo an action.
type asked struct {
	flag history.Flag
	ids  []int64
	undo *action
}

// flaggedMsg is an action that was done, with the plans in front of it and behind it.
type flaggedMsg struct {
	session  *session.Session
	draft    composer.Drafted // that was planned with
	asked    asked
	action   action
	rest     []int64 // messages that go with those meant: the rest of their tool groups
	was, now history.Plan
	planned  bool  // there are plans: none are made while an answer arrives
	short    error // why the plan behind it cannot be sent
	err      error
}

// flagKey is a key for a flag, in the transcript and in the panel.
func (m *Model) flagKey(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	k := &m.keys
	switch {
	case k.Pressed(msg, keymap.Pin):
		return m.flag(history.Pin), true
	case k.Pressed(msg, keymap.Exclude):
		return m.flag(history.Exclude), true
	case k.Pressed(msg, keymap.Auto):
		return m.flag(""), true
	case k.Pressed(msg, keymap.TakeBack):
		return m.takeBack(), true
	case k.Pressed(msg, keymap.Select):
		return m.selectRange(), true
	case k.Pressed(msg, keymap.Pick):
		return m.pick(), true
	}
	return nil, false
}

// flag decides by hand about the selected messages, else the one under the cursor; "" gives them back
// to the rules.
func (m *Model) flag(f history.Flag) tea.Cmd {
	if ids := m.selected(); len(ids) > 0 {
		return m.flagThese(f, ids...)
	}
	id, ok := m.underCursor()
	switch {
	case ok:
		return m.flagThese(f, id)
	case m.panel.Chosen().Added != nil && m.focus == panelPane:
		return m.say("Nobody said this text: it comes and goes with the messages around it.")
	}
	return m.complain("Select a message first: " + m.keys.First(keymap.Focus) + " goes to the transcript.")
}

// flagNamed is flag for messages named by their numbers, where there are any.
func (m *Model) flagNamed(f history.Flag, numbers string) tea.Cmd {
	if numbers == "" {
		return m.flag(f)
	}
	ids, fault := m.messagesNamed(numbers)
	if fault != "" {
		return m.complain(fault)
	}
	return m.flagThese(f, ids...)
}

// flagThese decides by hand about messages.
func (m *Model) flagThese(f history.Flag, ids ...int64) tea.Cmd {
	return m.doAction(asked{flag: f, ids: ids})
}

// takeBack undoes the last act by hand.
func (m *Model) takeBack() tea.Cmd {
	if len(m.undo.done) == 0 && !m.undo.busy {
		return m.say("Nothing was decided by hand since this session was opened.")
	}
	return m.doAction(asked{undo: &action{}})
}

// doAction does an action, or keeps it until the one before it is stored.
func (m *Model) doAction(w asked) tea.Cmd {
	if m.undo.busy {
		m.undo.waiting = append(m.undo.waiting, w)
		return nil
	}
	if w.undo != nil {
		n := len(m.undo.done)
		if n == 0 {
			return m.say("Nothing is left to undo.")
		}
		last := m.undo.done[n-1]
		w = asked{last.flag, last.ids, &last}
	}
	m.undo.busy = true
	done := flaggedMsg{session: m.session, draft: m.planDraft(), asked: w, planned: !m.turn.Busy}
	return m.inBackground(func(ctx context.Context) tea.Msg {
		s := done.session
		if done.planned {
			done.was, _ = preview(done.draft, s) // Why it could not be sent was said before.
		}
		done.rest = restOfGroups(s, w.ids)
		if w.undo != nil {
			done.err = s.RestoreFlags(ctx, w.undo.before)
		} else {
			done.action = action{flag: w.flag, ids: w.ids}
			done.action.before, done.err = s.SetFlags(ctx, w.flag, w.ids...)
		}
		if done.planned {
			done.now, done.short = preview(done.draft, s)
		}
		return done
	})
}

// restOfGroups are the messages that are sent or left out together with some, and are none of them.
func restOfGroups(s *session.Session, ids []int64) []int64 {
	known := map[int64]bool{}
	for _, id := range ids {
		known[id] = true
	}
	var list []int64
	for _, id := range ids {
		for _, other := range s.Group(id) {
			if !known[other] {
				known[other] = true
				list = append(list, other)
			}
		}
	}
	return list
}

// flagged says what an act did, and shows the plan behind it.
func (m *Model) flagged(msg flaggedMsg) tea.Cmd {
	if msg.session != m.session {
		return nil
	}
	m.undo.busy = false
	var plan tea.Cmd
	if msg.planned && !m.turn.Busy && msg.draft.Same(m.planDraft()) {
		m.panel.Generation++ // A plan that is being made may not know of the act.
		plan = m.planned(planMsg{generation: m.panel.Generation, plan: msg.now, err: msg.short})
	} else {
		plan = m.draftChanged()
	}
	if msg.err != nil {
		m.undo.waiting = nil // They were asked for on top of this one.
		return tea.Batch(m.complain(theme.Sentence(msg.err)), plan)
	}
	if msg.asked.undo != nil {
		m.undo.done = m.undo.done[:len(m.undo.done)-1]
	} else {
		m.unselect()
		if len(msg.action.before) > 0 {
			m.undo.done = append(m.undo.done, msg.action)
		}
	}
	said := m.say(m.flagSentence(msg))
	if len(m.undo.waiting) == 0 {
		return tea.Batch(said, plan)
	}
	next := m.undo.waiting[0]
	m.undo.waiting = slices.Delete(m.undo.waiting, 0, 1)
	return tea.Batch(said, plan, m.doAction(next))
}

// flagSentence is what an action did, in one line: to which messages, at which price, what goes with
// them, and what became of others.
func (m *Model) flagSentence(msg flaggedMsg) string {
	w := msg.asked
	did := m.didWhat(w, msg.action)
	if w.undo == nil && len(msg.action.before) == 0 {
		return did + "."
	}
	parts := []string{did}
	if price := msg.price(); price != "" {
		parts[0] += ": " + price
	}
	if rest := m.restText(w.ids, msg.rest); rest != "" {
		parts = append(parts, rest)
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
func (m *Model) didWhat(w asked, d action) string {
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
func (msg flaggedMsg) price() string {
	if !msg.planned {
		return ""
	}
	was, now := entriesOf(msg.was), entriesOf(msg.now)
	n := 0
	for _, id := range slices.Concat(msg.asked.ids, msg.rest) {
		n += now[id].TokensAfter - was[id].TokensAfter
	}
	e, known := now[msg.asked.ids[0]]
	alone := len(msg.asked.ids) == 1 && known
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
func (msg flaggedMsg) flagNow() history.Flag {
	if msg.asked.undo == nil {
		return msg.asked.flag
	}
	return msg.asked.undo.before[msg.asked.ids[0]]
}

// entriesOf are a plan's verdicts by message.
func entriesOf(p history.Plan) map[int64]history.Entry {
	byID := make(map[int64]history.Entry, len(p.Entries))
	for _, e := range p.Entries {
		byID[e.ID] = e
	}
	return byID
}

// restText says what goes with the messages of an act: "its call and 2 results go with it".
func (m *Model) restText(ids, rest []int64) string {
	if len(rest) == 0 {
		return ""
	}
	follow, with, its := "go", "them", "their "
	if len(rest) == 1 {
		follow = "goes"
	}
	if len(ids) == 1 {
		with, its = "it", "its "
	}
	calls := 0
	for _, id := range rest {
		if i, ok := m.chat.Place[id]; ok && len(m.chat.Messages[i].ToolCalls) > 0 {
			calls++
		}
	}
	var what []string
	switch results := len(rest) - calls; {
	case calls > 1:
		what = append(what, theme.Thousands(calls)+" calls")
	case calls == 1:
		what = append(what, "call")
	case results == 1:
		return its + "result " + follow + " with " + with
	}
	if results := len(rest) - calls; results > 0 {
		what = append(what, theme.Plural(results, "result"))
	}
	return its + strings.Join(what, " and ") + " " + follow + " with " + with
}

// others says what became of messages that the act was not about.
func (msg flaggedMsg) others() string {
	if !msg.planned || overBudget(msg.short) {
		return ""
	}
	meant := map[int64]bool{}
	for _, id := range slices.Concat(msg.asked.ids, msg.rest) {
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

// numbersOf names messages: a single one by its number, others by how many they are.
func (m *Model) numbersOf(ids []int64) string {
	if len(ids) == 1 {
		return "message " + m.numberOf(ids[0])
	}
	return theme.Thousands(len(ids)) + " messages"
}

// numberOf is a message's number in the conversation, as the panel has it.
func (m *Model) numberOf(id int64) string {
	if e, ok := entryOf(m.panel.Next.Plan, id); ok {
		return theme.Thousands(e.Index + 1)
	}
	return theme.Thousands(m.chat.Place[id] + 1)
}

// messagesNamed are the messages that numbers name, such as 3 5-8, or a sentence that says what is
// wrong with them.
func (m *Model) messagesNamed(numbers string) (ids []int64, fault string) {
	entries := m.panel.Next.Plan.Entries
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
			return nil, fmt.Sprintf("There is no message %s: the conversation has %s.", word, theme.Plural(len(entries), "message"))
		}
		for _, e := range entries[from-1 : to] {
			if !slices.Contains(ids, e.ID) {
				ids = append(ids, e.ID)
			}
		}
	}
	return ids, ""
}

// selection is the messages that the next act by hand is about: single ones, and a range that grows
// with the cursor.
type selection struct {
	on     bool
	ranged bool // a range runs from anchor to the cursor
	anchor int64
	picked map[int64]bool
}

// holds says whether a message is selected, with the cursor where it is.
func (m *Model) holds(id int64) bool {
	s := &m.selection
	if !s.on {
		return false
	}
	if s.picked[id] {
		return true
	}
	from, to, ok := m.spanned()
	at, there := m.chat.Place[id]
	return ok && there && from <= at && at <= to
}

// spanned is the range by places in the conversation, both ends in it.
func (m *Model) spanned() (from, to int, ok bool) {
	if !m.selection.ranged {
		return 0, 0, false
	}
	id, ok := m.underCursor()
	if !ok {
		id = m.selection.anchor
		if message, ok := m.chat.Selected(); ok {
			id = message.ID
		}
	}
	a, known := m.chat.Place[m.selection.anchor]
	b, there := m.chat.Place[id]
	return min(a, b), max(a, b), known && there
}

// selected are the ids of the selected messages in the order of the conversation.
func (m *Model) selected() []int64 {
	if !m.selection.on {
		return nil
	}
	var list []int64
	for id := range m.selection.picked {
		if _, ok := m.chat.Place[id]; ok {
			list = append(list, id)
		}
	}
	if from, to, ok := m.spanned(); ok {
		for _, message := range m.chat.Messages[from : to+1] {
			if !m.selection.picked[message.ID] {
				list = append(list, message.ID)
			}
		}
	}
	slices.SortFunc(list, func(a, b int64) int { return m.chat.Place[a] - m.chat.Place[b] })
	return list
}

// underCursor is the message that a key in the focused pane is about. A line of the panel may be text
// that nobody said.
func (m *Model) underCursor() (int64, bool) {
	if m.focus == panelPane || m.onTop(panelOverlay{}) {
		e := m.panel.Chosen().Entry
		if e == nil {
			return 0, false
		}
		return e.ID, true
	}
	message, ok := m.chat.Selected()
	return message.ID, ok
}

// selectRange begins a range at the cursor, or keeps the one that there is and ends it.
func (m *Model) selectRange() tea.Cmd {
	id, ok := m.underCursor()
	switch {
	case m.selection.on && m.selection.ranged:
		m.keepRange()
		return m.say("The range is kept: " + m.keys.First(keymap.Pick) + " adds or removes a message, " + m.keys.First(keymap.Select) + " begins another range.")
	case !ok:
		return m.say("There is no message here to begin a range at.")
	}
	if m.selection.picked == nil {
		m.selection.picked = map[int64]bool{}
	}
	m.selection.on, m.selection.ranged, m.selection.anchor = true, true, id
	return nil
}

// keepRange makes single messages of the range.
func (m *Model) keepRange() {
	for _, id := range m.selected() {
		m.selection.picked[id] = true
	}
	m.selection.ranged = false
}

// pick adds the message under the cursor to the selection, or takes it out.
func (m *Model) pick() tea.Cmd {
	id, ok := m.underCursor()
	if !ok {
		return m.say("There is no message here to select.")
	}
	if m.selection.picked == nil {
		m.selection.picked = map[int64]bool{}
	}
	m.keepRange()
	if m.selection.picked[id] {
		delete(m.selection.picked, id)
	} else {
		m.selection.picked[id] = true
	}
	m.selection.on = len(m.selection.picked) > 0
	return nil
}

// unselect leaves the selection.
func (m *Model) unselect() { m.selection = selection{} }

// selectionTitle says how many messages are selected, and their tokens in the request on show; "" where
// nothing is.
func (m *Model) selectionTitle() string {
	ids := m.selected()
	if len(ids) == 0 {
		return ""
	}
	r := m.panel.Shown()
	sent, whole := 0, 0
	for _, id := range ids {
		if e, ok := r.Verdict(m.chat.Place[id], id); ok {
			sent += e.TokensAfter
			whole += max(e.TokensBefore, e.TokensAfter)
		}
	}
	title := theme.Thousands(len(ids)) + " selected"
	switch {
	case !r.Ready:
		return title
	case sent == whole:
		return title + " · " + r.Counted(sent) + " tokens"
	}
	return title + " · " + r.Counted(sent) + " of " + r.Counted(whole) + " tokens"
}
