package ui

import (
	"winnow/session"
	"winnow/ui/inspector"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

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
	list, err := m.session.Settings(session.Trial{})
	if err != nil {
		p.Line(inspector.Warning, "! %s", theme.Sentence(err))
		return
	}
	p.Line(inspector.Quiet, "%s.", theme.UpperFirst(session.OriginsText(list)))
}
