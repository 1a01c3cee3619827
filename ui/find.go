package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// find is a search in the transcript: what is looked for, where it stands, and at which of these places
// the user is.
type find struct {
	theme.Field      // what is looked for, as it is typed
	on          bool // hits are marked
	open        bool // the search line takes the keys
	from        int  // the message that the user was at when the search began
	home        bool // it began in the draft, and goes back there

	searches int // searches so far: an answer to an older one is dropped
	stop     context.CancelFunc
	done     bool // the answer for the text is here
	found    []found
	before   []int // hits in front of each of the found
	total    int
	at       int // the hit that the user is at, from 0
	around   int // which way the user came to it past an end, 0 for neither

	tally  tally
	whole  map[int64]lastWhole // by message, as far as it was asked
	asking bool                // a question about past requests is being answered
}

// found is where a search found its text in one message, or in one of its tool calls.
type found struct {
	message int // its place in the conversation
	call    int // which of its calls; -1 for what it says
	spans   []transcript.Span
}

// findMsg is what a search found.
type findMsg struct {
	search int
	found  []found
	step   bool // the user goes to the hit next to where the search began
}

// openFind opens the search line.
func (m *Model) openFind() tea.Cmd {
	m.find.end()
	m.find.on, m.find.open, m.find.from = true, true, m.readFrom()
	m.toast.text = "" // it stood where the search line stands
	return nil
}

// search looks for a text, as the search line does when it is closed.
func (m *Model) search(text string) tea.Cmd {
	home := m.focus == draftPane || m.find.home
	m.setFocus(transcriptPane)
	m.find.end()
	m.find.on, m.find.home, m.find.from = true, home, m.readFrom()
	return m.lookFor(text)
}

// readFrom is the message that the user is at: the one under the cursor, else the first on the screen.
func (m *Model) readFrom() int {
	if message, ok := m.chat.selected(); ok {
		return m.chat.place[message.ID]
	}
	if id, _, ok := m.chat.list.At(0); ok {
		return m.chat.place[id]
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
	m.toast.text = ""
	needle := transcript.NewNeedle(m.find.Text)
	m.chat.list.Mark(needle)
	return m.seekText(needle, true)
}

// findAgain looks for the text in a conversation that has grown.
func (m *Model) findAgain() tea.Cmd {
	if !m.find.on {
		return nil
	}
	m.find.whole = nil // A request may have seen more since.
	return m.seekText(transcript.NewNeedle(m.find.Text), false)
}

// findAnew looks for the text in a conversation whose places have changed.
func (m *Model) findAnew() tea.Cmd {
	if !m.find.on {
		return nil
	}
	m.find.forget()
	m.find.from = m.readFrom()
	return m.seekTyped()
}

// forget leaves nothing found. An answer that is on its way is dropped.
func (f *find) forget() {
	f.searches++
	f.found, f.before, f.total, f.at, f.done, f.tally = nil, nil, 0, 0, false, tally{}
}

// end forgets the search.
func (f *find) end() {
	if f.stop != nil {
		f.stop()
	}
	*f = find{searches: f.searches + 1}
}

// endFind ends the search and takes its marks away.
func (m *Model) endFind() {
	home := m.find.home
	m.find.end()
	m.chat.list.Mark(transcript.Needle{})
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
	case k.Pressed(msg, keymap.Choose) && f.done && f.total == 0:
		return m.say("This is nowhere in the conversation; " + k.First(keymap.Back) + " ends the search.")
	case k.Pressed(msg, keymap.Choose):
		f.open = false
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
	if f.stop != nil {
		f.stop()
	}
	if needle.Empty() {
		f.forget()
		f.done = true
		return nil
	}
	f.searches++
	f.done = false
	ctx, stop := m.within()
	f.stop = stop
	n, messages := f.searches, m.chat.messages
	return func() tea.Msg {
		defer stop()
		return findMsg{n, findIn(ctx, messages, needle), step}
	}
}

// findIn looks for a needle in what is said and called, not in what a model thought.
func findIn(ctx context.Context, messages []store.Message, needle transcript.Needle) []found {
	finder := needle.Finder()
	var list []found
	add := func(at, call int, text string) {
		if spans := finder.In(text); len(spans) > 0 {
			list = append(list, found{at, call, spans})
		}
	}
	for i, message := range messages {
		if ctx.Err() != nil {
			return nil
		}
		if callsOnly(message) {
			add(i, 0, callText(message.ToolCalls))
			continue
		}
		add(i, -1, message.Content)
		for k := range message.ToolCalls {
			add(i, k, callText(message.ToolCalls[k:k+1]))
		}
	}
	return list
}

// foundSome takes what a search found.
func (m *Model) foundSome(msg findMsg) tea.Cmd {
	f := &m.find
	if msg.search != f.searches || !f.on {
		return nil
	}
	was, ok := f.hit()
	f.found, f.before, f.total, f.done = msg.found, f.before[:0], 0, true
	for _, x := range f.found {
		f.before = append(f.before, f.total)
		f.total += len(x.spans)
	}
	f.judge(&m.chat)
	switch {
	case f.total == 0:
		f.at = 0
		return nil
	case msg.step || !ok:
		f.around = 0
		f.at = f.nearest(f.from)
		return m.showHit()
	}
	f.at = f.nearest(was.message)
	return nil
}
