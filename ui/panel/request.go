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

// Request is one request as the panel shows it: the next one, a sent one, or a trial.
type Request struct {
	Plan          history.Plan
	Counts        store.VerdictCounts
	Ready         bool                    // Plan is set
	Problem       string                  // a sentence if there is no plan or it cannot be sent, else ""
	TokensOver    int                     // tokens by which the request exceeds its limit, 0 if it fits
	InputCost     pricing.Cost            // estimated cost of the next request without its answer
	ExceededLimit string                  // the spending limit that it would exceed, "" for none
	SpentText     string                  // what the chat has spent so far, "" if unknown
	Past          *record.ReplayedRequest // the request record and its proof; nil if not sent

	FirstRead int // index of the first message that the server can have read; 0 is all

	before []history.Entry // for a trial, the entries with the settings in use
}

// requestOf returns a request that was not sent.
func requestOf(plan history.Plan) Request {
	return Request{Plan: plan, Counts: store.CountVerdicts(plan.Entries), Ready: true}
}

// setPlan sets the plan. With an error and no entries it keeps the previous plan and shows the error.
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

// PastRequest returns a sent request. The verdicts are the recorded ones, not what the current rules would decide; only
// the texts come from the messages.
func PastRequest(r record.ReplayedRequest) Request {
	plan := r.Verdicts
	plan.Messages, plan.Rules, plan.Spans = r.Plan.Messages, r.Request.Rules, r.Plan.SpansFor(plan.Entries)
	past := requestOf(plan)
	past.Past = &r
	if short, dropped := record.ServerTruncationOf(r.Request); dropped {
		past.FirstRead = record.FirstReadByServer(plan.Entries, plan.Sum, short)
	} else if past.counted() && plan.Sum.Total > 0 {
		// The server counts only the whole request: its parts are scaled to that.
		past.Plan.Sum.Ratio = float64(r.Request.Prompt) / float64(plan.Sum.Total)
	}
	return past
}

// counted reports whether the server has counted the tokens of the request.
func (r *Request) counted() bool { return r.Past != nil && r.Past.Request.Prompt > 0 }

// AllWhole reports whether every message is sent whole.
func (r *Request) AllWhole() bool {
	return r.Counts.Stored > 0 && r.Counts.Of[history.Kept] == r.Counts.Stored
}

// nextDropped returns the indexes of the messages that would be dropped next, nil if more than 15 % of the limit is
// free.
func (r *Request) nextDropped() []int {
	const full = 85 // percent
	if s := r.Plan.Sum; r.Past == nil && s.Limit > 0 && s.Used() > s.Limit/100*full {
		return r.Plan.NextToDrop
	}
	return nil
}

// share returns the tokens of the named parts of the request, as the server counts.
func (r *Request) share(names ...string) int {
	n := 0
	for _, s := range r.Plan.Sum.Parts() {
		if slices.Contains(names, s.Name) {
			n += s.Tokens
		}
	}
	return n
}

// FormatTokens formats a number of tokens in the server's measure, so that the parts add up to the total.
func (r *Request) FormatTokens(n int) string { return theme.Thousands(r.Plan.Sum.Tokens(n)) }

// used returns the tokens of the request, as counted by the server or else as an estimate.
func (r *Request) used() (n int, shown string) {
	if r.counted() {
		return r.Past.Request.Prompt, theme.Thousands(r.Past.Request.Prompt)
	}
	n = r.Plan.Sum.Used()
	return n, "~" + theme.Thousands(n)
}

// EmptyText says why there is no request to show.
func (r *Request) EmptyText() string { return cmp.Or(r.Problem, "Nothing to send yet.") }

// Row is a row of the list: one message, adjacent messages with the same verdict, or a text that winnow added.
type Row struct {
	Entry      *history.Entry     // the first message, nil for an added text
	Count      int                // number of messages
	Added      *history.AddedText // the added text, nil for messages
	textNumber int                // 1 for the first added text, 2 for the second, …
}

// id is the message id of a row; added texts have -1, -2, ….
func (row Row) id() int64 {
	if row.Entry != nil {
		return row.Entry.ID
	}
	return int64(-row.textNumber)
}

// has reports whether the message with this index in the chat belongs to the row.
func (row Row) has(index int) bool {
	return row.Entry != nil && row.Entry.Index <= index && index < row.Entry.Index+row.Count
}

// rows returns the rows of the list. Unless expanded, adjacent messages that are not sent for the same reason share a
// row, and so do all messages of a request that sends everything whole.
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

// change says what a trial changes for a message, "" for nothing.
func (r *Request) change(e *history.Entry) string {
	if e.Index >= len(r.before) {
		return ""
	}
	return theme.VerdictChange(r.before[e.Index], *e)
}

// sharesRow reports whether two adjacent messages share a row. Messages that are pinned or excluded, or that a trial
// changes, have their own.
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

// LoadPast reads a sent request of a turn and shows it.
func (p *Model) LoadPast(turn int, request int64) tea.Cmd {
	return p.read(store.Request{ID: request, Turn: turn}, 0)
}

// step shows the request before or after the one on show.
func (p *Model) step(by int) tea.Cmd {
	switch {
	case p.reading: // One at a time: a key that is held down would start many.
		return nil
	case p.Past != nil:
		return p.read(p.Past.Past.Request, by)
	case by > 0:
		return p.Say("This is the next request: what the model would see now.")
	}
	return p.read(store.Request{Turn: p.Info.Turns + 1}, by)
}

// read reads and shows the request that is so many steps after another one, in the order of turns. Of other turns only
// requests for answers count. After the last one comes the next request.
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
		var r record.ReplayedRequest
		found := at >= 0 && at < len(list)
		if err == nil && found {
			r, err = records.ReplayByID(ctx, list[at].Turn, list[at].ID)
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

// TurnName names a sent request by its turn: "turn 3", or "turn 3, request 1 of 2".
func TurnName(r record.RecordedRequest) string {
	if r.Of > 1 {
		return fmt.Sprintf("turn %d, request %d of %d", r.Request.Turn, r.Nth, r.Of)
	}
	return fmt.Sprintf("turn %d", r.Request.Turn)
}

// RequestName names a request: "turn 3", "this request" or "next request".
func (p *Model) RequestName(r *Request) string {
	switch {
	case r.Past != nil:
		return TurnName(r.Past.RecordedRequest)
	case p.Busy:
		return "this request"
	}
	return "next request"
}
