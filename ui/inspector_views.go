package ui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// changesMsg is what is otherwise in one request than in another.
type changesMsg struct {
	reading int
	before  *session.Recorded // nil where there is none before
	err     error
}

// readChanges compares the request on show with the one before it, or with the one that was marked.
func (m *Model) readChanges() tea.Cmd {
	in, r := &m.inspector, m.panel.Shown()
	if from := in.on.from; from != nil {
		if !from.Before(r) && !r.Before(from) {
			m.noChanges("This is " + m.panel.Name(r) + " itself: " + m.keys.First(keymap.Earlier) + " and " + m.keys.First(keymap.Later) + " go on to a request to compare it with.")
			return nil
		}
		before, after := from, r
		if after.Before(before) {
			before, after = after, before
		}
		m.showChanges(side{m.panel.Name(before), before.Plan}, side{m.panel.Name(after), after.Plan})
		return nil
	}
	in.reads = "reading the request before"
	turn, nth := m.info.Turns+1, 1
	if r.Past != nil {
		turn, nth = r.Past.Request.Turn, r.Past.Nth
	}
	reading, s := in.reading, m.session
	return m.inBackground(func(ctx context.Context) tea.Msg {
		before, err := neighbour(ctx, s, turn, nth, -1)
		return changesMsg{reading, before, err}
	})
}

// changesRead shows them.
func (m *Model) changesRead(msg changesMsg) tea.Cmd {
	in := &m.inspector
	switch {
	case msg.reading != in.reading:
		return nil
	case msg.err != nil:
		in.reads = ""
		return m.complain(theme.Sentence(msg.err))
	case msg.before == nil:
		m.noChanges("Nothing was sent before this request: there is nothing to compare it with.")
		return nil
	}
	v := msg.before.Verdicts
	r := m.panel.Shown()
	m.showChanges(side{panel.TurnName(*msg.before), history.Plan{Entries: v.Entries, Added: v.Added, Sum: v.Sum}}, side{m.panel.Name(r), r.Plan})
	return nil
}

// noChanges says why there is no list of changes.
func (m *Model) noChanges(why string) {
	m.put(&inspector.List{None: why, About: func(int) string { return "" }})
	m.inspector.open = nil
}

// side is one of two requests that are compared.
type side struct {
	name string
	history.Plan
}

// showChanges lists what is otherwise in the second request than in the first.
func (m *Model) showChanges(before, after side) {
	list := history.Compare(before.Entries, after.Entries)
	l := &inspector.List{
		N: len(list),
		Line: func(st theme.Styles, i, w int, chosen bool) string {
			return changeLine(st, list[i], before.Sum, after.Sum, w, chosen)
		},
		About: func(i int) string { return list[i].Reason() },
		None:  "Nothing changed: every message is sent as it was.",
	}
	l.Head.Line(inspector.Title, "from %s to %s", before.name, after.name)
	l.Head.Line(inspector.Quiet, "~%s to ~%s tokens · %s to %s of %s messages · %s", theme.Thousands(before.Sum.Tokens(before.Sum.Total)), theme.Thousands(after.Sum.Tokens(after.Sum.Total)),
		theme.Thousands(sentOf(before.Plan)), theme.Thousands(sentOf(after.Plan)), theme.Thousands(len(after.Entries)), theme.Plural(len(list), "change"))
	m.put(l)
	m.inspector.open = func() tea.Cmd {
		if l.N == 0 {
			return m.say(l.None)
		}
		return m.inspectFrom(subject{message: list[l.At].Entry().ID})
	}
}

// sentOf counts the messages that a request holds.
func sentOf(p history.Plan) int { return session.CountsOf(p.Entries, nil, nil).Sent() }

// changeLine is one change: its kind, the message, and its tokens before and after.
func changeLine(st theme.Styles, c history.Change, before, after history.Sum, w int, chosen bool) string {
	e := c.Entry()
	left := fmt.Sprintf(" %-9s  %s %s", c.Kind, theme.Thousands(e.Index+1), theme.Speaker(e.Role))
	if is := theme.Word(c.After); is != "" {
		left += "  " + is
	}
	right := theme.Thousands(before.Tokens(c.Before.TokensAfter)) + " → " + theme.Thousands(after.Tokens(c.After.TokensAfter)) + " "
	g := " "
	if c.After.Disposition != "" {
		g = theme.Glyph(c.After)
	}
	return st.VerdictLine(g, left, "", right, w, chosen)
}

// bodyMsg is the body of a request, laid out for reading.
type bodyMsg struct {
	reading int
	text    string
	bytes   int // of the body as it is sent
	secrets int // taken out of the text
	err     error
}

// readJSON reads the bytes of the request on show.
func (m *Model) readJSON() tea.Cmd {
	m.inspector.reads = "encoding the request"
	reading, body, secrets := m.inspector.reading, m.body(), m.secrets
	return func() tea.Msg {
		raw, err := body()
		if err != nil {
			return bodyMsg{reading: reading, err: err}
		}
		text, hidden := inspector.LegibleJSON(raw, secrets)
		return bodyMsg{reading: reading, text: text, bytes: len(raw), secrets: hidden}
	}
}

// body gives the bytes of the request on show.
func (m *Model) body() func() ([]byte, error) {
	r, s := m.panel.Shown(), m.session
	if past := r.Past; past != nil {
		return func() ([]byte, error) { return past.Body, nil }
	}
	plan := r.Plan
	return func() ([]byte, error) { return s.Body(plan) }
}

// bodyRead shows the body, with what the proof says of it.
func (m *Model) bodyRead(msg bodyMsg) tea.Cmd {
	in := &m.inspector
	if msg.reading != in.reading {
		return nil
	}
	if msg.err != nil {
		in.reads = ""
		return m.complain(theme.Sentence(msg.err))
	}
	r := m.panel.Shown()
	var p inspector.Page
	switch {
	case r.Past == nil && r.Note != "":
		p.Line(inspector.Warning, "! It would not be sent: %s", theme.OneSentence(r.Note))
	case r.Past == nil && m.turn.Busy:
		p.Line(inspector.Quiet, "The body of the request that is being answered: %s, laid out for reading.", theme.Plural(msg.bytes, "byte"))
	case r.Past == nil:
		p.Line(inspector.Quiet, "The body of the request as it would be sent now: %s, laid out for reading.", theme.Plural(msg.bytes, "byte"))
	case r.Past.Proven:
		p.Line(inspector.Quiet, "✓ proven: these %s have the hash of what was sent. They are laid out for reading.", theme.Plural(msg.bytes, "byte"))
	default:
		p.Line(inspector.Warning, "! not proven to be what was sent: %s", theme.OneSentence(r.Past.Doubt))
	}
	if msg.secrets > 0 {
		p.Line(inspector.Warning, "! %s taken out of this view; the request holds what was written.", theme.PluralOf(msg.secrets, "secret is", "secrets are"))
	}
	p.Add(inspector.Quiet, "\n")
	p.Block(inspector.Said, msg.text)
	m.put(inspector.NewPager(p))
	return nil
}

// mostSightings is how many verdicts of the past are read at first; the end of the list reads as many
// again.
const mostSightings = 100

// sightingsMsg is what became of a message in past requests.
type sightingsMsg struct {
	reading int
	list    []session.Sighting
	most    int // so many were asked for
	err     error
}

// readSightings reads what became of a message in past requests.
func (m *Model) readSightings(message int64, most int) tea.Cmd {
	m.inspector.reads = "reading past requests"
	reading, s := m.inspector.reading, m.session
	return m.inBackground(func(ctx context.Context) tea.Msg {
		list, err := s.Sightings(ctx, message, most)
		return sightingsMsg{reading, list, most, err}
	})
}

// sighted lists the verdicts of the past, the newest first.
func (m *Model) sighted(msg sightingsMsg) tea.Cmd {
	in := &m.inspector
	if msg.reading != in.reading {
		return nil
	}
	if msg.err != nil {
		in.reads = ""
		return m.complain(theme.Sentence(msg.err))
	}
	list := msg.list
	l := &inspector.List{
		N:     len(list),
		Line:  func(st theme.Styles, i, w int, chosen bool) string { return sightingLine(st, list[i], w, chosen) },
		About: func(i int) string { return theme.Glyph(list[i].Entry) + " " + list[i].Entry.Cause.Sentence() },
		None:  "No request of the past had this message.",
	}
	if len(list) == msg.most {
		l.End = func() tea.Cmd { return m.readSightings(in.on.message, 4*msg.most) }
	}
	m.put(l)
	in.open = func() tea.Cmd {
		if l.N == 0 {
			return m.say(l.None)
		}
		seen := list[l.At]
		in.then = asText
		return m.updatePanel(panel.Load{Turn: seen.Turn, Request: seen.Request})
	}
	return nil
}

// sightingLine is one verdict of the past.
func sightingLine(st theme.Styles, s session.Sighting, w int, chosen bool) string {
	turn := fmt.Sprintf("turn %s", theme.Thousands(s.Turn))
	if s.Of > 1 {
		turn += fmt.Sprintf(", %d of %d", s.Nth, s.Of)
	}
	verdict := theme.Word(s.Entry)
	if verdict == "" {
		verdict = "whole"
	}
	left := fmt.Sprintf(" %-16s %s  %s", turn, s.At.Local().Format(time.DateTime), verdict)
	right := markdown.OneLine(s.Model, max(1, w/4)) + fmt.Sprintf(" %7s ", theme.Thousands(s.Sum.Tokens(s.Entry.TokensAfter)))
	return st.VerdictLine(theme.Glyph(s.Entry), left, "", right, w, chosen)
}

// repairDrawing shows what was mended of the message: what was wrong, and the original against what is
// sent.
func (m *Model) repairDrawing() *inspector.Drawing {
	e, _ := entryOf(m.panel.Shown().Plan, m.inspector.on.message)
	var said strings.Builder
	repairs, hidden := make([]history.Repair, len(e.Repairs)), 0
	for i, r := range e.Repairs {
		r, n := withoutSecrets(m.secrets, r)
		repairs[i] = r
		hidden += n
		said.WriteString(r.Kind + " " + r.What + "\noriginal:\n" + r.Before + "\nsent instead:\n" + r.After + "\n")
	}
	head := ""
	for _, part := range m.hiddenLine(hidden) {
		head += strings.TrimSpace(part.Text)
	}
	return &inspector.Drawing{Said: said.String(), Draw: func(st theme.Styles, w int) []string {
		var lines []string
		if head != "" {
			lines = theme.Indented(st.Warn, head, w)
		}
		lines = append(lines, theme.Indented(st.Dim, "What is stored is never changed. This is what is sent instead, and why.", w)...)
		for _, r := range repairs {
			lines = append(lines, "")
			lines = append(lines, theme.Indented(st.Warn, "⚠ "+r.Kind+" "+markdown.Visible(r.What), w)...)
			if both := inspector.DiffOf(r); !both.Blank() {
				lines = append(lines, both.View(st, w)...)
			}
		}
		return lines
	}}
}

// requestOutline is the whole request as it is sent, without its secrets: every message with its role and
// number.
func (m *Model) requestOutline(r *panel.Request) *inspector.Outline {
	in := &m.inspector
	head, hidden := inspector.Hide(m.secrets, m.requestHead(r))
	sections := m.messagesOf(r).sections()
	for i := range sections {
		s := &sections[i]
		body, n := inspector.Hide(m.secrets, s.Body)
		hidden += n
		s.Body = body
		s.Gist, _ = m.secrets.Hide(s.Gist)
		s.Heading, _ = m.secrets.Hide(s.Heading)
	}
	o := inspector.NewOutline(append(m.hiddenLine(hidden), head...), sections, in.collapsed)
	if before, ok := in.shown.(*inspector.Outline); ok && before.At < len(o.Sections) {
		o.Choose(before.At)
	}
	return o
}

// requestHead is what is said of the request as a whole.
func (m *Model) requestHead(r *panel.Request) inspector.Page {
	var p inspector.Page
	s := r.Plan.Sum
	total := theme.Plural(s.Tokens(s.Total), "token")
	if s.Limit > 0 {
		total = theme.Thousands(s.Tokens(s.Total)) + " of " + theme.Plural(s.Limit, "token")
	}
	p.Line(inspector.Title, "%s · ~%s", theme.Plural(len(r.Plan.Messages), "message"), total)
	if r.Note != "" {
		p.Line(inspector.Warning, "! %s", theme.OneSentence(r.Note))
	}
	if r.Past == nil && m.panel.Whatif == nil {
		m.settingsLine(&p)
	}
	proofLine(r, &p)
	if s.Tools > 0 {
		p.Line(inspector.Quiet, "The tools that the model may call go along: %s. The json view has them.", theme.Plural(s.Tokens(s.Tools), "token"))
	}
	return p
}

// settingsLine says which settings decide the next request, and where each was set.
func (m *Model) settingsLine(p *inspector.Page) {
	list, err := m.session.Try(session.Trial{}).Settings()
	if err != nil {
		p.Line(inspector.Warning, "! %s", theme.Sentence(err))
		return
	}
	p.Line(inspector.Quiet, "%s.", theme.UpperFirst(session.OriginsText(list)))
}
