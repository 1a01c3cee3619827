package ui

import (
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// inspector shows one message of the request on show, or that request as a whole, from several sides.
// It fills the screen between header and footer.
type inspectorState struct {
	on      subject
	aspect  aspect
	shown   inspector.Content // nil until it is read
	open    func() tea.Cmd
	reads   string          // what is being read, "" for nothing
	reading int             // numbers what is read: what comes late is dropped
	opener  *inspectorState // the list that this was opened from, nil for none
	then    aspect          // what is shown of the request that is being looked for, "" for the same

	collapsed map[string]bool // the sections of the request that are collapsed

	w, h int
}

// aspect is a side from which a subject is shown: its name in the title.
type aspect string

// The aspects.
const (
	asText    aspect = "text"
	asSent    aspect = "sent"
	asRepair  aspect = "repair"
	asPast    aspect = "past"
	asJSON    aspect = "json"
	asChanges aspect = "changes"
)

// aspects are the sides that the subject has.
func (m *Model) aspects() []aspect {
	on := m.inspector.on
	switch {
	case on.request:
		return []aspect{asText, asJSON, asChanges}
	case on.added > 0:
		return []aspect{asText, asSent}
	}
	list := []aspect{asText, asSent}
	if e, ok := entryOf(m.panel.Shown().Plan, on.message); ok && len(e.Repairs) > 0 {
		list = append(list, asRepair)
	}
	return append(list, asPast)
}

// inspect opens the inspector.
func (m *Model) inspect(on subject, at aspect) tea.Cmd {
	if !m.overlays.onTop(inspectorOverlay{}) {
		m.inspector = inspectorState{reading: m.inspector.reading, collapsed: map[string]bool{}}
		m.overlays.open(inspectorOverlay{})
	}
	m.inspector.on = on
	return m.look(at)
}

// inspectFrom opens a message from a list in the inspector; closing it goes back to the list.
func (m *Model) inspectFrom(on subject) tea.Cmd {
	list := m.inspector
	m.inspector.opener = &list
	return m.inspect(on, asText)
}

// inspectLine opens the inspector on the panel's line.
func (m *Model) inspectLine() tea.Cmd {
	on, ok := subjectAt(m.panel.Shown(), m.panel.At)
	if !ok {
		return m.say("There is nothing to open yet: the plan appears with the first message.")
	}
	return m.inspect(on, asText)
}

// inspectRequest opens the inspector on the whole request.
func (m *Model) inspectRequest() tea.Cmd {
	if r := m.panel.Shown(); !r.Ready {
		return m.say(r.WhyNone())
	}
	return m.inspect(subject{request: true}, asText)
}

// closeInspector goes back to the list that it was opened from, or to what it lay over.
func (m *Model) closeInspector() tea.Cmd {
	if list := m.inspector.opener; list != nil {
		list.reading = m.inspector.reading
		m.inspector = *list
		return m.lookAgain()
	}
	m.forgetInspected()
	m.uncover()
	return nil
}

// forgetInspected lets go of what was inspected. What is still being read comes too late.
func (m *Model) forgetInspected() { m.inspector = inspectorState{reading: m.inspector.reading + 1} }

// look shows an aspect of the subject, from its beginning.
func (m *Model) look(at aspect) tea.Cmd {
	m.inspector.shown = nil
	return m.read(at)
}

// lookAgain shows the same once more, after the request on show has changed. What is read anew comes in
// the place of what stands there.
func (m *Model) lookAgain() tea.Cmd {
	in := &m.inspector
	if !m.overlays.has(inspectorOverlay{}) {
		return nil
	}
	if in.on.added > len(m.panel.Shown().Rows.Added) {
		in.on = subject{request: true}
	}
	if !slices.Contains(m.aspects(), in.aspect) {
		in.then = asText
	}
	if in.then != "" {
		return m.look(in.then)
	}
	return m.read(in.aspect)
}

// read makes what an aspect shows, or begins to read it.
func (m *Model) read(at aspect) tea.Cmd {
	in := &m.inspector
	if list := m.aspects(); !slices.Contains(list, at) {
		at = list[0]
	}
	in.aspect, in.open, in.reads, in.then = at, nil, "", ""
	in.reading++
	switch at {
	case asSent:
		return m.putPage(m.sentPage())
	case asRepair:
		m.put(m.repairDrawing())
	case asPast:
		return m.readSightings(in.on.message, mostSightings)
	case asJSON:
		return m.readJSON()
	case asChanges:
		return m.readChanges()
	default:
		if in.on.request {
			m.put(m.requestOutline(m.panel.Shown()))
			return nil
		}
		return m.putPage(m.textPage(), -1)
	}
	return nil
}

// put gives the inspector what it shows, at the place where it was.
func (m *Model) put(c inspector.Content) {
	in := &m.inspector
	before := in.shown
	in.shown, in.reads = c, ""
	m.fitInspector()
	if before != nil {
		c.GoTo(before.Place())
	}
}

// fitInspector tells what is shown its size.
func (m *Model) fitInspector() {
	b := m.layout.Full
	in := b.Within(framedOverlay(b))
	m.inspector.w, m.inspector.h = in.W, in.H
	if m.inspector.shown != nil {
		m.inspector.shown.Resize(in.W, in.H)
	}
}

// turnAspect goes to the next side.
func (m *Model) turnAspect(by int) tea.Cmd {
	list := m.aspects()
	at := slices.Index(list, m.inspector.aspect) + by
	return m.look(list[(at+len(list))%len(list)])
}

// storedMessage is a message as it is stored.
func (m *Model) storedMessage(id int64) (store.Message, bool) {
	if past := m.panel.Shown().Past; past != nil {
		for i := len(past.Messages) - 1; i >= 0; i-- {
			if past.Messages[i].ID == id {
				return past.Messages[i], true
			}
		}
	}
	if i, ok := m.chat.Place[id]; ok && i < len(m.chat.Messages) {
		return m.chat.Messages[i], true
	}
	return store.Message{}, false
}

// inspectorTitle names the subject and its sides; the one on show is in brackets.
func (m *Model) inspectorTitle() string {
	in := &m.inspector
	var names []string
	for _, a := range m.aspects() {
		if a == in.aspect {
			names = append(names, "["+string(a)+"]")
			continue
		}
		names = append(names, string(a))
	}
	return m.subjectName(in.on) + " · " + strings.Join(names, " ")
}

// inspectorLines are what it shows, or what is still being read.
func (m *Model) inspectorLines() []string {
	in := &m.inspector
	switch {
	case in.shown != nil:
		return in.shown.View(m.styles)
	case in.reads != "":
		return theme.Indented(m.styles.Dim, in.reads+" …", in.w)
	}
	return nil
}

// inspectorPosition says which request the subject is looked at in, and how far down the screen is.
func (m *Model) inspectorPosition() string {
	in, right := &m.inspector, ""
	if !in.on.request {
		right = m.panel.Name(m.panel.Shown())
	}
	if in.shown != nil {
		right = strings.Trim(right+" · "+in.shown.Position(), " ·")
	}
	return right
}

// inspectorKey is a key while the inspector is open.
func (m *Model) inspectorKey(msg tea.KeyPressMsg) tea.Cmd {
	k := &m.keys
	switch {
	case k.Pressed(msg, keymap.Back):
		return m.closeInspector()
	case k.Pressed(msg, keymap.NextView):
		return m.turnAspect(1)
	case k.Pressed(msg, keymap.PrevView):
		return m.turnAspect(-1)
	case k.Pressed(msg, keymap.Next):
		return m.stepSubject(1)
	case k.Pressed(msg, keymap.Prev):
		return m.stepSubject(-1)
	case k.Pressed(msg, keymap.Request):
		return m.inspectRequest()
	case k.Pressed(msg, keymap.Earlier, keymap.Later, keymap.Compare):
		return m.updatePanel(msg)
	case k.Pressed(msg, keymap.Pin):
		return m.flagSubject(history.Pin)
	case k.Pressed(msg, keymap.Exclude):
		return m.flagSubject(history.Exclude)
	case k.Pressed(msg, keymap.Auto):
		return m.flagSubject("")
	case k.Pressed(msg, keymap.TakeBack):
		return m.undo()
	}
	if m.inspector.shown == nil {
		return m.say("This is still being read; " + k.First(keymap.Back) + " closes it.")
	}
	return m.pageKey(msg)
}

// pageKey is a key for what the inspector shows.
func (m *Model) pageKey(msg tea.KeyPressMsg) tea.Cmd {
	k, in := &m.keys, &m.inspector
	o, sections := in.shown.(*inspector.Outline)
	switch {
	case sections && k.Pressed(msg, keymap.Fold):
		o.Toggle()
	case sections && k.Pressed(msg, keymap.FoldAll):
		o.ToggleAll()
	case k.Scrolled(msg, in.shown, in.h):
	case k.Pressed(msg, keymap.Inspect) && in.open != nil:
		return in.open()
	case k.Pressed(msg, keymap.Copy):
		return m.copyView()
	default:
		return m.noKey(msg, k.First(keymap.NextView)+" shows the next view, "+k.First(keymap.Back)+" closes this.")
	}
	return m.readOn()
}

// readOn reads more of a list whose end has been reached.
func (m *Model) readOn() tea.Cmd {
	l, ok := m.inspector.shown.(*inspector.List)
	if !ok || l.End == nil || l.At < l.N-1 {
		return nil
	}
	end := l.End
	l.End = nil
	return end()
}

// flagSubject decides by hand about the message that is inspected.
func (m *Model) flagSubject(f history.Flag) tea.Cmd {
	on := m.inspector.on
	switch {
	case on.request:
		return m.say("This is the whole request; a single message can be pinned or excluded.")
	case on.added > 0:
		return m.say("Nobody said this text: it comes and goes with the messages around it.")
	}
	return m.flagThese(f, on.message)
}

// copyView copies what the view shows: of a message's text all that is stored.
func (m *Model) copyView() tea.Cmd {
	in := &m.inspector
	text := in.shown.Text()
	if stored, ok := m.storedMessage(in.on.message); ok && in.aspect == asText && stored.Content != "" {
		text = stored.Content
	}
	if text == "" {
		return m.complain("There is no text to copy.")
	}
	return m.copyText(theme.Plural(utf8.RuneCountInString(text), "character"), text)
}

// subject is what is inspected: a message, an added text, or the request.
type subject struct {
	message int64 // its id
	added   int   // the number of an added text among those of the request, from 1
	request bool
	from    *panel.Request // an earlier request that this one is compared with, nil for the one before
}

// subject is what a line of the request's list is about.
func subjectAt(r *panel.Request, line int) (subject, bool) {
	switch on := r.Rows.Row(line); {
	case on.Entry != nil:
		return subject{message: on.Entry.ID}, true
	case on.Added != nil:
		k, _ := slices.BinarySearch(r.Rows.At, line)
		return subject{added: k + 1}, true
	}
	return subject{}, false
}

// line is where a subject stands in the request's list, -1 where it does not.
func lineOfSubject(r *panel.Request, on subject) int {
	switch {
	case on.added > 0 && on.added <= len(r.Rows.At):
		return r.Rows.At[on.added-1]
	case on.message != 0:
		for i := len(r.Rows.Entries) - 1; i >= 0; i-- {
			if r.Rows.Entries[i].ID == on.message {
				return r.Rows.Line(i)
			}
		}
	}
	return -1
}

// stepSubject goes to the next line of the request's list. The cursors of panel and transcript go along.
func (m *Model) stepSubject(by int) tea.Cmd {
	r, in := m.panel.Shown(), &m.inspector
	line := lineOfSubject(r, in.on)
	on, ok := subjectAt(r, line+by)
	switch {
	case in.on.request && in.aspect == asText:
		return m.stepSection(by)
	case in.on.request:
		return m.say("This is the whole request; " + m.keys.First(keymap.Inspect) + " on a line of the panel shows one message.")
	case line < 0:
		return m.say("This request has no such message.")
	case !ok && by < 0:
		return m.say("This is the first message.")
	case !ok:
		return m.say("This is the last message.")
	}
	m.panel.Move(line + by - m.panel.At)
	m.follow()
	in.on = on
	return m.look(in.aspect)
}

// stepSection selects the next message of the whole request.
func (m *Model) stepSection(by int) tea.Cmd {
	o, ok := m.inspector.shown.(*inspector.Outline)
	switch {
	case ok && o.Step(by):
		return nil
	case by < 0:
		return m.say("This is the first message.")
	}
	return m.say("This is the last message.")
}

// subjectName is what the subject is called in the title.
func (m *Model) subjectName(on subject) string {
	r := m.panel.Shown()
	switch {
	case on.request && on.from != nil:
		before, after := on.from, r
		if after.Before(before) {
			before, after = after, before
		}
		return m.panel.Name(before) + " to " + m.panel.Name(after)
	case on.request:
		return m.panel.Name(r)
	case on.added > 0:
		return "added · " + string(r.Rows.Added[on.added-1].Kind)
	}
	if e, ok := entryOf(r.Plan, on.message); ok {
		return "message " + theme.Thousands(e.Index+1) + " · " + theme.Speaker(e.Role)
	}
	stored, _ := m.storedMessage(on.message)
	return "message · " + theme.Speaker(stored.Role)
}
