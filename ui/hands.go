package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/composer"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// hands is what the user decided by hand since the session was opened, for the way back.
type hands struct {
	done    []deed // the last one is undone first
	busy    bool   // an act is being stored: the next one waits, so that each is undone by itself
	waiting []wish
}

// deed is an act by hand that changed something.
type deed struct {
	flag   history.Flag
	ids    []int64                // what it was about
	before map[int64]history.Flag // the flags that it changed, as they were
}

// wish is an act by hand that is to be done: to give messages a flag, or to undo a deed.
type wish struct {
	flag history.Flag
	ids  []int64
	undo *deed
}

// handMsg is an act that was done, with the plans in front of it and behind it.
type handMsg struct {
	session  *session.Session
	draft    composer.Drafted // that was planned with
	wish     wish
	deed     deed
	mates    []int64 // messages that go with those meant: the rest of their tool groups
	was, now history.Plan
	planned  bool  // there are plans: none are made while an answer arrives
	short    error // why the plan behind it cannot be sent
	err      error
}

// handKey is a key for the hands, in the transcript and in the panel.
func (m *Model) handKey(msg tea.KeyPressMsg) (tea.Cmd, bool) {
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
	return m.byHand(wish{flag: f, ids: ids})
}

// takeBack undoes the last act by hand.
func (m *Model) takeBack() tea.Cmd {
	if len(m.hands.done) == 0 && !m.hands.busy {
		return m.say("Nothing was decided by hand since this session was opened.")
	}
	return m.byHand(wish{undo: &deed{}})
}

// byHand does an act, or keeps it until the one before it is stored.
func (m *Model) byHand(w wish) tea.Cmd {
	if m.hands.busy {
		m.hands.waiting = append(m.hands.waiting, w)
		return nil
	}
	if w.undo != nil {
		n := len(m.hands.done)
		if n == 0 {
			return m.say("Nothing is left to undo.")
		}
		last := m.hands.done[n-1]
		w = wish{last.flag, last.ids, &last}
	}
	m.hands.busy = true
	done := handMsg{session: m.session, draft: m.planDraft(), wish: w, planned: !m.turn.busy}
	return m.behind(func(ctx context.Context) tea.Msg {
		s := done.session
		if done.planned {
			done.was, _ = preview(done.draft, s) // Why it could not be sent was said before.
		}
		done.mates = matesOf(s, w.ids)
		if w.undo != nil {
			done.err = s.RestoreFlags(ctx, w.undo.before)
		} else {
			done.deed = deed{flag: w.flag, ids: w.ids}
			done.deed.before, done.err = s.SetFlags(ctx, w.flag, w.ids...)
		}
		if done.planned {
			done.now, done.short = preview(done.draft, s)
		}
		return done
	})
}

// matesOf are the messages that are sent or left out together with some, and are none of them.
func matesOf(s *session.Session, ids []int64) []int64 {
	known := map[int64]bool{}
	for _, id := range ids {
		known[id] = true
	}
	var list []int64
	for _, id := range ids {
		for _, mate := range s.Group(id) {
			if !known[mate] {
				known[mate] = true
				list = append(list, mate)
			}
		}
	}
	return list
}

// handled says what an act did, and shows the plan behind it.
func (m *Model) handled(msg handMsg) tea.Cmd {
	if msg.session != m.session {
		return nil
	}
	m.hands.busy = false
	var plan tea.Cmd
	if msg.planned && !m.turn.busy && msg.draft.Same(m.planDraft()) {
		m.generation++ // A plan that is being made may not know of the act.
		plan = m.planned(planMsg{generation: m.generation, plan: msg.now, err: msg.short})
	} else {
		plan = m.draftChanged()
	}
	if msg.err != nil {
		m.hands.waiting = nil // They were wished for on top of this one.
		return tea.Batch(m.complain(theme.Sentence(msg.err)), plan)
	}
	if msg.wish.undo != nil {
		m.hands.done = m.hands.done[:len(m.hands.done)-1]
	} else {
		m.unselect()
		if len(msg.deed.before) > 0 {
			m.hands.done = append(m.hands.done, msg.deed)
		}
	}
	said := m.say(m.tell(msg))
	if len(m.hands.waiting) == 0 {
		return tea.Batch(said, plan)
	}
	next := m.hands.waiting[0]
	m.hands.waiting = slices.Delete(m.hands.waiting, 0, 1)
	return tea.Batch(said, plan, m.byHand(next))
}
