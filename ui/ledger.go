package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// ledger lists everything that was mended in the active branch: what was wrong, what is sent instead,
// and what else could be. The stored messages stay as they came.
type ledger struct {
	lines   []mended
	at      int
	busy    bool    // a remedy is being stored
	waiting []int64 // messages whose next remedy was asked for meanwhile
	secrets theme.Secrets
	told    bool // the user was told that there is something to see here

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
	if !m.panel.Next.Ready {
		return m.say("Nothing is planned yet, so nothing is mended.")
	}
	on, ok := m.underCursor()
	m.ledger.set(m.panel.Next.Plan)
	if i := m.ledger.lineOf(on); ok && i >= 0 {
		m.ledger.at = i
	}
	m.cover(repairsOverlay{})
	return nil
}

// ledgerKey is a key in the list of repairs.
func (m *Model) ledgerKey(msg tea.KeyPressMsg) tea.Cmd {
	k, l := &m.keys, &m.ledger
	switch {
	case k.Pressed(msg, keymap.Back, keymap.Repairs):
		m.uncover()
		return nil
	case k.Pressed(msg, keymap.Remedy):
		return m.nextRemedy()
	case k.Pressed(msg, keymap.Choose):
		return m.goToMended()
	}
	if by, ok := k.Stride(msg, max(1, m.layout.overlay.H/3)); ok {
		l.move(by)
		return nil
	}
	return m.noKey(msg, k.First(keymap.Remedy)+" has something else sent, "+k.First(keymap.Back)+" closes the list.")
}

// goToMended selects the message under the cursor in the transcript.
func (m *Model) goToMended() tea.Cmd {
	on, ok := m.ledger.chosen()
	if !ok || !m.chat.GoTo(on.entry.ID) {
		return m.say("There is no message to go to.")
	}
	m.bare()
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
	n := len(mendedIn(m.panel.Next.Plan))
	if n == 0 {
		return nil
	}
	return m.say(theme.Plural(n, "repair") + " in this history; /repair shows " + themOrIt(n) + ", or " + m.keys.First(keymap.Repairs) + " in the transcript.")
}

func themOrIt(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}
