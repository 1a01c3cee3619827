package report

import (
	"fmt"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
)

// ContextDiff is what changed from one request of a session to a later one.
type ContextDiff struct {
	Session  string // its id
	Title    string
	From, To ComparedRequest
	Changes  []history.Change
}

// ComparedRequest is one of two requests that are compared; of the next one only its sums are known.
type ComparedRequest struct {
	ID      int64
	Turn    int
	Nth, Of int // it is the Nth of its turn, which has Of
	Sum     history.Sum
	Sent    int // messages
	entries []history.Entry
}

// NewComparedRequest is a request with its verdicts; r is the zero value for the next one.
func NewComparedRequest(r record.Recorded, verdicts history.Plan) ComparedRequest {
	return ComparedRequest{
		ID: r.Request.ID, Turn: r.Request.Turn, Nth: r.Nth, Of: r.Of, Sum: verdicts.Sum, entries: verdicts.Entries,
		Sent: store.CountVerdicts(verdicts.Entries).Sent(),
	}
}

// NewContextDiff compares two requests.
func NewContextDiff(info store.Session, from, to ComparedRequest) ContextDiff {
	return ContextDiff{info.ID, SessionTitle(info), from, to, history.Compare(from.entries, to.entries)}
}

// Table writes the changes.
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
