package report

import (
	"fmt"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
)

// Diff is what changed from one request of a session to a later one.
type Diff struct {
	Session  string // its id
	Title    string
	From, To Compared
	Changes  []history.PlanChange
}

// Compared is one of two requests that are compared; of the next one only its sums are known.
type Compared struct {
	ID      int64
	Turn    int
	Nth, Of int // it is the Nth of its turn, which has Of
	Sum     history.TokenSum
	Sent    int // messages
	entries []history.Entry
}

// NewCompared is a request with its verdicts; r is the zero value for the next one.
func NewCompared(r record.RecordedRequest, verdicts history.Plan) Compared {
	return Compared{
		ID: r.Request.ID, Turn: r.Request.Turn, Nth: r.Nth, Of: r.Of, Sum: verdicts.Sum, entries: verdicts.Entries,
		Sent: store.TallyOf(verdicts.Entries).Sent(),
	}
}

// NewDiff compares two requests.
func NewDiff(info store.Session, from, to Compared) Diff {
	return Diff{info.ID, Title(info), from, to, history.CompareEntries(from.entries, to.entries)}
}

// Table writes the changes.
func (d Diff) Table(p *Page) {
	p.Line("%s", Line(d.Title))
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
		p.Row(string(c.Kind), fmt.Sprint(e.Index+1), role(e.Role), tokens, Sentence(c.Reason()))
	}
}

func (c Compared) name() string {
	switch {
	case c.ID == 0:
		return "the next request"
	case c.Of > 1:
		return fmt.Sprintf("request %d of turn %d", c.Nth, c.Turn)
	}
	return fmt.Sprintf("turn %d", c.Turn)
}
