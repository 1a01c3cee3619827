package ui

import (
	"context"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/current"
	"winnow/ui/event"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/layout"
	"winnow/ui/theme"
)

// repairsOverlay is the page of a repair.
type repairsOverlay struct{ replaces }

func (repairsOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok {
		in := m.overlayInner()
		return m.updateRepairs(inspector.Click{Y: click.Y - in.Y})
	}
	key, ok := msg.(tea.KeyPressMsg)
	if ok && m.keys.Pressed(key, keymap.Remedy, keymap.Choose, keymap.UndoRemedy) && len(m.repairs.Lines) > 0 {
		switch recovery := m.current.Session.Now().Policy.Recovery; {
		case m.turn.Busy:
			return m.lacks(keymap.NeedIdle)
		case !recovery.TakesRemedies():
			return m.notice.Say("Recovery is set to " + string(recovery) +
				" for all calls, so there is nothing to choose.")
		}
	}
	return m.updateRepairs(msg)
}

func (repairsOverlay) view(m *Model, in theme.Box) ([]string, *tea.Cursor) {
	return m.repairs.View(m.themes.Styles, in.W, in.H), nil
}

func (repairsOverlay) title(m *Model) (string, string) {
	if m.layout.Width < layout.GaugeWidth {
		return breadcrumb(m, m.repairs.Title()), ""
	}
	return breadcrumb(m, m.repairs.Title()), m.repairs.Subject()
}

func (repairsOverlay) state(m *Model) string { return m.repairs.Position() }

func (repairsOverlay) hints(m *Model) []key.Binding { return m.repairs.Hints() }

// openRepairs shows the repairs, that of the message under the cursor first.
func (m *Model) openRepairs() tea.Cmd {
	if !m.panel.Next.Ready {
		return m.notice.Say("There is no plan of the next request yet.")
	}
	message, ok := m.chat.Selected()
	on := message.ID
	if m.panelHasKeys() { // A line of it may be text that nobody said.
		var e *history.Entry
		if e = m.panel.Chosen().Entry; e != nil {
			on = e.ID
		}
		ok = e != nil
	}
	if !ok {
		on = 0
	}
	m.repairs.Open(on)
	m.overlays.open(repairsOverlay{})
	return m.handle(nil, m.repairs.Events(), m.repairsEvent)
}

// updateRepairs gives the list what concerns it, and does what it asks for.
func (m *Model) updateRepairs(msg tea.Msg) tea.Cmd {
	m.repairs = m.repairs.Update(msg)
	return m.handle(nil, m.repairs.Events(), m.repairsEvent)
}

// repairsEvent does what the list of repairs cannot do itself.
func (m *Model) repairsEvent(e event.Event) tea.Cmd {
	switch e := e.(type) {
	case inspector.Closed:
		m.uncover()
	case inspector.GoTo:
		if !m.chat.GoTo(e.Message) {
			return m.notice.Say("There is no message to go to.")
		}
		m.bare()
		m.setFocus(transcriptPane)
	case inspector.ReadPrices:
		s, draft := m.current.Session, m.current.Draft()
		return m.current.Run(func(ctx context.Context) tea.Msg { return remedyPrices(ctx, s, draft, e) })
	case inspector.Remedy:
		generation := m.current.Supersede() // this action makes the plan that the draft waits for
		done := remediedMsg{session: m.current.Session, generation: generation, of: e.Entry, to: e.Repair.Remedy}
		draft := m.current.Draft()
		return m.current.Run(func(ctx context.Context) tea.Msg { return done.set(ctx, draft, e.To) })
	}
	return nil
}

// remedyPrices plans with each other remedy for a message than now, and keeps those that change something.
func remedyPrices(ctx context.Context, s *session.Session, draft session.Draft, e inspector.ReadPrices) tea.Msg {
	msg := inspector.PricesMsg{Number: e.Number, Message: e.Message}
	all := history.Remedies()
	if !s.Now().Policy.Recovery.TakesRemedies() {
		all, e.Now = []history.Remedy{history.SendRepaired}, history.SendRepaired
	}
	total := e.Plan.Sum.Tokens(e.Plan.Sum.Total)
	for _, to := range all {
		plan := e.Plan
		if to != e.Now {
			// Why it could not be sent is said where it is sent.
			other, _ := s.Try(ctx, session.Settings{}).WithRemedy(to, e.Message).Preview(draft)
			plan = &other
		}
		if entry, ok := plan.EntryOf(e.Message); ok && (to == history.SendRepaired || hasRemedy(entry, to)) {
			msg.Prices = append(msg.Prices, inspector.Price{
				Remedy: to, Plan: plan, Tokens: plan.Sum.Tokens(plan.Sum.Total) - total,
			})
		}
	}
	return msg
}

// hasRemedy reports whether a remedy holds for a message.
func hasRemedy(e history.Entry, r history.Remedy) bool {
	return slices.ContainsFunc(e.Repairs, func(repair history.Repair) bool { return repair.Remedy == r })
}

// remediedMsg is a remedy that was stored, with the plans in front of it and behind it.
type remediedMsg struct {
	session    *session.Session
	generation int // of the draft that was planned with
	to         history.Remedy
	of         history.Entry
	group      []int64 // the messages of its tool group that are sent otherwise
	was, now   history.Plan
	short      error // why the plan behind it cannot be sent
	stored     bool  // a remedy was stored, even where err says that something failed behind it
	before     history.Remedy
	err        error
}

// set stores a remedy for the message; nil is the next one that changes something.
func (done remediedMsg) set(ctx context.Context, draft session.Draft, to *history.Remedy) tea.Msg {
	s := done.session
	done.was, _ = s.Preview(draft) // Why it could not be sent was said before.
	done.before = s.Now().Remedies[done.of.ID]
	all := history.Remedies()
	for range all {
		if done.to = all[(slices.Index(all, done.to)+1)%len(all)]; to != nil {
			done.to = *to
		}
		if done.err = s.SetRemedy(ctx, done.to, done.of.ID); done.err != nil {
			return done
		}
		done.stored = true
		done.now, done.short = s.Preview(draft)
		if e, ok := done.now.EntryOf(done.of.ID); !ok || to != nil || hasRemedy(e, done.to) {
			break
		}
	}
	for _, id := range s.Group(done.of.ID) {
		was, known := done.was.EntryOf(id)
		is, there := done.now.EntryOf(id)
		if there && (!known || len(history.Compare([]history.Entry{was}, []history.Entry{is})) > 0) {
			done.group = append(done.group, id)
		}
	}
	return done
}

// remedied shows what a remedy does.
func (m *Model) remedied(msg remediedMsg) tea.Cmd {
	if msg.session != m.current.Session {
		return nil
	}
	outcome := inspector.RemediedMsg{
		Failed: !msg.stored, Was: msg.before, Is: msg.session.Now().Remedies[msg.of.ID],
		Last: m.turn.Busy || msg.err != nil,
	}
	if msg.err != nil {
		return tea.Batch(m.notice.Error(theme.Sentence(msg.err)), m.draftChanged(), m.updateRepairs(outcome))
	}
	calls := slices.ContainsFunc(msg.group, func(id int64) bool {
		at, ok := m.chat.Index(id)
		return ok && m.chat.Messages.Row(at).Calls > 0
	})
	sentence, plan := m.notice.Say(msg.sentence(calls)), m.draftChanged
	if msg.generation == m.current.Generation {
		plan = func() tea.Cmd { return m.planned(current.Planned{Plan: msg.now, Err: msg.short}) }
	}
	return tea.Batch(sentence, plan(), m.updateRepairs(outcome))
}

// sentence is what a remedy does and costs; calls says that there are tool calls among the messages.
func (done remediedMsg) sentence(calls bool) string {
	number := theme.Thousands(done.of.Index + 1)
	if done.to == history.SendRepaired && len(done.group) == 0 {
		return "There is no other way to send message " + number + "."
	}
	var numbers []string
	for _, id := range done.group {
		e, _ := done.now.EntryOf(id)
		numbers = append(numbers, theme.Thousands(e.Index+1))
	}
	which, is := "Message "+number, " is "
	switch {
	case calls && len(numbers) > 1:
		which, is = "The calls and results of messages "+theme.InWords(numbers), " are "
	case calls:
		which, is = "The calls of message "+theme.InWords(numbers), " are "
	case len(numbers) > 1:
		which, is = "Messages "+theme.InWords(numbers), " are "
	}
	tokens := done.now.Sum.Tokens(done.now.Sum.Total) - done.was.Sum.Tokens(done.was.Sum.Total)
	cost := theme.Signed(tokens) + " tokens"
	switch tokens {
	case 0:
		cost = "no token more or less"
	case 1, -1:
		cost = theme.Signed(tokens) + " token"
	}
	return which + is + inspector.RemedyWord(done.to) + ": " + cost + ". The stored message is not changed."
}
