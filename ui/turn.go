package ui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/composer"
	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// turn is the running turn as the screen knows it.
type turn struct {
	number     int
	busy       bool
	stopping   bool
	stop       context.CancelFunc
	spin       int
	began      time.Time // of the first message that had a time
	now        time.Time // of the newest message
	retry      string    // what a waiting turn waits for
	until      time.Time // and until when
	writing    bool      // text or reasoning has arrived
	tool       string    // the call that is being written
	question   question
	sent       *sentDraft // the draft that was sent, until it is stored
	again      bool       // another answer was asked for
	condensing bool       // the older messages are condensed: nothing is said and nothing answered
}

// sentDraft is a draft that has left the composer. It comes back only if it cannot be stored.
type sentDraft struct {
	composer.Drafted
	kept    store.Draft      // for the arrow keys
	writing composer.Writing // as it stood in the composer; without chips where a command made it
	edit    edit             // the edit that it was
	leaf    int64            // the newest message when it was sent
}

// begin starts a turn that start makes events for. What it sends is nil where nothing new is said.
func (m *Model) begin(sent *sentDraft, start func(context.Context) <-chan session.Event) tea.Cmd {
	if m.elsewhere {
		return m.onlyRead()
	}
	ctx, stop := m.newContext()
	number := m.turn.number + 1
	m.turn = turn{number: number, busy: true, stop: stop, sent: sent}
	m.armed = arming{}
	m.notice.Clear()
	m.chat.Name = transcript.ShortName(m.ref)
	m.generation++ // a plan that is being made for the draft comes too late now
	if m.panel.Past != nil {
		m.toNext()
	}
	if m.marked != nil && m.marked.Past == nil {
		m.marked = nil // it is not the next request any more
	}
	m.arrange()
	return tea.Batch(
		func() tea.Msg { return gather(number, start(ctx)) },
		func() tea.Msg { return tickMsg{number, time.Now()} },
	)
}

// turnEvents shows what happened in the turn and asks for more.
func (m *Model) turnEvents(msg turnMsg) tea.Cmd {
	if msg.turn != m.turn.number {
		return nil
	}
	m.turn.clock(msg.at)
	var cmds []tea.Cmd
	for _, e := range msg.events {
		cmds = append(cmds, m.turnEvent(e))
	}
	if !msg.over {
		number, from := msg.turn, msg.from
		cmds = append(cmds, func() tea.Msg { return gather(number, from) })
	}
	if msg.over && m.turn.busy {
		cmds = append(cmds, m.finished(session.Finished{}))
	}
	return tea.Batch(cmds...)
}

func (m *Model) turnEvent(e session.Event) tea.Cmd {
	switch e := e.(type) {
	case session.Stored:
		return m.stored(e)
	case session.Planned:
		m.info, m.ref = m.session.Info(), m.session.Ref()
		m.showNext(e.Plan, nil, e.Outlook)
		return tea.Batch(m.announce(), m.lookAgain())
	case session.Delta:
		m.turn.tool = ""
		m.writing()
		m.chat.Stream(e.Text, e.Reasoning)
	case session.Calling:
		m.writing()
		if e.Name != "" {
			m.turn.tool = e.Name
		}
	case session.Waiting:
		m.turn.wait(e)
		m.arrange()
	case session.Asked:
		return m.ask(e)
	case session.Ran:
		m.chat.Add(e.Message, session.Receipt{})
	case session.Answered:
		m.turn.tool, m.turn.writing = "", false
		m.chat.Answer(e.Message, e.Receipt)
	case session.Notice:
		return m.say(e.Text)
	case session.Withdrawn:
		m.chat.Withdraw(e.Requests)
	case session.Titled:
		m.info.Title = e.Title
	case session.Finished:
		return m.finished(e)
	}
	return nil
}

// writing says that something of the answer arrived: what the turn waited for is over.
func (m *Model) writing() {
	m.turn.writing = true
	if m.turn.retry != "" {
		m.turn.retry = ""
		m.arrange()
	}
}

// stored shows the message that was sent: it is on disk.
func (m *Model) stored(e session.Stored) tea.Cmd {
	sent := m.turn.sent
	m.turn.sent = nil
	m.info = m.session.Info()
	if sent != nil && sent.edit.message != 0 {
		m.chat.CutBehind(e.Message.Parent)
	}
	m.chat.Add(e.Message, session.Receipt{})
	m.chat.Bottom()
	m.arrange()
	if sent == nil {
		return nil
	}
	return tea.Batch(m.keepPrompt(sent.kept), m.keepSoon())
}

// stopped says what became of a turn that the user stopped.
func (m *Model) stopped() string {
	if m.turn.sent != nil { // the message is not stored yet, and nothing is sent before it is
		return "Stopped; nothing was sent."
	}
	return "Stopped; what arrived is kept."
}

// finished ends the turn.
func (m *Model) finished(e session.Finished) tea.Cmd {
	var said tea.Cmd
	if m.turn.stopping && e.Err == nil {
		said = m.say(m.stopped())
	}
	m.turn.busy, m.turn.stopping, m.turn.retry = false, false, ""
	m.endQuestion()
	if m.turn.stop != nil {
		m.turn.stop()
	}
	m.chat.Settle()
	if last, ok := m.chat.Last(); m.turn.again && ok && last.ID != m.session.Info().Leaf {
		m.chat.Follow(m.session.Messages()) // no other answer came, and the branch is the one that it was
	}
	if over := (*session.OversizeError)(nil); errors.As(e.Err, &over) {
		m.tooLong(over)
	} else if e.Err != nil {
		alert := notice.Alert{Text: theme.Sentence(e.Err), Way: m.wayOut(e.Err)}
		if m.session.Unready() != nil {
			alert.Cause = notice.Unreachable
		}
		m.notice.Warn(alert)
	}
	m.giveBack()
	m.arrange()
	if m.quitting {
		return tea.Quit
	}
	return tea.Batch(said, m.draftChanged(), m.entitle(e.Err), m.findAgain(), m.askWindow())
}

// askWindow asks for a window that the server could not say before the model ran. Meanwhile a message can be
// sent.
func (m *Model) askWindow() tea.Cmd {
	s := m.session
	return m.inBackground(func(ctx context.Context) tea.Msg {
		if !s.AskWindowAgain(ctx) {
			return nil
		}
		return restatedMsg{s}
	})
}

// entitle has a model write the title after the first answer, where one is configured for that.
func (m *Model) entitle(fault error) tea.Cmd {
	if fault != nil || !m.session.Untitled() {
		return nil
	}
	s := m.session
	said := m.say("Asking " + m.options.Deps.TitleRef + " for a title.")
	return tea.Batch(said, m.inBackground(func(ctx context.Context) tea.Msg {
		_, err := s.Retitle(ctx, false)
		return settledMsg{err: err}
	}))
}

func (t *turn) clock(at time.Time) {
	if at.IsZero() {
		return
	}
	if t.began.IsZero() {
		t.began = at
	}
	t.now = at
}

// wait shows why the turn waits and until when.
func (t *turn) wait(e session.Waiting) {
	why := "the server did not answer"
	if e.Err != nil {
		why = strings.TrimSuffix(e.Err.Error(), ".")
	}
	t.retry = why
	t.until = t.now.Add(e.After)
}

// send sends the draft: a command is run, a message begins a turn.
func (m *Model) send() tea.Cmd {
	shown := m.composer.Shown()
	switch {
	case strings.TrimSpace(shown) == "":
		return m.complain("There is nothing to send yet.")
	case m.opening.waits:
		return m.complain("The session is still being opened. Your draft is kept.")
	case m.isCommand(shown):
		return m.runCommand(strings.TrimSpace(m.composer.Text()))
	case m.turn.question.waits() && m.turn.busy:
		return m.complain("A tool call waits for your answer: " + m.keys.First(keymap.Focus) + " goes to it. Your draft is kept.")
	case m.turn.busy:
		return m.complain("An answer is still arriving: " + m.keys.First(keymap.Back) + " stops it. Your draft is kept.")
	case len(m.composer.Unread()) > 0:
		return m.complain("A file of the draft is still being read.")
	case m.attachesMore():
		return m.attachMore()
	case m.elsewhere:
		return m.onlyRead()
	}
	if over := m.draftOversize(); over != nil {
		return m.tooLong(over)
	}
	return m.sendAs(session.How{})
}

// sendAs sends the draft, which may be an edit.
func (m *Model) sendAs(how session.How) tea.Cmd {
	id, s := m.editing.message, m.session
	draft := m.takeDraft()
	return m.begin(draft, func(ctx context.Context) <-chan session.Event {
		if id != 0 {
			return s.EditAs(ctx, how, id, draft.Text, draft.Files...)
		}
		return s.SendAs(ctx, how, draft.Text, draft.Files...)
	})
}

// takeDraft takes the draft out of the composer, to be sent. What is typed from now on is the next draft.
func (m *Model) takeDraft() *sentDraft {
	sent := &sentDraft{
		Drafted: m.composer.Drafted(), kept: m.composer.Kept(), writing: m.composer.Writing,
		edit: m.editing, leaf: m.session.Info().Leaf,
	}
	next := m.composer.Own // what was typed before an earlier prompt was recalled
	if m.composer.At == 0 {
		next = composer.New().Writing
	}
	if m.editing.message != 0 {
		next = m.editing.kept
	}
	m.editing, m.chat.Edited = edit{}, 0
	m.composer.Resume(next)
	m.composer.Remember(sent.kept)
	return sent
}

// giveBack puts a draft back that was sent and could not be stored. A draft that was begun meanwhile stays:
// then the arrow keys recall the other.
func (m *Model) giveBack() {
	sent := m.turn.sent
	m.turn.sent = nil
	switch {
	case sent == nil:
	case sent.edit.message != 0:
		m.editing, m.chat.Edited = sent.edit, sent.edit.message
		m.editing.kept = m.composer.Writing
		m.composer.Resume(sent.writing)
	case !m.composer.Empty():
	case sent.writing.Chips == nil:
		m.composer.Restore(sent.kept)
	default:
		m.composer.Resume(sent.writing)
	}
}

// stillArriving says why something has to wait.
func (m *Model) stillArriving() tea.Cmd {
	return m.complain("An answer is still arriving: " + m.keys.First(keymap.Back) + " stops it.")
}

// sendAlone sends a message without the conversation before it.
func (m *Model) sendAlone(text string) tea.Cmd {
	if m.turn.busy {
		return m.stillArriving()
	}
	return m.sendAloneAs(session.How{Alone: true}, text)
}

func (m *Model) sendAloneAs(how session.How, text string) tea.Cmd {
	s := m.session
	draft := &sentDraft{Drafted: composer.Drafted{Text: text}, kept: store.Draft{Text: "/alone " + text}, leaf: s.Info().Leaf}
	return m.begin(draft, func(ctx context.Context) <-chan session.Event { return s.SendAs(ctx, how, text) })
}

// stopTurn stops the running turn; what arrived is kept.
func (m *Model) stopTurn() tea.Cmd {
	m.endQuestion()
	m.turn.stopping = true
	if m.turn.stop != nil {
		m.turn.stop()
	}
	return nil
}

// spinTime is one step of the spinner.
const spinTime = 100 * time.Millisecond

// tick moves the clocks, as long as the turn runs.
func (m *Model) tick(msg tickMsg) tea.Cmd {
	if msg.turn != m.turn.number || !m.turn.busy {
		return nil
	}
	m.turn.clock(msg.at)
	m.turn.spin++
	number := msg.turn
	return tea.Tick(spinTime, func(t time.Time) tea.Msg { return tickMsg{number, t} })
}

// activity is what the turn does now, for the frame of the composer.
func (m *Model) activity() string {
	t := &m.turn
	if !t.busy {
		return ""
	}
	frames := []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	text := frames[t.spin%len(frames)] + " "
	switch {
	case t.stopping:
		text += "stopping"
	case t.question.waits():
		text += "waits for your answer"
	case t.retry != "":
		text += "tries again in " + theme.Duration(max(0, t.until.Sub(t.now)).Truncate(time.Second))
	case t.tool != "":
		text += "calls " + t.tool
	case t.writing:
		text += "answers"
	default:
		text += "asking"
	}
	if !t.began.IsZero() {
		text += " · " + theme.Duration(t.now.Sub(t.began))
	}
	return text
}

// joinTime is how long the pieces of an answer are joined before they change the screen: 30 times a
// second is as often as anybody reads.
const joinTime = 33 * time.Millisecond

// gather waits for the next events of a turn. The pieces of an answer that come within joinTime are
// one; anything else ends the waiting.
func gather(number int, from <-chan session.Event) tea.Msg {
	msg := turnMsg{turn: number, from: from}
	var text, reasoning strings.Builder
	end := func(last ...session.Event) tea.Msg {
		if text.Len()+reasoning.Len() > 0 {
			msg.events = append(msg.events, session.Delta{Text: text.String(), Reasoning: reasoning.String()})
		}
		msg.events = append(msg.events, last...)
		msg.at = time.Now()
		return msg
	}
	var due <-chan time.Time // nil until the first piece came
	for {
		select {
		case <-due:
			return end()
		case e, ok := <-from:
			if !ok {
				msg.over = true
				return end()
			}
			d, piece := e.(session.Delta)
			if !piece {
				return end(e)
			}
			text.WriteString(d.Text)
			reasoning.WriteString(d.Reasoning)
			if due == nil {
				due = time.After(joinTime)
			}
		}
	}
}
