package ui

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
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
	m.overlays.open(repairsOverlay{})
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
	if by, ok := k.Stride(msg, max(1, m.layout.Overlay.H/3)); ok {
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
	if m.ledger.told || m.notice.Sentence() != "" {
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
	case m.turn.Busy:
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
	m.panel.Generation++ // this act makes the plan that the draft waits for
	done := remediedMsg{session: m.session, generation: m.panel.Generation, of: on.entry, to: on.repair.Remedy}
	draft := m.composer.Next()
	return m.inBackground(func(ctx context.Context) tea.Msg {
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
	if msg.generation == m.panel.Generation {
		plan = func() tea.Cmd { return m.planned(planMsg{generation: msg.generation, plan: msg.now, err: msg.short}) }
	}
	cmds := []tea.Cmd{said, plan()}
	for len(l.waiting) > 0 && !l.busy && !m.turn.Busy {
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
		numbers[i] = m.chat.NumberOf(id)
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

// leastSides is the height from which the ledger shows what stands under its cursor.
const leastSides = 10

// view draws the list of repairs, and below it both sides of the one under the cursor.
func (l *ledger) view(st theme.Styles, w, h int) []string {
	on, ok := l.chosen()
	if !ok {
		return theme.Indented(st.Dim, "Nothing is damaged: every message of this history goes as it was said.", w)
	}
	var lines []string
	if h < leastSides {
		return l.list(st, w, h)
	}
	lines = append(lines, theme.Indented(st.Dim, "Mended in the request only: what is stored stays as it came.", w)...)
	lines = append(lines, l.list(st, w, min(len(l.lines), h/2))...)
	detail := l.detail(st, on, w)
	return append(lines, detail[:max(0, min(len(detail), h-len(lines)))]...)
}

// place is how far down the list the cursor is, "" where there is no list.
func (l *ledger) place() string {
	if len(l.lines) == 0 {
		return ""
	}
	return theme.Thousands(l.at+1) + "/" + theme.Thousands(len(l.lines))
}

// list draws the lines around the cursor.
func (l *ledger) list(st theme.Styles, w, h int) []string {
	var lines []string
	first, end := theme.Around(l.at, len(l.lines), h)
	for i := first; i < end; i++ {
		lines = append(lines, l.line(st, i, w))
	}
	return lines
}

// line is one repair: its message, what was wrong, and what is done about it.
func (l *ledger) line(st theme.Styles, i, w int) string {
	on := l.lines[i]
	digits := len(theme.Thousands(l.lines[len(l.lines)-1].entry.Index + 1))
	left := fmt.Sprintf(" %*s  %s %-3s ", digits, theme.Thousands(on.entry.Index+1), theme.Fit(theme.Speaker(on.entry.Role), 6), markdown.OneLine(on.repair.Kind, 3))
	right := remedyWord(on.repair.Remedy)
	if !on.entry.Sent() && on.repair.Remedy != history.LeaveOut {
		right = "not sent"
	}
	what := markdown.OneLine(l.secrets.Line(on.repair.What), max(1, w-theme.Width(left)-theme.Width(right)-4))
	return st.VerdictLine(theme.Glyph(on.entry), left, what, right+" ", w, i == l.at)
}

// detail is the repair under the cursor in full.
func (l *ledger) detail(st theme.Styles, on mended, w int) []string {
	lines := []string{st.Rule(w)}
	what, _ := l.secrets.Hide(on.repair.What)
	lines = append(lines, theme.Indented(st.Text, on.repair.Kind+": "+markdown.Visible(what), w)...)
	if !on.entry.Sent() {
		lines = append(lines, theme.Indented(st.Dim, theme.Glyph(on.entry)+" "+theme.Thousands(on.entry.Index+1)+" "+markdown.Visible(on.entry.Cause.Sentence()), w)...)
	}
	return append(lines, l.sides(st, on.repair, w)...)
}

// sides are both sides of a repair, as they were drawn last where they are the same.
func (l *ledger) sides(st theme.Styles, r history.Repair, w int) []string {
	if l.drawn == nil || l.drawnOf != r || l.drawnWidth != w {
		shown, _ := withoutSecrets(l.secrets, r)
		l.drawn, l.drawnOf, l.drawnWidth = inspector.DiffOf(shown).View(st, w), r, w
	}
	return l.drawn
}
