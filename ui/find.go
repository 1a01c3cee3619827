package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// openFind opens the search line.
func (m *Model) openFind() tea.Cmd {
	m.find.End()
	m.find.On, m.find.Open, m.find.From = true, true, m.readFrom()
	m.notice.Hush() // it stood where the search line stands
	return nil
}

// search looks for a text, as the search line does when it is closed.
func (m *Model) search(text string) tea.Cmd {
	home := m.focus == draftPane || m.find.Home
	m.setFocus(transcriptPane)
	m.find.End()
	m.find.On, m.find.Home, m.find.From = true, home, m.readFrom()
	return m.lookFor(text)
}

// readFrom is the message that the user is at: the one under the cursor, else the first on the screen.
func (m *Model) readFrom() int {
	if message, ok := m.chat.Selected(); ok {
		return m.chat.Place[message.ID]
	}
	if id, _, ok := m.chat.List.At(0); ok {
		return m.chat.Place[id]
	}
	return 0
}

// lookFor puts a text into the search line and looks for it.
func (m *Model) lookFor(text string) tea.Cmd {
	m.find.Field = theme.Field{Text: text, At: len(text)}
	return m.seekTyped()
}

// seekTyped marks what the search line holds at once and counts it in a command.
func (m *Model) seekTyped() tea.Cmd {
	m.notice.Hush()
	needle := transcript.NewNeedle(m.find.Text)
	m.chat.List.Mark(needle)
	return m.seekText(needle, true)
}

// findAgain looks for the text in a conversation that has grown.
func (m *Model) findAgain() tea.Cmd {
	if !m.find.On {
		return nil
	}
	m.find.Whole = nil // A request may have seen more since.
	return m.seekText(transcript.NewNeedle(m.find.Text), false)
}

// findAnew looks for the text in a conversation whose places have changed.
func (m *Model) findAnew() tea.Cmd {
	if !m.find.On {
		return nil
	}
	m.find.Forget()
	m.find.From = m.readFrom()
	return m.seekTyped()
}

// endFind ends the search and takes its marks away.
func (m *Model) endFind() {
	home := m.find.Home
	m.find.End()
	m.chat.List.Mark(transcript.Needle{})
	if home {
		m.setFocus(draftPane)
	}
}

// findKey is a key while the search line is open.
func (m *Model) findKey(msg tea.KeyPressMsg) tea.Cmd {
	k, f := &m.keys, &m.find
	switch {
	case k.Pressed(msg, keymap.Back):
		m.endFind()
	case k.Pressed(msg, keymap.Choose) && f.Text == "":
		m.endFind()
	case k.Pressed(msg, keymap.Choose) && f.Done && f.Total == 0:
		return m.say("This is nowhere in the conversation; " + k.First(keymap.Back) + " ends the search.")
	case k.Pressed(msg, keymap.Choose):
		f.Open = false
	case k.Pressed(msg, keymap.ListUp):
		return m.nextHit(-1)
	case k.Pressed(msg, keymap.ListDown):
		return m.nextHit(1)
	case k.Pressed(msg, keymap.Help), k.Pressed(msg, keymap.Ask) && f.Text == "":
		return m.openHelp()
	case msg.Code == tea.KeyBackspace && f.Text == "":
		m.endFind()
	default:
		return m.findTyped(msg)
	}
	return nil
}

// findTyped is a key for the search line.
func (m *Model) findTyped(msg tea.KeyPressMsg) tea.Cmd {
	k, f := &m.keys, &m.find
	before := f.Text
	switch {
	case !f.Typed(msg):
		return m.noKey(msg, k.First(keymap.Choose)+" keeps the hits, "+k.First(keymap.Back)+" ends the search.")
	case f.Text == before:
		return nil
	}
	return m.seekTyped()
}

// seekText looks for a needle in all messages.
func (m *Model) seekText(needle transcript.Needle, step bool) tea.Cmd {
	f := &m.find
	if f.Stop != nil {
		f.Stop()
	}
	if needle.Empty() {
		f.Forget()
		f.Done = true
		return nil
	}
	f.Searches++
	f.Done = false
	ctx, stop := m.newContext()
	f.Stop = stop
	n, messages := f.Searches, m.chat.Messages
	return func() tea.Msg {
		defer stop()
		return transcript.FindMsg{Search: n, Found: transcript.FindIn(ctx, messages, needle), Step: step}
	}
}

// foundSome takes what a search found.
func (m *Model) foundSome(msg transcript.FindMsg) tea.Cmd {
	f := &m.find
	if msg.Search != f.Searches || !f.On {
		return nil
	}
	was, ok := f.Hit()
	f.Found, f.Before, f.Total, f.Done = msg.Found, f.Before[:0], 0, true
	for _, x := range f.Found {
		f.Before = append(f.Before, f.Total)
		f.Total += len(x.Spans)
	}
	f.Judge(&m.chat)
	switch {
	case f.Total == 0:
		f.At = 0
		return nil
	case msg.Step || !ok:
		f.Around = 0
		f.At = f.Nearest(f.From)
		return m.showHit()
	}
	f.At = f.Nearest(was.Message)
	return nil
}

// nextHit goes to the next hit or the one before. Behind the last one comes the first.
func (m *Model) nextHit(by int) tea.Cmd {
	f := &m.find
	switch {
	case !f.On:
		return m.say("Nothing is looked for: " + m.keys.First(keymap.Find) + " begins a search.")
	case f.Total == 0 && f.Done:
		return m.say("This is nowhere in the conversation.")
	case f.Total == 0:
		return nil
	}
	to := f.At + by
	f.At = (to + f.Total) % f.Total
	if f.Around = 0; f.At != to {
		f.Around = by
	}
	m.notice.Hush() // it stood where the search line stands
	return m.showHit()
}

// showHit brings the user's hit on the screen and asks what is not known of it.
func (m *Model) showHit() tea.Cmd {
	x, ok := m.find.Hit()
	if !ok || x.Message >= len(m.chat.Messages) {
		return nil
	}
	m.chat.List.GoToHit(m.chat.ItemOf(x), x.Spans[0])
	m.lead()
	return m.askWhole()
}

// wholeMsg says when the model saw a message whole for the last time.
type wholeMsg struct {
	session *session.Session
	message int64
	last    transcript.LastWhole
	err     error
}

// askWhole asks when the model saw the message of the user's hit whole, where it does not see the hit
// now. One question is asked at a time: what the user has left meanwhile needs no answer.
func (m *Model) askWhole() tea.Cmd {
	f := &m.find
	x, ok := f.Hit()
	if !ok || f.Asking || x.Message >= len(m.chat.Messages) {
		return nil
	}
	id := m.chat.Messages[x.Message].ID
	if s, _ := m.chat.Sees(x); s != transcript.CutAway && s != transcript.LeftOut {
		return nil
	}
	if _, known := f.Whole[id]; known {
		return nil
	}
	f.Asking = true
	s := m.session
	return m.inBackground(func(ctx context.Context) tea.Msg {
		seen, err := s.LastWhole(ctx, id)
		at, ok := seen[id]
		return wholeMsg{s, id, transcript.LastWhole{Turn: at.Turn, Never: !ok}, err}
	})
}

// wholeKnown takes the answer, and asks again where the user has gone on.
func (m *Model) wholeKnown(msg wholeMsg) tea.Cmd {
	f := &m.find
	if msg.session != m.session {
		return nil
	}
	f.Asking = false
	if msg.err != nil {
		if errors.Is(msg.err, context.Canceled) {
			return nil
		}
		return m.complain(theme.Sentence(msg.err))
	}
	if f.Whole == nil {
		f.Whole = map[int64]transcript.LastWhole{}
	}
	f.Whole[msg.message] = msg.last
	return m.askWhole()
}

// findTitle counts the hits, for the frame of the transcript.
func (m *Model) findTitle() string {
	f := &m.find
	switch {
	case !f.On || f.Text == "" || !f.Done && f.Total == 0:
		return ""
	case f.Total == 0:
		return "no hits"
	case !m.panel.Shown().Ready:
		return theme.Plural(f.Total, "hit")
	}
	return theme.Plural(f.Total, "hit") + ": " + f.Tally.Text()
}

// hitText says where the user's hit is and what the model sees of it.
func (m *Model) hitText() string {
	f := &m.find
	x, ok := f.Hit()
	switch {
	case f.Text == "":
		return "type what to look for"
	case !f.Done && f.Total == 0:
		return "looking …"
	case !ok || x.Message >= len(m.chat.Messages):
		return "nowhere in this conversation"
	}
	text := "hit " + theme.Thousands(f.At+1) + " of " + theme.Thousands(f.Total)
	switch {
	case f.Total == 1 && f.Around != 0:
		text = "the only hit"
	case f.Around > 0:
		text += ", from the top"
	case f.Around < 0:
		text += ", from the end"
	}
	s, e := m.chat.Sees(x)
	switch s {
	case transcript.InContext:
		return text + " · ● in context"
	case transcript.CutAway:
		text += " · ✂ cut: this place is not sent"
	case transcript.LeftOut:
		text += " · ○ out: " + string(e.Disposition)
	default:
		return text + " · ? this request does not know the message"
	}
	last, ok := f.Whole[m.chat.Messages[x.Message].ID]
	switch {
	case !ok:
		return text
	case last.Never:
		return text + " · never whole"
	}
	return text + " · last whole in turn " + theme.Thousands(last.Turn) + " (" + answersAgo(m.info.Turns-last.Turn) + ")"
}

// answersAgo is how many answers lie behind a turn.
func answersAgo(n int) string {
	if n <= 0 {
		return "the last answer"
	}
	return theme.Plural(n, "answer") + " ago"
}

// findLine is the search line: what is looked for, then the hit that the user is at. The cursor stands
// at column x.
func (m *Model) findLine(w int) (line string, x int) {
	st, f := m.styles, &m.find
	text, x := f.View(max(1, w/2) + 1) // the cursor stands behind the text
	status := m.hitText()
	if f.Open && m.notice.Sentence() != "" {
		status = markdown.OneLine(m.notice.Sentence(), w)
	}
	hint := ""
	if !f.Open && f.Total > 0 {
		hint = m.keys.First(keymap.NextHit) + " " + m.keys.First(keymap.PrevHit) + " go on · " + m.keys.First(keymap.Back) + " ends "
	}
	left := " / "
	if f.Open {
		left = " " + st.Accent.Render("/") + " "
	}
	x = min(3+x, max(0, w-1))
	line = left + text + st.Dim.Render("  ") + st.Strong.Render(status)
	if theme.Width(line)+2+theme.Width(hint) > w {
		return theme.Fit(line, w), x
	}
	return theme.Spread(line, st.Dim.Render(hint), w), x
}
