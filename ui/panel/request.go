package panel

import (
	"slices"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/markdown"
)

// Request is one request as the screen shows it: the next one, or one that was sent.
type Request struct {
	Plan   history.Plan
	Rows   rows
	Counts store.Tally
	Ready  bool             // there is a plan
	Note   string           // why there is none, or why it cannot be sent
	Over   int              // how many tokens it has too many, as the server counts them; 0 where it fits
	Input  pricing.Cost     // what the next request costs before its answer
	Limit  string           // the limit that it would exceed, "" for none
	Spent  string           // what the session has spent, beside the next request; "" for nothing to say
	Past   *record.Replayed // the record and its proof; nil for the next request
	now    *Request         // what a trial is compared with; nil for what is no trial
	moves  map[int64]move   // what a trial changes for a message, by its id
	texts  func(int64) said // how a message begins and who said it, by its id

	FirstRead int  // index of the first message that the server can have read; 0 is all
	system    bool // a message of the system is among the others
	saved     int  // the most tokens that are saved at one message, as they are counted
	estimate  int  // the tokens of a past request as they were estimated before the server counted it
	counted   bool // Plan's numbers add up to the server's own count
}

// said is a message as a row shows it.
type said struct {
	text  string
	model string // that answered, "" for none
}

// requestOf is a request that has not left.
func requestOf(plan history.Plan, texts func(int64) said) Request {
	r := Request{
		Plan: plan, Counts: store.TallyOf(plan.Entries), Ready: true, texts: texts,
	}
	r.Rows = rowsOf(plan)
	r.fold()
	return r
}

// PastRequest is a request as its record has it. The verdicts are the recorded ones, whatever today's
// rules would say; only the texts come from the messages, each by its gist.
func PastRequest(r record.Replayed, gist func(store.Message) string) Request {
	plan := history.Plan{
		Messages: r.Plan.Messages, Entries: r.Verdicts.Entries, Added: r.Verdicts.Added,
		Spans: r.Plan.SpansAmong(r.Verdicts.Entries),
		Sum:   r.Verdicts.Sum, Rules: r.Request.Rules,
	}
	short, dropped := record.ShortfallOf(r.Request)
	estimate, counted := plan.Sum.Used(), false
	if n := r.Request.Prompt; n > 0 && !dropped && plan.Sum.Total > 0 {
		// The server has counted the request as a whole: its parts are shares of that.
		plan.Sum.Ratio, counted = float64(n)/float64(plan.Sum.Total), true
	}
	past := requestOf(plan, func(id int64) said {
		m, there, err := r.Messages.ByID(id)
		if !there || err != nil {
			return said{}
		}
		return said{gist(m), m.Model}
	})
	past.Past, past.estimate, past.counted = &r, estimate, counted
	if dropped {
		past.FirstRead = record.FirstRead(plan.Entries, plan.Sum, short)
		past.fold()
	}
	return past
}

// Whole says that every message is sent, and whole.
func (r *Request) Whole() bool { return r.Counts.Stored > 0 && r.Counts.Kept == r.Counts.Stored }

// full is the share of the limit, in percent, from which a request that is whole says what falls out next.
const full = 85

// tight says that there is little room left in the request, so that something soon falls out of it.
func (r *Request) tight() bool {
	s := r.Plan.Sum
	return s.Limit > 0 && s.Used() > s.Limit/100*full
}

// fixed is what a request costs before any message: the system prompt and the tools. What the chat format costs around
// the messages counts as theirs.
func (r *Request) fixed() int { return r.share("system", "tools") }

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

// Missing says why there is no request to show.
func (r *Request) Missing() string {
	if r.Note != "" {
		return markdown.Visible(r.Note)
	}
	return "Nothing to send yet."
}
