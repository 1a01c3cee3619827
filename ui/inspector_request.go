package ui

import (
	"winnow/session"
	"winnow/ui/theme"
)

// requestOutline is the whole request as it is sent, without its secrets: every message with its role and
// number.
func (m *Model) requestOutline(r *request) *outline {
	in := &m.inspector
	head, hidden := hidePage(m.secrets, m.requestHead(r))
	sections := m.messagesOf(r).sections()
	for i := range sections {
		s := &sections[i]
		body, n := hidePage(m.secrets, s.body)
		hidden += n
		s.body = body
		s.gist, _ = m.secrets.Hide(s.gist)
		s.heading, _ = m.secrets.Hide(s.heading)
	}
	o := newOutline(append(m.hiddenLine(hidden), head...), sections, in.collapsed)
	if before, ok := in.shown.(*outline); ok && before.at < len(o.sections) {
		o.choose(before.at)
	}
	return o
}

// requestHead is what is said of the request as a whole.
func (m *Model) requestHead(r *request) page {
	var p page
	s := r.plan.Sum
	total := theme.Plural(s.Tokens(s.Total), "token")
	if s.Limit > 0 {
		total = theme.Thousands(s.Tokens(s.Total)) + " of " + theme.Plural(s.Limit, "token")
	}
	p.line(titleTone, "%s · ~%s", theme.Plural(len(r.plan.Messages), "message"), total)
	if r.note != "" {
		p.line(warnTone, "! %s", theme.OneSentence(r.note))
	}
	if r.past == nil && m.panel.whatif == nil {
		m.settingsLine(&p)
	}
	r.proofLine(&p)
	if s.Tools > 0 {
		p.line(quietTone, "The tools that the model may call go along: %s. The json view has them.", theme.Plural(s.Tokens(s.Tools), "token"))
	}
	return p
}

// settingsLine says which settings decide the next request, and where each was set.
func (m *Model) settingsLine(p *page) {
	list, err := m.session.Settings(session.Trial{})
	if err != nil {
		p.line(warnTone, "! %s", theme.Sentence(err))
		return
	}
	p.line(quietTone, "%s.", theme.UpperFirst(session.OriginsText(list)))
}
