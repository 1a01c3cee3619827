package panel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/theme"
)

// Request is one request as the screen shows it: the next one, or one that was sent.
type Request struct {
	Plan          history.Plan
	Counts        store.VerdictCounts
	Ready         bool             // there is a plan
	Problem       string           // why there is none, or why it cannot be sent
	TokensOver    int              // how many tokens it has too many, as the server counts them; 0 where it fits
	InputCost     pricing.Cost     // what the next request costs before its answer
	ExceededLimit string           // the limit that it would exceed, "" for none
	SpentText     string           // what the session has spent, beside the next request; "" for nothing to say
	Past          *record.Replayed // the record and its proof; nil for the next request

	FirstRead int // index of the first message that the server can have read; 0 is all

	before []history.Entry // of a trial, the messages of the next request as it is set
}

// requestOf is a request that has not left.
func requestOf(plan history.Plan) Request {
	return Request{Plan: plan, Counts: store.CountVerdicts(plan.Entries), Ready: true}
}

// setPlan takes another plan, or why there is none: then the one before stays.
func (r *Request) setPlan(plan history.Plan, err error) {
	if err == nil || len(plan.Entries) > 0 {
		*r = requestOf(plan)
	}
	r.Problem, r.TokensOver = "", 0
	if err != nil {
		r.Problem = theme.Sentence(err)
	}
	if over := (*history.OverBudgetError)(nil); errors.As(err, &over) {
		r.TokensOver = over.Need - over.Have
	}
}

// PastRequest is a request as its record has it. The verdicts are the recorded ones, whatever today's rules would say;
// only the texts come from the messages.
func PastRequest(r record.Replayed) Request {
	plan := r.Verdicts
	plan.Messages, plan.Rules, plan.Spans = r.Plan.Messages, r.Request.Rules, r.Plan.SpansAmong(plan.Entries)
	past := requestOf(plan)
	past.Past = &r
	if short, dropped := record.ShortfallOf(r.Request); dropped {
		past.FirstRead = record.FirstRead(plan.Entries, plan.Sum, short)
	} else if past.counted() && plan.Sum.Total > 0 {
		// The server has counted the request as a whole: its parts are shares of that.
		past.Plan.Sum.Ratio = float64(r.Request.Prompt) / float64(plan.Sum.Total)
	}
	return past
}

// counted says that the server has counted the request.
func (r *Request) counted() bool { return r.Past != nil && r.Past.Request.Prompt > 0 }

// AllWhole says that every message is sent, and whole.
func (r *Request) AllWhole() bool {
	return r.Counts.Stored > 0 && r.Counts.Of[history.Kept] == r.Counts.Stored
}

// nextDropped are the messages that fall out next, where less than 15 % of the request are free.
func (r *Request) nextDropped() []int {
	const full = 85 // percent
	if s := r.Plan.Sum; r.Past == nil && s.Limit > 0 && s.Used() > s.Limit/100*full {
		return r.Plan.Next
	}
	return nil
}

// share are the tokens of some parts of the request, as the server counts them.
func (r *Request) share(names ...string) int {
	n := 0
	for _, s := range r.Plan.Sum.Shares() {
		if slices.Contains(names, s.Name) {
			n += s.Tokens
		}
	}
	return n
}

// FormatTokens writes a number of tokens in the server's measure, so that the parts add up to the total.
func (r *Request) FormatTokens(n int) string { return theme.Thousands(r.Plan.Sum.Tokens(n)) }

// used is what the request takes: as the server counted it, else estimated.
func (r *Request) used() (n int, shown string) {
	if r.counted() {
		return r.Past.Request.Prompt, theme.Thousands(r.Past.Request.Prompt)
	}
	n = r.Plan.Sum.Used()
	return n, "~" + theme.Thousands(n)
}

// EmptyText says why there is no request to show.
func (r *Request) EmptyText() string { return cmp.Or(r.Problem, "Nothing to send yet.") }

// Row is a row of the list: messages side by side with the same verdict, or a text that winnow added.
type Row struct {
	Entry      *history.Entry // the first of the messages, nil for a text
	Count      int            // how many messages they are
	Added      *history.Added // the text, nil for messages
	textNumber int            // of the texts the first, the second, …
}

// id is the message's, and of a text -1, -2, ….
func (row Row) id() int64 {
	if row.Entry != nil {
		return row.Entry.ID
	}
	return int64(-row.textNumber)
}

// has reports whether the message with this place in the conversation is one of the row's.
func (row Row) has(index int) bool {
	return row.Entry != nil && row.Entry.Index <= index && index < row.Entry.Index+row.Count
}

// rows are the rows of the list. Neighbours that are not sent for the same verdict are one row, and so are all messages
// of a request in which everything is whole; when they are opened, each message has a row.
func (r *Request) rows(opened bool) (rows []Row) {
	var last *history.Entry // of the row before, nil for a text
	for i := range len(r.Plan.Entries) + 1 {
		for n := range r.Plan.Added {
			if a := &r.Plan.Added[n]; a.At == i {
				rows, last = append(rows, Row{Added: a, textNumber: n + 1}), nil
			}
		}
		if i == len(r.Plan.Entries) {
			break
		}
		e := &r.Plan.Entries[i]
		if !opened && r.sharesRow(last, e) {
			rows[len(rows)-1].Count++
		} else {
			rows = append(rows, Row{Entry: e, Count: 1})
		}
		last = e
	}
	return rows
}

// change is what a trial changes of a message, "" for nothing.
func (r *Request) change(e *history.Entry) string {
	if e.Index >= len(r.before) {
		return ""
	}
	return theme.VerdictChange(r.before[e.Index], *e)
}

// sharesRow says that two neighbours share a row. What the user pinned or excluded, and what a trial changes, has a row of
// its own.
func (r *Request) sharesRow(a, b *history.Entry) bool {
	if a == nil || a.Disposition != b.Disposition || a.Pinned || b.Pinned ||
		r.change(a)+r.change(b) != "" {
		return false
	}
	if c := r.Counts; a.Sent() {
		return r.AllWhole() && len(r.Plan.Added)+c.Of[history.Recalled]+c.Repaired+r.FirstRead == 0
	}
	return a.Disposition != history.Excluded
}

// LoadPast shows the request with an id, which is one of a turn.
func (p *Model) LoadPast(turn int, request int64) tea.Cmd {
	return p.read(store.Request{ID: request, Turn: turn}, 0)
}

// step shows the request before the one on show, or after it.
func (p *Model) step(by int) tea.Cmd {
	switch {
	case p.reading: // One is read at a time: in a long conversation a key that is held would ask for many.
		return nil
	case p.Past != nil:
		return p.read(p.Past.Past.Request, by)
	case by > 0:
		return p.Say("This is the next request: what the model would see now.")
	}
	return p.read(store.Request{Turn: p.Info.Turns + 1}, by)
}

// read shows a request of the past, which is so many steps behind another one. The turns are gone through in order; of
// another turn the requests for answers count. Behind the last one is the next request.
func (p *Model) read(from store.Request, by int) tea.Cmd {
	latest, records := p.reads.Begin(), p.Session.Records()
	p.reading = true
	return p.Run(func(ctx context.Context) tea.Msg {
		list, err := records.Store.Requests(ctx, records.Session, store.RequestFilter{})
		list = slices.DeleteFunc(list, func(q store.Request) bool {
			return q.Turn != from.Turn && q.Purpose != store.PurposeAnswer
		})
		slices.SortStableFunc(list, func(a, b store.Request) int { return a.Turn - b.Turn })
		at := len(list)
		if from.ID != 0 {
			at = slices.IndexFunc(list, func(q store.Request) bool { return q.ID == from.ID })
		}
		at += by
		var r record.Replayed
		found := at >= 0 && at < len(list)
		if err == nil && found {
			r, err = records.ReplayOf(ctx, list[at].Turn, list[at].ID)
		}
		return latest(func() tea.Cmd {
			p.reading = false
			switch {
			case err != nil:
				return p.ReportError(err)
			case found:
				return p.ShowPast(new(PastRequest(r)))
			case by > 0:
				return p.ShowPast(nil)
			}
			return p.Say("There is no earlier request.")
		})
	})
}

// TurnName is a past request's name in its session.
func TurnName(r record.Recorded) string {
	if r.Of > 1 {
		return fmt.Sprintf("turn %d, request %d of %d", r.Request.Turn, r.Nth, r.Of)
	}
	return fmt.Sprintf("turn %d", r.Request.Turn)
}

// RequestName is what a request is called.
func (p *Model) RequestName(r *Request) string {
	switch {
	case r.Past != nil:
		return TurnName(r.Past.Recorded)
	case p.Busy:
		return "this request"
	}
	return "next request"
}
