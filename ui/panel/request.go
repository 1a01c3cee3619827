package panel

import (
	"slices"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Request is one request as the screen shows it: the next one, or one that was sent.
type Request struct {
	Plan   history.Plan
	Rows   rows
	Counts record.Counts
	Ready  bool               // there is a plan
	Note   string             // why there is none, or why it cannot be sent
	Over   int                // how many tokens it has too many, as the server counts them; 0 where it fits
	Input  pricing.Cost       // what the next request costs before its answer
	Limit  string             // the limit that it would exceed, "" for none
	Spent  string             // what the session has spent, beside the next request; "" for nothing to say
	Past   *record.Replayed   // the record and its proof; nil for the next request
	now    *Request           // what a trial is compared with; nil for what is no trial
	signs  map[int64]string   // what a trial changes for a message, by its id
	texts  func(int64) string // what a message says, by its id

	FirstRead int // index of the first message that the server can have read; 0 is all
}

// requestOf is a request that has not left.
func requestOf(plan history.Plan, texts func(int64) string) Request {
	return Request{Plan: plan, Rows: rowsOf(plan), Counts: record.CountsOf(plan.Entries, plan.Added, nil), Ready: true, texts: texts}
}

// PastRequest is a request as its record has it. The verdicts are the recorded ones, whatever today's
// rules would say; only the texts come from the messages, each by its gist.
func PastRequest(r record.Replayed, gist func(store.Message) string) Request {
	texts := make(map[int64]string, len(r.Messages))
	for _, m := range r.Messages {
		texts[m.ID] = gist(m)
	}
	plan := history.Plan{
		Messages: r.Plan.Messages, Entries: r.Verdicts.Entries, Added: r.Verdicts.Added, Spans: r.Plan.SpansAmong(r.Verdicts.Entries),
		Sum: r.Verdicts.Sum, Rules: r.Request.Rules,
	}
	past := requestOf(plan, func(id int64) string { return texts[id] })
	past.Past = &r
	if short, ok := record.ShortfallOf(r.Request); ok {
		past.FirstRead = record.FirstRead(plan.Entries, plan.Sum, short)
	}
	return past
}

// Counted writes a number of tokens in the server's measure, so that the parts add up to the total.
func (r *Request) Counted(n int) string { return theme.Thousands(r.Plan.Sum.Tokens(n)) }

// rows are the lines of a request's list: one for every message, and one for every text that winnow
// added, at its place. The messages are not copied: a hundred thousand cost as much as ten.
type rows struct {
	Entries []history.Entry
	Added   []history.Added
	At      []int // the line of each of the added, rising
}

func rowsOf(p history.Plan) rows {
	r := rows{Entries: p.Entries, Added: slices.Clone(p.Added)}
	slices.SortStableFunc(r.Added, func(a, b history.Added) int { return a.At - b.At })
	for i, a := range r.Added {
		r.At = append(r.At, i+a.At)
	}
	return r
}

// Len is how many lines there are.
func (r rows) Len() int { return len(r.Entries) + len(r.Added) }

// row is one line of the list: a message's entry or an added text.
type row struct {
	Entry *history.Entry
	Added *history.Added
}

// Row is the line i; one without anything where there is no such line.
func (r rows) Row(i int) row {
	k, is := slices.BinarySearch(r.At, i)
	switch {
	case i < 0 || i >= r.Len():
		return row{}
	case is:
		return row{Added: &r.Added[k]}
	}
	return row{Entry: &r.Entries[i-k]}
}

// Line is the line of the entry with this index.
func (r rows) Line(entry int) int {
	k, _ := slices.BinarySearchFunc(r.Added, entry, func(a history.Added, entry int) int {
		if a.At <= entry {
			return -1
		}
		return 1
	})
	return entry + k
}

// Missing says why there is no request to show.
func (r *Request) Missing() string {
	if r.Note != "" {
		return markdown.Visible(r.Note)
	}
	return "The plan appears with the first message."
}
