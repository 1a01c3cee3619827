package report

import (
	"fmt"

	"winnow/history"
	"winnow/ui/theme"
)

// RepairList describes the damaged messages of a session and what is sent instead.
type RepairList struct {
	Session string // its id
	Title   string
	Model   string
	Rules   int             // version of the rules, see history.Rules
	Entries []history.Entry // those with repairs
}

// Table writes a row for each repair, with the text before and after it.
func (r RepairList) Table(p *Page) {
	p.Line("%s · %s", ShortLine(r.Title), ShortLine(r.Model))
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
			p.Row(fmt.Sprint(e.Index+1), role(e.Role), one.Kind, SafeLine(one.Sentence()))
			if before := ShortLine(one.Before); before != "" {
				p.RowNote("was: " + before)
			}
			if after := ShortLine(one.After); after != "" && one.After != one.Before {
				p.RowNote("sent: " + after)
			}
		}
	}
}
