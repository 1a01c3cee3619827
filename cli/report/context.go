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

// Context is a request to be shown: the next one, or one of the past. Tokens are counted ones but for Used; characters
// are Unicode code points.
type Context struct {
	Session  string // its id
	Title    string
	Model    string
	Rules    int                 // the version of the rules that decided
	Request  *Past               // the past request, nil for the next one
	Input    pricing.Cost        `json:"input_cost"` // what the next request costs before its answer
	Sum      history.TokenSum    // where its tokens go
	Used     int                 // all of them as the server counts
	Window   llm.Window          // of the model that the next request asks
	Counts   store.Tally         // of messages
	Entries  []history.Entry     // one per stored message, in order
	Added    []history.AddedText // text that nobody said
	Next     []int               // indexes into entries of what falls out next
	Error    string              // why nothing would be sent, "" where it would
	Settings []settings.Setting
}

// Past is a request that was sent.
type Past struct {
	store.Request
	Charged   pricing.Cost // what it cost
	Nth, Of   int          // it is the Nth of its turn, which has Of
	Proven    bool         // what was rebuilt has the hash of what was sent
	Doubt     string       // why not, "" where it has
	FirstRead int          // the index of the first message that the server can have read, 0 where it read all
}

// NewContext is the context of a plan.
func NewContext(info store.Session, model string, plan history.Plan) Context {
	return Context{
		Session: info.ID, Title: Title(info), Model: model, Rules: plan.Rules, Sum: plan.Sum, Used: plan.Sum.Used(),
		Counts:  store.TallyOf(plan.Entries),
		Entries: plan.Entries, Added: plan.Added, Next: plan.NextToDrop,
	}
}

// NewPast is a past request that was put together again.
func NewPast(r record.ReplayedRequest) *Past {
	past := &Past{
		Request: r.Request, Charged: record.CostOf(r.Request), Nth: r.Nth, Of: r.Of, Proven: r.Proven, Doubt: r.Doubt,
	}
	if short, ok := record.ServerTruncationOf(r.Request); ok {
		past.FirstRead = record.FirstReadByServer(r.Verdicts.Entries, r.Verdicts.Sum, short)
	}
	return past
}

// Table writes where the tokens go, then a line for every message with the reason for what became of it.
func (c Context) Table(p *Page) {
	c.head(p)
	p.Line("")
	c.rows(p)
	if len(c.Added)+len(c.Next) > 0 {
		p.Line("")
	}
	for _, a := range c.Added {
		p.Line("added: %s, %d tokens: %s", a.Kind, c.Sum.Tokens(a.Tokens), Sentence(a.Cause.Sentence()))
	}
	if len(c.Next) > 0 {
		p.Line("next to be dropped: message %d", c.Entries[c.Next[0]].Index+1)
	}
}

// rows writes a row for every message, and one for each repair under it.
func (c Context) rows(p *Page) {
	for _, e := range c.Entries {
		reason := Sentence(e.Cause.Sentence())
		if c.Request != nil && record.UnreadByServer(e, c.Request.FirstRead) {
			reason = "not read by the server; " + reason
		}
		p.Row(fmt.Sprint(e.Index+1), role(e.Role), verdict(e), tokensText(c.Sum, e), reason)
		for _, r := range e.Repairs {
			p.Under(fmt.Sprintf("repaired (%s): %s", r.Kind, Sentence(r.Sentence())))
		}
	}
}

// head says which request it is and where its tokens go.
func (c Context) head(p *Page) {
	p.Line("%s · %s", Line(c.Title), Line(c.Model))
	if c.Request != nil {
		c.Request.head(p)
	}
	var shares []counted
	for _, share := range c.Sum.Parts() {
		shares = append(shares, counted{share.Name, share.Tokens})
	}
	limit := "unlimited"
	if c.Sum.Limit != history.NoLimit && c.Sum.Limit > 0 {
		limit = fmt.Sprint(c.Sum.Limit)
	}
	p.Line("~%d of %s tokens: %s", c.Used, limit, listed(shares...))
	p.Line("%s", boundText(c.Sum))
	if c.Request == nil && c.Window.Tokens > 0 {
		p.Line("window of %d: %s", c.Window.Tokens, Line(c.Window.Origin()))
	}
	if len(c.Settings) > 0 {
		p.Line("%s", Sentence(settings.SummaryLine(c.Settings)))
	}
	if c.Input.Known() {
		p.Line("its input would cost %s%s", c.Input, pricedBy(c.Input))
	}
	n := c.Counts
	p.Line("%d of %d messages sent: %s", n.Sent(), n.Stored, listed(
		counted{"kept", n.Of[history.Kept]}, counted{"cut", n.Of[history.Cut]},
		counted{"recalled", n.Of[history.Recalled]}, counted{"dropped", n.Of[history.Dropped]},
		counted{"excluded", n.Of[history.Excluded]}, counted{"quarantined", n.Of[history.Unreadable]},
		counted{"blank", n.Of[history.Blank]},
		counted{"pinned", n.Pinned}, counted{"repaired", n.Repaired}))
}

// boundText says what sets the limit of a request.
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

// pricedBy says in brackets whose prices a cost was computed from, and nothing where the server said the cost.
func pricedBy(c pricing.Cost) string {
	if c.Source == "" {
		return ""
	}
	return " (by " + Line(c.Source) + ")"
}

// head says when a request was sent, what came back, and whether it is proven.
func (q Past) head(p *Page) {
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
		p.Line("%s", Sentence(text))
	}
	if short, ok := record.ServerTruncationOf(q.Request); ok {
		p.Line("the server read %d of ~%d tokens: it dropped part of the request", short.Reported, short.Expected)
	}
	if q.Error != "" {
		p.Line("error: %s", Line(q.Error))
	}
}

// serverCount is the server's own count of the request and its answer.
func (q Past) serverCount() string {
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

// tokensText is what a message costs, and what it would cost whole where that is another number.
func tokensText(s history.TokenSum, e history.Entry) string {
	if e.TokensAfter == e.TokensBefore {
		return fmt.Sprint(s.Tokens(e.TokensAfter))
	}
	return fmt.Sprintf("%d of %d", s.Tokens(e.TokensAfter), s.Tokens(e.TokensBefore))
}

// verdict is an entry's disposition with what else is true of it.
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
