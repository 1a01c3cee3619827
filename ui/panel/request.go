package panel

import (
	"cmp"
	"slices"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/theme"
)

// Request is one request as the screen shows it: the next one, or one that was sent.
type Request struct {
	Plan   history.Plan
	Rows   []Row           // its messages, and the texts that winnow added, in order
	Added  []history.Added // those texts, in the order of Rows
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
	lines   []span         // see Lines
	open    int            // the row that they were made for
}

// Row is a message's entry, or one of the added texts, counted from 1.
type Row struct {
	Entry *history.Entry
	Added int
}

// requestOf is a request that has not left.
func requestOf(plan history.Plan, message func(int64) (store.Message, bool)) Request {
	r := Request{
		Plan: plan, Counts: store.TallyOf(plan.Entries), Ready: true, message: message,
		Added: slices.SortedStableFunc(slices.Values(plan.Added), func(a, b history.Added) int { return a.At - b.At }),
	}
	next := 0
	for i := range len(plan.Entries) + 1 {
		for ; next < len(r.Added) && r.Added[next].At <= i; next++ {
			r.Rows = append(r.Rows, Row{Added: next + 1})
		}
		if i < len(plan.Entries) {
			r.Rows = append(r.Rows, Row{Entry: &plan.Entries[i]})
		}
	}
	return r
}

// PastRequest is a request as its record has it. The verdicts are the recorded ones, whatever today's rules would say;
// only the texts come from the messages.
func PastRequest(r record.Replayed) Request {
	plan := history.Plan{
		Messages: r.Plan.Messages, Entries: r.Verdicts.Entries, Added: r.Verdicts.Added,
		Spans: r.Plan.SpansAmong(r.Verdicts.Entries), Sum: r.Verdicts.Sum, Rules: r.Request.Rules,
	}
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

// has says that a message is in the plan, with this place in the conversation.
func (r *Request) has(index int, id int64) bool {
	return index >= 0 && index < len(r.Plan.Entries) && r.Plan.Entries[index].ID == id
}

// Whole says that every message is sent, and whole.
func (r *Request) Whole() bool { return r.Counts.Stored > 0 && r.Counts.Kept == r.Counts.Stored }

// full is the share of the limit, in percent, from which it is said what falls out next.
const full = 85

// next are the messages that fall out next, where there is little room left in the request.
func (r *Request) next() []int {
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
		n = r.Past.Request.Prompt
		return n, theme.Thousands(n)
	}
	n = r.Plan.Sum.Used()
	return n, "~" + theme.Thousands(n)
}

// Cost is what a past request cost, or what the input of the next one would: "$0.0041", "~$0.002 in". It is empty where
// there is nothing to say.
func (r *Request) Cost() string {
	switch {
	case r.Past != nil:
		return record.CostOf(r.Past.Request).String()
	case r.Input.Known():
		return r.Input.String() + " in"
	}
	return ""
}

// Missing says why there is no request to show.
func (r *Request) Missing() string { return cmp.Or(r.Note, "Nothing to send yet.") }

// span is a line of the list. It stands for the rows from one on up to another.
type span struct{ from, to int }

// Lines are the lines of the list. Neighbours that are not sent for the same verdict are one line, and so are all
// messages of a request in which everything is whole. A line that holds the row open, -1 for none, is shown row by row.
func (r *Request) Lines(open int) []span {
	if r.lines != nil && r.open == open {
		return r.lines
	}
	lines := make([]span, 0, len(r.Rows))
	for i := range r.Rows {
		if i > 0 && r.alike(r.Rows[i-1].Entry, r.Rows[i].Entry) {
			lines[len(lines)-1].to++
			continue
		}
		lines = append(lines, span{i, i + 1})
	}
	if open >= 0 && open < len(r.Rows) {
		at := lineOf(lines, open)
		var rows []span
		for i := lines[at].from; i < lines[at].to; i++ {
			rows = append(rows, span{i, i + 1})
		}
		lines = slices.Replace(lines, at, at+1, rows...)
	}
	r.lines, r.open = lines, open
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
		return r.Whole() && len(r.Added)+c.Recalled+c.Repaired+r.FirstRead == 0
	}
	return a.Disposition != history.Excluded
}

// lineOf is the line that holds a row.
func lineOf(lines []span, row int) int {
	at, _ := slices.BinarySearchFunc(lines, row, func(s span, row int) int { return cmp.Compare(s.to, row+1) })
	return at
}

// RowOf is the row of the message with this place in the conversation.
func (r *Request) RowOf(index int) int {
	row := index
	for _, a := range r.Added {
		if a.At <= index {
			row++
		}
	}
	return row
}

// before is how many messages are in front of a row.
func (r *Request) before(row int) int {
	for _, on := range r.Rows[min(row, len(r.Rows)):] {
		if on.Entry != nil {
			return on.Entry.Index
		}
	}
	return len(r.Plan.Entries)
}
