package panel

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/theme"
)

// Request is one request as the screen shows it: the next one, or one that was sent.
type Request struct {
	Plan   history.Plan
	Rows   []Row // its messages and the texts that winnow added, in order
	Counts store.Tally
	Ready  bool             // there is a plan
	Note   string           // why there is none, or why it cannot be sent
	Over   int              // how many tokens it has too many, as the server counts them; 0 where it fits
	Input  pricing.Cost     // what the next request costs before its answer
	Limit  string           // the limit that it would exceed, "" for none
	Spent  string           // what the session has spent, beside the next request; "" for nothing to say
	Past   *record.Replayed // the record and its proof; nil for the next request

	FirstRead int // index of the first message that the server can have read; 0 is all

	message func(id int64) (store.Message, bool)
	moves   map[int64]move // what a trial changes for a message, by its id
}

// Row is a message's entry, or a text that winnow added.
type Row struct {
	Entry *history.Entry
	Added *history.Added
	id    int64 // of the message; of the texts -1, -2, …
}

// before is how many messages are in front of the row.
func (r Row) before() int {
	if r.Added != nil {
		return r.Added.At
	}
	return r.Entry.Index
}

// before is how many messages are in front of a row.
func (r *Request) before(row int) int {
	if row == len(r.Rows) {
		return len(r.Plan.Entries)
	}
	return r.Rows[row].before()
}

// requestOf is a request that has not left.
func requestOf(plan history.Plan, message func(int64) (store.Message, bool)) Request {
	r := Request{Plan: plan, Counts: store.TallyOf(plan.Entries), Ready: true, message: message}
	for i := range plan.Added {
		r.Rows = append(r.Rows, Row{Added: &plan.Added[i], id: int64(-1 - i)})
	}
	for i := range plan.Entries {
		r.Rows = append(r.Rows, Row{Entry: &plan.Entries[i], id: plan.Entries[i].ID})
	}
	slices.SortStableFunc(r.Rows, func(a, b Row) int { return a.before() - b.before() })
	return r
}

// PastRequest is a request as its record has it. The verdicts are the recorded ones, whatever today's rules would say;
// only the texts come from the messages.
func PastRequest(r record.Replayed) Request {
	plan := r.Verdicts
	plan.Messages, plan.Rules, plan.Spans = r.Plan.Messages, r.Request.Rules, r.Plan.SpansAmong(plan.Entries)
	past := requestOf(plan, func(id int64) (store.Message, bool) {
		m, there, err := r.Messages.ByID(id)
		return m, there && err == nil
	})
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

// Whole says that every message is sent, and whole.
func (r *Request) Whole() bool { return r.Counts.Stored > 0 && r.Counts.Kept == r.Counts.Stored }

// next are the messages that fall out next, where less than 15 % of the request are free.
func (r *Request) next() []int {
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

// span is a line of the list. It stands for the rows from one on up to another.
type span struct{ from, to int }

// n is how many rows they are.
func (s span) n() int { return s.to - s.from }

// lines are the lines of the list. Neighbours that are not sent for the same verdict are one line, and so are all
// messages of a request in which everything is whole; when they are opened, each row has a line.
func (r *Request) lines(opened bool) []span {
	var lines []span
	for i := range r.Rows {
		if !opened && i > 0 && r.alike(r.Rows[i-1].Entry, r.Rows[i].Entry) {
			lines[len(lines)-1].to++
		} else {
			lines = append(lines, span{i, i + 1})
		}
	}
	return lines
}

// alike says that two neighbours are on one line. What the user pinned or excluded, and what a trial changes, has a
// line of its own.
func (r *Request) alike(a, b *history.Entry) bool {
	if a == nil || b == nil || a.Disposition != b.Disposition || a.Pinned || b.Pinned ||
		r.moves[a.ID].text+r.moves[b.ID].text != "" {
		return false
	}
	if c := r.Counts; a.Sent() {
		return r.Whole() && len(r.Plan.Added)+c.Recalled+c.Repaired+r.FirstRead == 0
	}
	return a.Disposition != history.Excluded
}

// lineOf is the line that holds a row.
func lineOf(lines []span, row int) int {
	at, _ := slices.BinarySearchFunc(lines, row, func(s span, row int) int { return cmp.Compare(s.to, row+1) })
	return at
}

// rowOf is the row of the message with this place in the conversation.
func (r *Request) rowOf(index int) int {
	return slices.IndexFunc(r.Rows, func(row Row) bool { return row.Entry != nil && row.Entry.Index == index })
}

// Load shows the request with an id, which is one of a turn.
func (p *Model) Load(turn int, request int64) tea.Cmd {
	records := p.Session.Records()
	return p.read(0, func(ctx context.Context) (*record.Replayed, error) {
		r, err := records.ReplayOf(ctx, turn, request)
		return &r, err
	})
}

// step shows the request before the one on show, or after it.
func (p *Model) step(by int) tea.Cmd {
	switch {
	case p.reading: // One is read at a time: in a long conversation a key that is held would ask for many.
		return nil
	case p.Past == nil && by > 0:
		return p.Say("This is the next request: what the model would see now.")
	}
	return p.read(by, p.Neighbour(by))
}

// Neighbour reads the request one step, −1 or 1, from the one on show, nil for none. The turns are gone through in
// order; of another turn the requests for answers count.
func (p *Model) Neighbour(step int) func(context.Context) (*record.Replayed, error) {
	records, from := p.Session.Records(), store.Request{Turn: p.Info.Turns + 1}
	if p.Past != nil {
		from = p.Past.Past.Request
	}
	return func(ctx context.Context) (*record.Replayed, error) {
		list, err := records.Store.Requests(ctx, records.Session, store.RequestFilter{})
		slices.SortStableFunc(list, func(a, b store.Request) int { return a.Turn - b.Turn })
		at := len(list)
		if from.ID != 0 {
			at = slices.IndexFunc(list, func(q store.Request) bool { return q.ID == from.ID })
		}
		for at += step; at >= 0 && at < len(list); at += step {
			if q := list[at]; q.Turn == from.Turn || q.Purpose == store.ForAnswer {
				r, err := records.ReplayOf(ctx, q.Turn, q.ID)
				return &r, err
			}
		}
		return nil, err
	}
}

// read finds a request of the past and shows it. Without one a step forth ends at the next request.
func (p *Model) read(by int, find func(context.Context) (*record.Replayed, error)) tea.Cmd {
	p.reads++
	p.reading = true
	n := p.reads
	return p.Run(func(ctx context.Context) tea.Msg {
		r, err := find(ctx)
		return app.Then(func() tea.Cmd {
			if n != p.reads {
				return nil
			}
			p.reading = false
			switch {
			case err != nil:
				return p.Fail(theme.Sentence(err))
			case r != nil:
				return p.Open(new(PastRequest(*r)))
			case by > 0:
				return p.Open(nil)
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

// Name is what a request is called.
func (p *Model) Name(r *Request) string {
	switch {
	case r.Past != nil:
		return TurnName(r.Past.Recorded)
	case p.Busy:
		return "this request"
	}
	return "next request"
}
