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
	Plan   history.Plan
	Counts store.Tally
	Ready  bool                    // there is a plan
	Note   string                  // why there is none, or why it cannot be sent
	Over   int                     // how many tokens it has too many, as the server counts them; 0 where it fits
	Input  pricing.Cost            // what the next request costs before its answer
	Limit  string                  // the limit that it would exceed, "" for none
	Spent  string                  // what the session has spent, beside the next request; "" for nothing to say
	Past   *record.ReplayedRequest // the record and its proof; nil for the next request

	FirstRead int // index of the first message that the server can have read; 0 is all

	was []history.Entry // of a trial, the messages of the next request as it is set
}

// requestOf is a request that has not left.
func requestOf(plan history.Plan) Request {
	return Request{Plan: plan, Counts: store.TallyOf(plan.Entries), Ready: true}
}

// take takes another plan, or why there is none: then the one before stays.
func (r *Request) take(plan history.Plan, err error) {
	if err == nil || len(plan.Entries) > 0 {
		*r = requestOf(plan)
	}
	r.Note, r.Over = "", 0
	if err != nil {
		r.Note = theme.Sentence(err)
	}
	if over := (*history.OverBudgetError)(nil); errors.As(err, &over) {
		r.Over = over.Need - over.Have
	}
}

// PastRequest is a request as its record has it. The verdicts are the recorded ones, whatever today's rules would say;
// only the texts come from the messages.
func PastRequest(r record.ReplayedRequest) Request {
	plan := r.Verdicts
	plan.Messages, plan.Rules, plan.Spans = r.Plan.Messages, r.Request.Rules, r.Plan.SpansFor(plan.Entries)
	past := requestOf(plan)
	past.Past = &r
	if short, dropped := record.ServerTruncationOf(r.Request); dropped {
		past.FirstRead = record.FirstReadByServer(plan.Entries, plan.Sum, short)
	} else if past.counted() && plan.Sum.Total > 0 {
		// The server has counted the request as a whole: its parts are shares of that.
		past.Plan.Sum.Ratio = float64(r.Request.Prompt) / float64(plan.Sum.Total)
	}
	return past
}

// counted says that the server has counted the request.
func (r *Request) counted() bool { return r.Past != nil && r.Past.Request.Prompt > 0 }

// Whole says that every message is sent, and whole.
func (r *Request) Whole() bool {
	return r.Counts.Stored > 0 && r.Counts.Of[history.Kept] == r.Counts.Stored
}

// next are the messages that fall out next, where less than 15 % of the request are free.
func (r *Request) next() []int {
	const full = 85 // percent
	if s := r.Plan.Sum; r.Past == nil && s.Limit > 0 && s.Used() > s.Limit/100*full {
		return r.Plan.NextToDrop
	}
	return nil
}

// share are the tokens of some parts of the request, as the server counts them.
func (r *Request) share(names ...string) int {
	n := 0
	for _, s := range r.Plan.Sum.Parts() {
		if slices.Contains(names, s.Name) {
			n += s.Tokens
		}
	}
	return n
}

// Counted writes a number of tokens in the server's measure, so that the parts add up to the total.
func (r *Request) Counted(n int) string { return theme.Thousands(r.Plan.Sum.Tokens(n)) }

// used is what the request takes: as the server counted it, else estimated.
func (r *Request) used() (n int, shown string) {
	if r.counted() {
		return r.Past.Request.Prompt, theme.Thousands(r.Past.Request.Prompt)
	}
	n = r.Plan.Sum.Used()
	return n, "~" + theme.Thousands(n)
}

// Missing says why there is no request to show.
func (r *Request) Missing() string { return cmp.Or(r.Note, "Nothing to send yet.") }

// Row is a row of the list: messages side by side with the same verdict, or a text that winnow added.
type Row struct {
	Entry *history.Entry     // the first of the messages, nil for a text
	Of    int                // how many messages they are
	Added *history.AddedText // the text, nil for messages
	text  int                // of the texts the first, the second, …
}

// id is the message's, and of a text -1, -2, ….
func (row Row) id() int64 {
	if row.Entry != nil {
		return row.Entry.ID
	}
	return int64(-row.text)
}

// has reports whether the message with this place in the conversation is one of the row's.
func (row Row) has(index int) bool {
	return row.Entry != nil && row.Entry.Index <= index && index < row.Entry.Index+row.Of
}

// rows are the rows of the list. Neighbours that are not sent for the same verdict are one row, and so are all messages
// of a request in which everything is whole; when they are opened, each message has a row.
func (r *Request) rows(opened bool) (rows []Row) {
	var last *history.Entry // of the row before, nil for a text
	for i := range len(r.Plan.Entries) + 1 {
		for n := range r.Plan.Added {
			if a := &r.Plan.Added[n]; a.At == i {
				rows, last = append(rows, Row{Added: a, text: n + 1}), nil
			}
		}
		if i == len(r.Plan.Entries) {
			break
		}
		e := &r.Plan.Entries[i]
		if !opened && r.alike(last, e) {
			rows[len(rows)-1].Of++
		} else {
			rows = append(rows, Row{Entry: e, Of: 1})
		}
		last = e
	}
	return rows
}

// change is what a trial changes of a message, "" for nothing.
func (r *Request) change(e *history.Entry) string {
	if e.Index >= len(r.was) {
		return ""
	}
	return theme.Change(r.was[e.Index], *e)
}

// alike says that two neighbours share a row. What the user pinned or excluded, and what a trial changes, has a row of
// its own.
func (r *Request) alike(a, b *history.Entry) bool {
	if a == nil || a.Disposition != b.Disposition || a.Pinned || b.Pinned ||
		r.change(a)+r.change(b) != "" {
		return false
	}
	if c := r.Counts; a.Sent() {
		return r.Whole() && len(r.Plan.Added)+c.Of[history.Recalled]+c.Repaired+r.FirstRead == 0
	}
	return a.Disposition != history.Excluded
}

// Load shows the request with an id, which is one of a turn.
func (p *Model) Load(turn int, request int64) tea.Cmd {
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
			return q.Turn != from.Turn && q.Purpose != store.ForAnswer
		})
		slices.SortStableFunc(list, func(a, b store.Request) int { return a.Turn - b.Turn })
		at := len(list)
		if from.ID != 0 {
			at = slices.IndexFunc(list, func(q store.Request) bool { return q.ID == from.ID })
		}
		at += by
		var r record.ReplayedRequest
		found := at >= 0 && at < len(list)
		if err == nil && found {
			r, err = records.ReplayByID(ctx, list[at].Turn, list[at].ID)
		}
		return latest(func() tea.Cmd {
			p.reading = false
			switch {
			case err != nil:
				return p.Failed(err)
			case found:
				return p.Open(new(PastRequest(r)))
			case by > 0:
				return p.Open(nil)
			}
			return p.Say("There is no earlier request.")
		})
	})
}

// TurnName is a past request's name in its session.
func TurnName(r record.RecordedRequest) string {
	if r.Of > 1 {
		return fmt.Sprintf("turn %d, request %d of %d", r.Request.Turn, r.Nth, r.Of)
	}
	return fmt.Sprintf("turn %d", r.Request.Turn)
}

// Name is what a request is called.
func (p *Model) Name(r *Request) string {
	switch {
	case r.Past != nil:
		return TurnName(r.Past.RecordedRequest)
	case p.Busy:
		return "this request"
	}
	return "next request"
}
