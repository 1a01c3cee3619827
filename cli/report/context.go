package report

import (
	"fmt"
	"strconv"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/session/record"
	"winnow/session/settings"
	"winnow/session/store"
)

// ContextReport describes the next request or a past one. Token counts are winnow's, except Used; characters are
// Unicode code points.
type ContextReport struct {
	Session  string // its id
	Title    string
	Model    string
	Rules    int                 // version of the rules, see history.Rules
	Request  *PastRequest        // the past request, nil for the next one
	Input    pricing.Cost        `json:"input_cost"` // cost of the next request without its answer
	Sum      history.TokenSum    // where its tokens go
	Used     int                 // total tokens as the server counts
	Window   llm.Window          // of the model of the next request
	Counts   store.VerdictCounts // of messages
	Entries  []history.Entry     // one per stored message, in order
	Added    []history.AddedText // texts that winnow adds to the messages
	Next     []int               // indexes of the entries that would be dropped next
	Error    string              // why nothing would be sent, "" if it would
	Settings []settings.Setting
}

// PastRequest is a request that was sent.
type PastRequest struct {
	store.Request
	Charged   pricing.Cost // what it cost
	Nth, Of   int          // it is request Nth of Of in its turn, from 1
	Proven    bool         // the rebuilt body has the recorded hash
	Doubt     string       // why it is not proven, "" if it is
	FirstRead int          // index of the first message that the server can have read, 0 if it read all
}

// NewContextReport returns the report of a plan.
func NewContextReport(info store.Session, model string, plan history.Plan) ContextReport {
	return ContextReport{
		Session: info.ID, Title: SessionTitle(info), Model: model, Rules: plan.Rules, Sum: plan.Sum,
		Used: plan.Sum.Used(), Counts: store.CountVerdicts(plan.Entries),
		Entries: plan.Entries, Added: plan.Added, Next: plan.NextToDrop,
	}
}

// NewPastRequest returns a past request that was rebuilt.
func NewPastRequest(r record.ReplayedRequest) *PastRequest {
	past := &PastRequest{
		Request: r.Request, Charged: record.CostOf(r.Request), Nth: r.Nth, Of: r.Of, Proven: r.Proven, Doubt: r.Doubt,
	}
	if short, ok := record.ServerTruncationOf(r.Request); ok {
		past.FirstRead = record.FirstReadByServer(r.Verdicts.Entries, r.Verdicts.Sum, short)
	}
	return past
}

// Table writes where the tokens go, and a row for each message with the cause of its verdict.
func (c ContextReport) Table(p *Page) {
	c.head(p)
	p.Line("")
	c.rows(p)
	if len(c.Added)+len(c.Next) > 0 {
		p.Line("")
	}
	for _, a := range c.Added {
		p.Line("added: %s, %d tokens: %s", a.Kind, c.Sum.Tokens(a.Tokens), SafeLine(a.Cause.Sentence()))
	}
	if len(c.Next) > 0 {
		p.Line("next to be dropped: message %d", c.Entries[c.Next[0]].Index+1)
	}
}

// rows writes a row for each message and its repairs.
func (c ContextReport) rows(p *Page) {
	for _, e := range c.Entries {
		reason := SafeLine(e.Cause.Sentence())
		if c.Request != nil && record.UnreadByServer(e, c.Request.FirstRead) {
			reason = "not read by the server; " + reason
		}
		p.Row(fmt.Sprint(e.Index+1), role(e.Role), verdict(e), tokensText(c.Sum, e), reason)
		for _, r := range e.Repairs {
			p.RowNote(fmt.Sprintf("repaired (%s): %s", r.Kind, SafeLine(r.Sentence())))
		}
	}
}

// head writes which request it is and where its tokens go.
func (c ContextReport) head(p *Page) {
	p.Line("%s · %s", ShortLine(c.Title), ShortLine(c.Model))
	if c.Request != nil {
		c.Request.head(p)
	}
	var shares []count
	for _, share := range c.Sum.Parts() {
		shares = append(shares, count{share.Name, share.Tokens})
	}
	limit := "unlimited"
	if c.Sum.Limit != history.NoLimit && c.Sum.Limit > 0 {
		limit = fmt.Sprint(c.Sum.Limit)
	}
	p.Line("~%d of %s tokens: %s", c.Used, limit, nonZero(shares...))
	p.Line("%s", boundText(c.Sum))
	if c.Request == nil && c.Window.Tokens > 0 {
		p.Line("window of %d: %s", c.Window.Tokens, ShortLine(c.Window.DatedSource()))
	}
	if len(c.Settings) > 0 {
		p.Line("%s", SafeLine(settings.SummaryLine(c.Settings)))
	}
	if c.Input.Known() {
		p.Line("its input would cost %s%s", c.Input, pricedBy(c.Input))
	}
	n := c.Counts
	p.Line("%d of %d messages sent: %s", n.Sent(), n.Stored, nonZero(
		count{"kept", n.Of[history.Kept]}, count{"cut", n.Of[history.Cut]},
		count{"recalled", n.Of[history.Recalled]}, count{"dropped", n.Of[history.Dropped]},
		count{"excluded", n.Of[history.Excluded]}, count{"quarantined", n.Of[history.Unreadable]},
		count{"blank", n.Of[history.Blank]},
		count{"pinned", n.Pinned}, count{"repaired", n.Repaired}))
}

// boundText says what limits the size of a request.
func boundText(s history.TokenSum) string {
	window := "the window is unknown"
	if s.Window > 0 {
		window = fmt.Sprintf("the window is %d, %d of it kept free for the reply", s.Window, s.Reserve)
	}
	by := "limited by the model's window"
	switch {
	case s.Capped():
		by = fmt.Sprintf("budget %d, capped by the model's window", s.Budget)
	case s.Bound == history.BoundBudget:
		by = "limited by the budget"
	case s.Bound == history.BoundLearned:
		by = "limited after a request that the server refused or of which it read only a part"
	case s.Bound == history.BoundMaxContext:
		by = "limited by max_context_tokens"
	}
	return by + "; " + window
}

// pricedBy names in parentheses whose prices a cost was computed from, "" if the server reported the cost.
func pricedBy(c pricing.Cost) string {
	if c.Source == "" {
		return ""
	}
	return " (by " + ShortLine(c.Source) + ")"
}

// head writes when a request was sent, how it ended, and whether it is proven.
func (q PastRequest) head(p *Page) {
	proof := "proven by its hash"
	if !q.Proven {
		proof = "not proven"
	}
	p.Line("turn %d, request %d of %d, sent %s UTC; %s", q.Turn, q.Nth, q.Of, q.Created.UTC().Format(time.DateTime),
		proof)
	ended := string(q.End)
	if ended == "" {
		ended = "never"
	}
	cost := ""
	if c := q.Charged.String(); c != "" {
		cost = "; it cost " + c + pricedBy(q.Charged)
	}
	p.Line("ended: %s, after %.1f s; the server counted %s%s", ended, q.Took.Seconds(), q.serverCount(), cost)
	if text := record.CacheUseOf(q.Request).Sentence(strconv.Itoa); text != "" {
		p.Line("%s", SafeLine(text))
	}
	if short, ok := record.ServerTruncationOf(q.Request); ok {
		p.Line("the server read %d of ~%d tokens: it dropped part of the request", short.Reported, short.Expected)
	}
	if q.Error != "" {
		p.Line("error: %s", ShortLine(q.Error))
	}
}

// serverCount returns the server's own token counts.
func (q PastRequest) serverCount() string {
	if q.Prompt < 0 {
		return "nothing"
	}
	text := fmt.Sprintf("%d tokens", q.Prompt)
	if q.Cached >= 0 {
		text += fmt.Sprintf(" (%d of them cached, %d %%)", q.Cached, 100*q.Cached/max(1, q.Prompt))
	}
	if q.Answer >= 0 {
		text += fmt.Sprintf(" and %d of the answer", q.Answer)
	}
	return text
}

// tokensText returns the tokens that are sent of a message, and its whole size if that differs.
func tokensText(s history.TokenSum, e history.Entry) string {
	if e.TokensAfter == e.TokensBefore {
		return fmt.Sprint(s.Tokens(e.TokensAfter))
	}
	return fmt.Sprintf("%d of %d", s.Tokens(e.TokensAfter), s.Tokens(e.TokensBefore))
}

// verdict returns the disposition of a message, and whether it is pinned or repaired.
func verdict(e history.Entry) string {
	text := string(e.Disposition)
	if e.Pinned {
		text += ", pinned"
	}
	if len(e.Repairs) > 0 {
		text += ", repaired"
	}
	return text
}
