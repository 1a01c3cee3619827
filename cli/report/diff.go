package report

import (
	"fmt"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
)

// ContextDiff is the difference between two requests of a session.
type ContextDiff struct {
	Session  string // its id
	Title    string
	From, To ComparedRequest
	Changes  []history.PlanChange
}

// ComparedRequest is one side of a ContextDiff. ID, Turn, Nth and Of are 0 for the next request.
type ComparedRequest struct {
	ID      int64
	Turn    int
	Nth, Of int // it is request Nth of Of in its turn, from 1
	Sum     history.TokenSum
	Sent    int // number of messages that are sent
	entries []history.Entry
}

// NewComparedRequest returns a request with its verdicts. r is the zero value for the next request.
func NewComparedRequest(r record.RecordedRequest, verdicts history.Plan) ComparedRequest {
	return ComparedRequest{
		ID: r.Request.ID, Turn: r.Request.Turn, Nth: r.Nth, Of: r.Of, Sum: verdicts.Sum, entries: verdicts.Entries,
		Sent: store.CountVerdicts(verdicts.Entries).Sent(),
	}
}

// NewContextDiff compares two requests.
func NewContextDiff(info store.Session, from, to ComparedRequest) ContextDiff {
	return ContextDiff{info.ID, SessionTitle(info), from, to, history.CompareEntries(from.entries, to.entries)}
}

// Table writes a row for each change.
func (d ContextDiff) Table(p *Page) {
	p.Line("%s", ShortLine(d.Title))
	p.Line("from %s to %s: ~%d to ~%d tokens, %d to %d messages",
		d.From.name(), d.To.name(), d.From.Sum.Used(), d.To.Sum.Used(), d.From.Sent, d.To.Sent)
	if len(d.Changes) == 0 {
		p.Line("nothing changed")
		return
	}
	p.Line("")
	for _, c := range d.Changes {
		e := c.Entry()
		tokens := fmt.Sprintf("%d to %d", d.From.Sum.Tokens(c.Before.TokensAfter), d.To.Sum.Tokens(c.After.TokensAfter))
		p.Row(string(c.Kind), fmt.Sprint(e.Index+1), role(e.Role), tokens, SafeLine(c.Reason()))
	}
}

func (c ComparedRequest) name() string {
	switch {
	case c.ID == 0:
		return "the next request"
	case c.Of > 1:
		return fmt.Sprintf("request %d of turn %d", c.Nth, c.Turn)
	}
	return fmt.Sprintf("turn %d", c.Turn)
}
