package report

import (
	"fmt"

	"winnow/history"
	"winnow/ui/theme"
)

// Repairs is what is damaged in a session, and what is sent instead.
type Repairs struct {
	Session string // its id
	Title   string
	Model   string
	Rules   int             // the version of the rules that repaired it
	Entries []history.Entry // those with repairs
}

// Table writes a line for each repair, with the damaged text and what is sent instead under it.
func (r Repairs) Table(p *Page) {
	p.Line("%s · %s", Line(r.Title), Line(r.Model))
	repairs := 0
	for _, e := range r.Entries {
		repairs += len(e.Repairs)
	}
	if repairs == 0 {
		p.Line("Nothing is damaged.")
		return
	}
	p.Line("%s of %s; the stored messages are not changed.", theme.Plural(repairs, "repair"),
		theme.Plural(len(r.Entries), "message"))
	for _, e := range r.Entries {
		for _, one := range e.Repairs {
			p.Row(fmt.Sprint(e.Index+1), role(e.Role), one.Kind, Sentence(one.Sentence()))
			if before := Line(one.Before); before != "" {
				p.Under("was: " + before)
			}
			if after := Line(one.After); after != "" && one.After != one.Before {
				p.Under("sent: " + after)
			}
		}
	}
}
