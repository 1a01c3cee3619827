package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// remediedMsg is a remedy that was stored, with the plans in front of it and behind it.
type remediedMsg struct {
	session    *session.Session
	generation int // of the draft that was planned with
	to         history.Remedy
	of         history.Entry
	group      []int64 // the messages of its tool group that are sent otherwise
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
	case !m.session.Policy().Recovery.TakesRemedies():
		return m.say("Recovery is set to " + string(m.session.Policy().Recovery) + " for all calls, which leaves nothing to choose.")
	}
	return m.remedy(on)
}

// remedy has something else sent in place of a message's group.
func (m *Model) remedy(on mended) tea.Cmd {
	m.ledger.busy = true
	m.generation++ // this act makes the plan that the draft waits for
	done := remediedMsg{session: m.session, generation: m.generation, of: on.entry, to: on.repair.Remedy}
	draft := m.planDraft()
	return m.behind(func(ctx context.Context) tea.Msg {
		s := done.session
		done.was, _ = preview(draft, s) // Why it could not be sent was said before.
		for range history.Remedies() {
			done.to = remedyAfter(done.to)
			if done.err = s.SetRemedy(ctx, done.to, on.entry.ID); done.err != nil {
				return done
			}
			done.now, done.short = preview(draft, s)
			if holds(done.to, done.now, on.entry.ID) {
				break // One that changes nothing for such a message is passed over.
			}
		}
		var group []int64
		group, done.err = s.ToolGroups(ctx, on.entry.ID)
		for _, id := range group {
			if otherwise(done.was, done.now, id) {
				done.group = append(done.group, id)
			}
		}
		return done
	})
}

// remedyAfter is the remedy that comes next, the first behind the last.
func remedyAfter(r history.Remedy) history.Remedy {
	all := history.Remedies()
	return all[(slices.Index(all, r)+1)%len(all)]
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
func otherwise(before, now history.Plan, message int64) bool {
	was, known := entryOf(before, message)
	is, there := entryOf(now, message)
	return there && (!known || len(history.Compare([]history.Entry{was}, []history.Entry{is})) > 0)
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
		return tea.Batch(m.complain(theme.Sentence(msg.err)), m.draftChanged())
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
	if msg.to == history.SendRepaired && len(msg.group) == 0 {
		return "Nothing else can be sent in place of message " + theme.Thousands(msg.of.Index+1) + "."
	}
	numbers := make([]string, len(msg.group))
	calls := false
	for i, id := range msg.group {
		numbers[i] = m.numberOf(id)
		at, ok := m.chat.Place[id]
		calls = calls || ok && len(m.chat.Messages[at].ToolCalls) > 0
	}
	which, is := "Message "+theme.Thousands(msg.of.Index+1), " is "
	switch {
	case calls && len(numbers) > 1:
		which, is = "The calls and results of messages "+theme.InWords(numbers), " are "
	case calls:
		which, is = "The calls of message "+theme.InWords(numbers), " are "
	case len(numbers) > 1:
		which, is = "Messages "+theme.InWords(numbers), " are "
	}
	tokens := msg.now.Sum.Tokens(msg.now.Sum.Total) - msg.was.Sum.Tokens(msg.was.Sum.Total)
	cost := "no token more or less"
	if tokens != 0 {
		cost = theme.Signed(tokens) + " tokens"
		if tokens == 1 || tokens == -1 {
			cost = theme.Signed(tokens) + " token"
		}
	}
	return which + is + remedyWord(msg.to) + ": " + cost + ". What is stored stays as it is."
}

// remedyWord is what is done with damaged messages.
func remedyWord(r history.Remedy) string {
	switch r {
	case history.SendRepaired:
		return "mended"
	case history.SendAsText:
		return "told as text"
	case history.LeaveOut:
		return "left out"
	}
	return markdown.OneLine(string(r), 12)
}
