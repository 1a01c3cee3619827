package ui

import (
	"slices"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/theme"
)

// request is one request as the screen shows it: the next one, or one that was sent.
type request struct {
	plan   history.Plan
	rows   rows
	counts session.Counts
	ready  bool               // there is a plan
	note   string             // why there is none, or why it cannot be sent
	input  pricing.Cost       // what the next request costs before its answer
	past   *session.Replayed  // the record and its proof; nil for the next request
	now    *request           // what a trial is compared with; nil for what is no trial
	signs  map[int64]string   // what a trial changes for a message, by its id
	texts  func(int64) string // what a message says, by its id

	firstRead int // index of the first message that the server can have read; 0 is all
}

// requestOf is a request that has not left.
func requestOf(plan history.Plan, texts func(int64) string) request {
	return request{plan: plan, rows: rowsOf(plan), counts: session.CountsOf(plan.Entries, plan.Added, nil), ready: true, texts: texts}
}

// pastRequest is a request as its record has it. The verdicts are the recorded ones, whatever today's
// rules would say; only the texts come from the messages.
func pastRequest(r session.Replayed) request {
	texts := make(map[int64]string, len(r.Messages))
	for _, m := range r.Messages {
		texts[m.ID] = gist(m)
	}
	plan := history.Plan{
		Messages: r.Plan.Messages, Entries: r.Verdicts.Entries, Added: r.Verdicts.Added,
		Sum: r.Verdicts.Sum, Rules: r.Request.Rules,
	}
	past := requestOf(plan, func(id int64) string { return texts[id] })
	past.past = &r
	if short, ok := session.ShortfallOf(r.Request); ok {
		past.firstRead = session.FirstRead(plan.Entries, plan.Sum, short)
	}
	return past
}

// gist is what a message is known by in a list: its text, or its calls where it has none.
func gist(m store.Message) string {
	if callsOnly(m) {
		return callText(m.ToolCalls)
	}
	return m.Content
}

// counted writes a number of tokens in the server's measure, so that the parts add up to the total.
func (r *request) counted(n int) string { return theme.Thousands(r.plan.Sum.Tokens(n)) }

// rows are the lines of a request's list: one for every message, and one for every text that nobody
// said, where it stands. The messages are not copied: a hundred thousand cost as much as ten.
type rows struct {
	entries []history.Entry
	added   []history.Added
	at      []int // the line of each of the added, rising
}

func rowsOf(p history.Plan) rows {
	r := rows{entries: p.Entries, added: slices.Clone(p.Added)}
	slices.SortStableFunc(r.added, func(a, b history.Added) int { return a.At - b.At })
	for i, a := range r.added {
		r.at = append(r.at, i+a.At)
	}
	return r
}

func (r rows) len() int { return len(r.entries) + len(r.added) }

// row is one line of the list: a message's entry or an added text.
type row struct {
	entry *history.Entry
	added *history.Added
}

// row is the line i; one without anything where there is no such line.
func (r rows) row(i int) row {
	k, is := slices.BinarySearch(r.at, i)
	switch {
	case i < 0 || i >= r.len():
		return row{}
	case is:
		return row{added: &r.added[k]}
	}
	return row{entry: &r.entries[i-k]}
}

// line is where the entry with this index stands.
func (r rows) line(entry int) int {
	k, _ := slices.BinarySearchFunc(r.added, entry, func(a history.Added, entry int) int {
		if a.At <= entry {
			return -1
		}
		return 1
	})
	return entry + k
}
