package report

import (
	"winnow/history"
	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/settings"
	"winnow/session/store"
)

// ContextJSON is what context --json writes. It is a contract: fields are added, never renamed or
// removed. Tokens are counted ones; characters are Unicode code points.
type ContextJSON struct {
	Session string       `json:"session"`
	Model   string       `json:"model"`
	Rules   int          `json:"rules"`   // the version of the rules that decided
	Request *requestJSON `json:"request"` // the request of --turn, null for the next one
	// What the next request costs before its answer, null where that is not known.
	Input   *costJSON   `json:"input_cost"`
	Sum     sumJSON     `json:"sum"`
	Counts  countsJSON  `json:"counts"`
	Entries []EntryJSON `json:"entries"` // one per stored message, in order
	Added   []AddedJSON `json:"added"`   // text that nobody said
	Next    []int       `json:"next"`    // indexes into entries of what falls out next
	Error   string      `json:"error"`   // why nothing would be sent, "" where it would

	Settings []settingJSON `json:"settings"` // what decides the next request; empty for a request of the past
}

// settingJSON is a setting with where it comes from.
type settingJSON struct {
	Key   string `json:"key"`
	Value any    `json:"value"` // null for no limit
	From  string `json:"from"`
	Table string `json:"table"` // what of the configuration says so, "" where that is the key's own table
}

type requestJSON struct {
	ID        int64     `json:"id"`
	Turn      int       `json:"turn"`
	Nth       int       `json:"nth"`  // which of the turn's requests, from 1
	Of        int       `json:"of"`   // how many the turn has
	Sent      string    `json:"sent"` // RFC 3339, UTC
	Hash      string    `json:"hash"` // SHA-256 of the bytes that were sent
	Proven    bool      `json:"proven"`
	Doubt     string    `json:"doubt"` // why not proven, "" where it is
	Tokenizer string    `json:"tokenizer"`
	Ended     string    `json:"ended"`
	Finish    string    `json:"finish"`
	Error     string    `json:"error"`
	Retries   int       `json:"retries"`
	FirstMS   int64     `json:"first_token_ms"` // 0 where none came
	TookMS    int64     `json:"took_ms"`
	Usage     usageJSON `json:"usage"`
	Cost      *costJSON `json:"cost"` // null where it is not known
	// Tokens that the server was expected to count, where it read only usage.prompt of them; 0 where it read all.
	Unread int `json:"unread"`
	// Tokens at its beginning that were the same as in the request before, as the server counts; 0 for none or not
	// known.
	Reusable  int `json:"reusable"`
	FirstRead int `json:"first_read"` // index of the first entry that it can have read then, else 0
}

// sumJSON has the parts as winnow counts; used and limit are tokens as the server counts, ratio of them
// to one of winnow's.
type sumJSON struct {
	System   int    `json:"system"`
	Tools    int    `json:"tools"`
	Pinned   int    `json:"pinned"`
	Body     int    `json:"body"`
	Recalled int    `json:"recalled"`
	Draft    int    `json:"draft"`
	Added    int    `json:"added"`
	Frame    int    `json:"frame"`
	Total    int    `json:"total"`         // the sum of the above
	Used     int    `json:"used"`          // total as the server counts: total * ratio
	Reserve  int    `json:"reserve"`       // of the window, for the reply
	Window   int    `json:"window"`        // 0 unknown
	WindowBy string `json:"window_source"` // who says so and since when, "" for a past request
	Budget   int    `json:"budget"`        // set by the user; 0 is automatic
	Limit    *int   `json:"limit"`         // null for none; used never exceeds it
	// What sets limit: budget, max_context_tokens or window; "" in records that do not say.
	Bound  string  `json:"bound"`
	Ratio  float64 `json:"ratio"`
	Margin float64 `json:"margin"`
	Sent   int     `json:"sent"`
	Stored int     `json:"stored"`
}

// countsJSON counts messages: the first one is the sum of the next seven.
type countsJSON struct {
	Stored      int `json:"stored"`
	Kept        int `json:"kept"`
	Cut         int `json:"cut"`
	Recalled    int `json:"recalled"`
	Dropped     int `json:"dropped"`
	Excluded    int `json:"excluded"`
	Quarantined int `json:"quarantined"`
	Blank       int `json:"blank"`
	Pinned      int `json:"pinned"`   // of those sent
	Repaired    int `json:"repaired"` // of those sent
	Added       int `json:"added"`    // markers and other text that nobody said
}

// EntryJSON is what became of one stored message.
type EntryJSON struct {
	Index       int    `json:"index"` // from 0
	ID          int64  `json:"id"`
	Label       string `json:"label"` // the id it had in the file it was imported from
	Role        string `json:"role"`
	Disposition string `json:"disposition"` // kept, cut, dropped, recalled, excluded, quarantined or blank
	Level       int    `json:"level"`       // 0 not sent, 1 at the limits, 2 answers whole, 3 whole
	// The same of what stands in its place: less where more is recalled to the front.
	Place        int          `json:"place"`
	Reason       string       `json:"reason"`
	Pinned       bool         `json:"pinned"`
	Whole        bool         `json:"whole"`         // all of its text is in the request
	Recalled     bool         `json:"recalled"`      // because the current message is about it
	TokensBefore int          `json:"tokens_before"` // as winnow counts
	TokensAfter  int          `json:"tokens_after"`
	UsedBefore   int          `json:"used_before"` // as the server counts
	UsedAfter    int          `json:"used_after"`
	CharsBefore  int          `json:"chars_before"`
	CharsAfter   int          `json:"chars_after"`
	Cuts         [][2]int     `json:"cuts"` // half-open ranges of characters that are not sent
	Inserted     []insertJSON `json:"inserted"`
	Repairs      []repairJSON `json:"repairs"`
}

type insertJSON struct {
	At   int    `json:"at"`
	Text string `json:"text"`
}

type repairJSON struct {
	Kind   string `json:"kind"`
	What   string `json:"what"`
	Before string `json:"before"`
	After  string `json:"after"`
	Remedy string `json:"remedy"` // repair, or what the user had sent instead: text or drop
}

// AddedJSON is text in a request that no message has.
type AddedJSON struct {
	Kind   string `json:"kind"`
	Before int    `json:"before"` // index of the request's message it stands in or is
	At     int    `json:"at"`     // index into entries of the message it stands in or in front of
	Text   string `json:"text"`
	Tokens int    `json:"tokens"` // as winnow counts
	Used   int    `json:"used"`   // as the server counts
	Reason string `json:"reason"`
}

// JSON is what context --json writes.
func (l Context) JSON() ContextJSON {
	o := ContextJSON{
		Session: l.Info.ID, Model: l.Model, Rules: l.Plan.Rules, Input: costObject(l.Input), Sum: sumObject(l.Plan.Sum),
		Counts:  countsObject(l.Plan),
		Entries: make([]EntryJSON, 0, len(l.Plan.Entries)), Added: []AddedJSON{}, Next: append([]int{}, l.Plan.Next...),
		Settings: []settingJSON{},
	}
	for _, s := range l.Settings {
		object := settingJSON(s)
		if s.Value == history.NoLimit {
			object.Value = nil
		}
		o.Settings = append(o.Settings, object)
	}
	if l.Past == nil && l.Window.Tokens > 0 {
		o.Sum.WindowBy = l.Window.Origin()
	}
	if l.Past != nil {
		o.Request = requestObject(*l.Past)
	}
	if l.Over != nil {
		o.Error = ErrorText(l.Over)
	}
	for _, e := range l.Plan.Entries {
		o.Entries = append(o.Entries, entryObject(e, l.Plan.Sum, l.Labels[e.ID]))
	}
	for _, a := range l.Plan.Added {
		o.Added = append(o.Added, AddedJSON{
			Kind: string(a.Kind), Before: a.Before, At: a.At, Text: a.Text, Tokens: a.Tokens,
			Used: l.Plan.Sum.Tokens(a.Tokens), Reason: a.Cause.Sentence(),
		})
	}
	return o
}

func requestObject(r record.Replayed) *requestJSON {
	q := r.Request
	return &requestJSON{
		ID: q.ID, Turn: q.Turn, Nth: r.Nth, Of: r.Of, Sent: stamp(q.Created), Hash: q.BodyHash, Proven: r.Proven,
		Doubt:     r.Doubt,
		Tokenizer: q.Tokenizer, Ended: string(q.End), Finish: q.Finish, Error: q.Error, Retries: q.Retries,
		FirstMS: q.FirstToken.Milliseconds(), TookMS: q.Took.Milliseconds(),
		Usage: usageJSON{q.Prompt, q.Cached, q.Answer, q.Reasoning, q.CacheWrite}, Cost: costObject(record.CostOf(q)),
		Unread: q.CutExpected, FirstRead: firstRead(r),
		Reusable: q.Reusable,
	}
}

// firstRead is the index of the first message that the server can have read of a past request, 0 where it
// read all.
func firstRead(r record.Replayed) int {
	short, ok := record.ShortfallOf(r.Request)
	if !ok {
		return 0
	}
	return record.FirstRead(r.Verdicts.Entries, r.Verdicts.Sum, short)
}

func sumObject(s history.Sum) sumJSON {
	o := sumJSON{
		System: s.System, Tools: s.Tools, Pinned: s.Pinned, Body: s.Body, Recalled: s.Recalled, Draft: s.Draft,
		Added: s.Added, Frame: s.Frame, Total: s.Total, Used: s.Used(), Reserve: s.Reserve, Window: s.Window,
		Budget: s.Budget, Bound: string(s.Bound),
		Ratio: s.Ratio, Margin: s.Margin, Sent: s.Sent, Stored: s.Stored,
	}
	if s.Limit != history.NoLimit {
		o.Limit = &s.Limit
	}
	return o
}

func countsObject(p history.Plan) countsJSON {
	c := store.TallyOf(p.Entries)
	return countsJSON{
		Stored: c.Stored, Kept: c.Kept, Cut: c.Cut, Recalled: c.Recalled, Dropped: c.Dropped, Excluded: c.Excluded,
		Quarantined: c.Quarantined, Blank: c.Blank, Pinned: c.Pinned, Repaired: c.Repaired, Added: len(p.Added),
	}
}

func entryObject(e history.Entry, sum history.Sum, label string) EntryJSON {
	o := EntryJSON{
		Index: e.Index, ID: e.ID, Label: label, Role: string(e.Role), Disposition: string(e.Disposition),
		Level: int(e.Level),
		Place: int(e.Place), Reason: e.Cause.Sentence(), Pinned: e.Pinned, Whole: e.Whole, Recalled: e.Recalled,
		TokensBefore: e.TokensBefore, TokensAfter: e.TokensAfter,
		UsedBefore: sum.Tokens(e.TokensBefore), UsedAfter: sum.Tokens(e.TokensAfter), CharsBefore: e.CharsBefore,
		CharsAfter: e.CharsAfter,
		Cuts:       [][2]int{}, Inserted: []insertJSON{}, Repairs: []repairJSON{},
	}
	for _, c := range e.Cuts {
		o.Cuts = append(o.Cuts, [2]int{c.From, c.To})
	}
	for _, in := range e.Inserted {
		o.Inserted = append(o.Inserted, insertJSON(in))
	}
	for _, r := range e.Repairs {
		o.Repairs = append(o.Repairs, repairObject(r))
	}
	return o
}

// Context is a request to be shown: the next one, or one of the past.
type Context struct {
	Info     store.Session
	Model    string
	Plan     history.Plan
	Messages branch.Branch            // those the plan is about
	Labels   map[int64]string         // of those that have one in the file that they were imported from, by their ids
	Over     *history.OverBudgetError // why the next request would not be sent, nil where it would
	Input    pricing.Cost             // what the next request costs before its answer
	Past     *record.Replayed         // nil for the next request
	Settings []settings.Setting       // what decides the next request
	Window   llm.Window               // of the model that the next request asks
}
