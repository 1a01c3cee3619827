package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/markdown"
)

// ledger lists everything that was mended in the active branch: what was wrong, what is sent instead,
// and what else could be. The stored messages stay as they came.
type ledger struct {
	lines   []mended
	at      int
	busy    bool    // a remedy is being stored
	waiting []int64 // messages whose next remedy was asked for meanwhile
	told    bool    // the user was told that there is something to see here

	// The two sides of the line under the cursor at a width: a long text is compared once, not at
	// every frame.
	drawn      []string
	drawnOf    history.Repair
	drawnWidth int
}

// mended is one line: a repair of a message.
type mended struct {
	entry  history.Entry
	repair history.Repair
}

// mendedIn are the repairs of a plan, in the order of the conversation.
func mendedIn(p history.Plan) []mended {
	var list []mended
	for i := range p.Entries { // Most are not mended, and an entry is large to copy.
		for _, r := range p.Entries[i].Repairs {
			list = append(list, mended{p.Entries[i], r})
		}
	}
	return list
}

// set takes another plan. The cursor stays on its message.
func (l *ledger) set(p history.Plan) {
	on, was := l.chosen()
	l.lines = mendedIn(p)
	if !was {
		l.move(0)
		return
	}
	for i, line := range l.lines {
		if line.entry.ID == on.entry.ID && line.repair.Kind == on.repair.Kind && line.repair.Before == on.repair.Before {
			l.at = i
			break
		}
	}
	l.move(0)
}

// move moves the cursor by lines.
func (l *ledger) move(by int) { l.at = max(0, min(l.at+by, len(l.lines)-1)) }

// lineOf is a message's first line, -1 for none.
func (l *ledger) lineOf(message int64) int {
	return slices.IndexFunc(l.lines, func(line mended) bool { return line.entry.ID == message })
}

// chosen is the line under the cursor.
func (l *ledger) chosen() (mended, bool) {
	if l.at < 0 || l.at >= len(l.lines) {
		return mended{}, false
	}
	return l.lines[l.at], true
}

// openLedger lists the repairs. The cursor begins on the message that was under it.
func (m *Model) openLedger() tea.Cmd {
	if !m.panel.next.ready {
		return m.say("Nothing is planned yet, so nothing is mended.")
	}
	on, ok := m.underCursor()
	m.ledger.set(m.panel.next.plan)
	if i := m.ledger.lineOf(on); ok && i >= 0 {
		m.ledger.at = i
	}
	m.overlay = ledgerOverlay
	return nil
}

// ledgerKey is a key in the list of repairs.
func (m *Model) ledgerKey(msg tea.KeyPressMsg) tea.Cmd {
	k, l := &m.keys, &m.ledger
	page := max(1, m.layout.overlay.h/3)
	switch {
	case pressed(msg, k.Back, k.Repairs):
		m.overlay = noOverlay
	case pressed(msg, k.Remedy):
		return m.nextRemedy()
	case pressed(msg, k.Choose):
		return m.goToMended()
	case pressed(msg, k.Down, k.Next):
		l.move(1)
	case pressed(msg, k.Up, k.Prev):
		l.move(-1)
	case pressed(msg, k.HalfDown, k.PageDown):
		l.move(page)
	case pressed(msg, k.HalfUp, k.PageUp):
		l.move(-page)
	case pressed(msg, k.Top):
		l.move(-len(l.lines))
	case pressed(msg, k.Bottom):
		l.move(len(l.lines))
	default:
		return m.say(msg.String() + " does nothing here: " + firstKey(k.Remedy) + " has something else sent, " + firstKey(k.Back) + " closes the list.")
	}
	return nil
}

// goToMended selects the message under the cursor in the transcript.
func (m *Model) goToMended() tea.Cmd {
	on, ok := m.ledger.chosen()
	if !ok || !m.chat.goTo(on.entry.ID) {
		return m.say("There is no message to go to.")
	}
	m.overlay = noOverlay
	m.setFocus(transcriptPane)
	return nil
}

// tellOfRepairs says, once for each session that is opened, that its history holds repairs. A sentence
// that is being shown is not covered: then the next plan says it.
func (m *Model) tellOfRepairs() tea.Cmd {
	if m.ledger.told || m.toast.text != "" {
		return nil
	}
	m.ledger.told = true
	n := len(mendedIn(m.panel.next.plan))
	if n == 0 {
		return nil
	}
	return m.say(plural(n, "repair") + " in this history; /repair shows " + themOrIt(n) + ", or " + firstKey(m.keys.Repairs) + " in the transcript.")
}

func themOrIt(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// remediedMsg is a remedy that was stored, with the plans in front of it and behind it.
type remediedMsg struct {
	session    *session.Session
	generation int // of the draft that was planned with
	to         history.Remedy
	of         history.Entry
	group      []int64 // the messages for which it holds
	was, now   history.Plan
	short      error // why the plan behind it cannot be sent
	err        error
}

// nextRemedy has something else sent in place of the group under the cursor, or waits until what was
// asked for before is stored.
func (m *Model) nextRemedy() tea.Cmd {
	on, ok := m.ledger.chosen()
	switch {
	case !ok:
		return m.say("There is nothing to mend.")
	case m.turn.busy:
		return m.stillArriving()
	case m.ledger.busy:
		m.ledger.waiting = append(m.ledger.waiting, on.entry.ID)
		return nil
	case m.session.Policy().Recovery != history.RecoverRepair:
		return m.say("Recovery is set to " + string(m.session.Policy().Recovery) + " for all calls, which leaves nothing to choose.")
	}
	return m.remedy(on)
}

// remedy has something else sent in place of a message's group.
func (m *Model) remedy(on mended) tea.Cmd {
	m.ledger.busy = true
	m.generation++ // this act makes the plan that the draft waits for
	done := remediedMsg{session: m.session, generation: m.generation, of: on.entry, to: on.repair.Remedy}
	within, draft := m.within, m.planDraft()
	return func() tea.Msg {
		ctx, cancel := within()
		defer cancel()
		s := done.session
		done.was, _ = s.Preview(draft) // Why it could not be sent was said before.
		for range history.Remedies() {
			done.to = remedyAfter(done.to)
			if done.err = s.SetRemedy(ctx, done.to, on.entry.ID); done.err != nil {
				return done
			}
			done.now, done.short = s.Preview(draft)
			if holds(done.to, done.now, on.entry.ID) {
				break // One that changes nothing for such a message is passed over.
			}
		}
		for _, e := range done.now.Entries {
			if s.Remedy(e.ID) == done.to && otherwise(done.was, e) {
				done.group = append(done.group, e.ID)
			}
		}
		return done
	}
}

// remedyAfter is the remedy that comes next, the first behind the last.
func remedyAfter(r history.Remedy) history.Remedy {
	all := history.Remedies()
	for i := range all {
		if all[i] == r {
			return all[(i+1)%len(all)]
		}
	}
	return history.Mend
}

// holds says whether a remedy is what a plan has for a message.
func holds(r history.Remedy, p history.Plan, message int64) bool {
	e, ok := entryOf(p, message)
	for _, repair := range e.Repairs {
		if repair.Remedy == r {
			return true
		}
	}
	return !ok
}

// otherwise says whether a message is sent otherwise than in a plan before.
func otherwise(before history.Plan, now history.Entry) bool {
	was, ok := entryOf(before, now.ID)
	return !ok || len(history.Compare([]history.Entry{was}, []history.Entry{now})) > 0
}

// remedied shows what a remedy does.
func (m *Model) remedied(msg remediedMsg) tea.Cmd {
	if msg.session != m.session {
		return nil
	}
	l := &m.ledger
	l.busy = false
	if msg.err != nil {
		l.waiting = nil
		return tea.Batch(m.complain(sentence(msg.err)), m.draftChanged())
	}
	said, plan := m.say(m.remedyTold(msg)), m.draftChanged
	if msg.generation == m.generation {
		plan = func() tea.Cmd { return m.planned(planMsg{generation: msg.generation, plan: msg.now, err: msg.short}) }
	}
	cmds := []tea.Cmd{said, plan()}
	for len(l.waiting) > 0 && !l.busy && !m.turn.busy {
		next := l.waiting[0]
		l.waiting = l.waiting[1:]
		if i := l.lineOf(next); i >= 0 {
			cmds = append(cmds, m.remedy(l.lines[i]))
		}
	}
	return tea.Batch(cmds...)
}

// remedyTold is what a remedy does and costs, in one sentence.
func (m *Model) remedyTold(msg remediedMsg) string {
	if msg.to == history.Mend && len(msg.group) == 0 {
		return "Nothing else can be sent in place of message " + thousands(msg.of.Index+1) + "."
	}
	numbers := make([]string, len(msg.group))
	calls := false
	for i, id := range msg.group {
		numbers[i] = m.numberOf(id)
		at, ok := m.chat.place[id]
		calls = calls || ok && len(m.chat.messages[at].ToolCalls) > 0
	}
	which, is := "Message "+thousands(msg.of.Index+1), " is "
	switch {
	case calls && len(numbers) > 1:
		which, is = "The calls and results of messages "+inWords(numbers), " are "
	case calls:
		which, is = "The calls of message "+inWords(numbers), " are "
	case len(numbers) > 1:
		which, is = "Messages "+inWords(numbers), " are "
	}
	tokens := msg.now.Sum.Tokens(msg.now.Sum.Total) - msg.was.Sum.Tokens(msg.was.Sum.Total)
	cost := "no token more or less"
	if tokens != 0 {
		cost = signed(tokens) + " tokens"
		if tokens == 1 || tokens == -1 {
			cost = signed(tokens) + " token"
		}
	}
	return which + is + remedyWord(msg.to) + ": " + cost + ". What is stored stays as it is."
}

// inWords writes "2", "2 and 3" and "2, 3 and 4".
func inWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// remedyWord is what is done with damaged messages.
func remedyWord(r history.Remedy) string {
	switch r {
	case history.Mend:
		return "mended"
	case history.TellText:
		return "told as text"
	case history.LeaveOut:
		return "left out"
	}
	return markdown.OneLine(string(r), 12)
}
