package report

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/session/record"
	"winnow/session/settings"
	"winnow/session/store"
)

// Table writes a request for people, its lines broken at a width; 0 breaks none: where the tokens go, then a line for
// every message with the reason for what became of it.
func (l Context) Table(out io.Writer, width int) error {
	w := newColumns(out, width)
	contextHead(w, l)
	w.line("")
	first := 0
	if l.Past != nil {
		first = firstRead(*l.Past)
	}
	contextRows(w, l.Plan, first)
	if len(l.Plan.Added)+len(l.Plan.Next) > 0 {
		w.line("")
	}
	for _, a := range l.Plan.Added {
		w.line("added: %s, %d tokens: %s", a.Kind, l.Plan.Sum.Tokens(a.Tokens), Sentence(a.Cause.Sentence()))
	}
	for _, i := range l.Plan.Next[:min(len(l.Plan.Next), 1)] {
		w.line("next to be dropped: message %d", l.Plan.Entries[i].Index+1)
	}
	return w.Flush()
}

// contextHead says which request it is and where its tokens go.
func contextHead(w *columns, l Context) {
	w.line("%s · %s", Line(ShownTitle(l.Info)), Line(l.Model))
	if l.Past != nil {
		pastHead(w, *l.Past)
	}
	s := l.Plan.Sum
	var shares []counted
	for _, share := range s.Shares() {
		shares = append(shares, counted{share.Name, share.Tokens})
	}
	w.line("~%d of %s tokens: %s", s.Used(), limitText(s.Limit), listed(shares...))
	w.line("%s", boundText(s))
	if l.Past == nil && l.Window.Tokens > 0 {
		w.line("window of %d: %s", l.Window.Tokens, Line(l.Window.Origin()))
	}
	if len(l.Settings) > 0 {
		w.line("%s", Sentence(settings.Text(l.Settings)))
	}
	if l.Input.Known() {
		w.line("its input would cost %s%s", l.Input, pricedBy(l.Input))
	}
	c := store.TallyOf(l.Plan.Entries)
	w.line("%d of %d messages sent: %s", c.Sent(), c.Stored, listed(
		counted{"kept", c.Kept}, counted{"cut", c.Cut}, counted{"recalled", c.Recalled}, counted{"dropped", c.Dropped},
		counted{"excluded", c.Excluded}, counted{"quarantined", c.Quarantined}, counted{"blank", c.Blank},
		counted{"pinned", c.Pinned}, counted{"repaired", c.Repaired}))
}

// boundText says what sets the limit of a request.
func boundText(s history.Sum) string {
	window := "the window is unknown"
	if s.Window > 0 {
		window = fmt.Sprintf("the window is %d, %d of it kept free for the reply", s.Window, s.Reserve)
	}
	switch {
	case s.Capped():
		return fmt.Sprintf("budget %d, capped by the model's window of %d, %d of it kept free for the reply", s.Budget,
			s.Window, s.Reserve)
	case s.Bound == history.BoundWindow:
		return fmt.Sprintf("limited by the model's window of %d, %d of it kept free for the reply", s.Window, s.Reserve)
	case s.Bound == history.BoundBudget:
		return fmt.Sprintf("limited by the budget; %s", window)
	case s.Bound == history.BoundUnread:
		return fmt.Sprintf("limited after a request that the server refused or of which it read only a part; %s",
			window)
	case s.Bound == history.BoundMaxContext:
		return fmt.Sprintf("limited by max_context_tokens; %s", window)
	}
	return fmt.Sprintf("window %s, kept free for the reply %d", WindowText(s.Window), s.Reserve)
}

// pricedBy says in brackets whose prices a cost was computed from, and nothing where the server said the cost.
func pricedBy(c pricing.Cost) string {
	if c.Source == "" {
		return ""
	}
	return " (by " + Line(c.Source) + ")"
}

// pastHead says when a request was sent, what came back, and whether it is proven.
func pastHead(w *columns, r record.Replayed) {
	q := r.Request
	proof := "proven by its hash"
	if !r.Proven {
		proof = "not proven"
	}
	w.line("turn %d, request %d of %d, sent %s UTC; %s", q.Turn, r.Nth, r.Of, q.Created.UTC().Format(time.DateTime),
		proof)
	ended := q.End
	if ended == "" {
		ended = "never"
	}
	cost := ""
	if c := record.CostOf(q).String(); c != "" {
		cost = "; it cost " + c + pricedBy(record.CostOf(q))
	}
	w.line("ended: %s, after %.1f s; the server counted %s%s", ended, q.Took.Seconds(),
		serverCount(q.Prompt, q.Cached, q.Answer), cost)
	if text := record.CacheUseOf(q).Sentence(strconv.Itoa); text != "" {
		w.line("%s", Sentence(text))
	}
	if short, ok := record.ShortfallOf(q); ok {
		w.line("the server read %d of ~%d tokens: it dropped part of the request", short.Reported, short.Expected)
	}
	if q.Error != "" {
		w.line("error: %s", Line(q.Error))
	}
}

// serverCount is the server's own count of a request and its answer.
func serverCount(prompt, cached, answer int) string {
	if prompt < 0 {
		return "nothing"
	}
	text := fmt.Sprintf("%d tokens", prompt)
	if cached >= 0 {
		text += fmt.Sprintf(" (%d of them cached, %d %%)", cached, 100*cached/max(1, prompt))
	}
	if answer >= 0 {
		text += fmt.Sprintf(" and %d of the answer", answer)
	}
	return text
}

// contextRows writes a line per message, and one per repair under it.
func contextRows(w *columns, plan history.Plan, first int) {
	row := func(e history.Entry) []string {
		return []string{fmt.Sprint(e.Index + 1), role(e.Role), verdict(e), tokensText(plan.Sum, e)}
	}
	for _, e := range plan.Entries {
		w.measure(row(e))
	}
	for _, e := range plan.Entries {
		reason := Sentence(e.Cause.Sentence())
		if record.NotRead(e, first) {
			reason = "not read by the server; " + reason
		}
		w.row(row(e), reason)
		for _, r := range e.Repairs {
			w.under(fmt.Sprintf("repaired (%s): %s", r.Kind, Sentence(r.Sentence())))
		}
	}
}

// tokensText is what a message costs, and what it would cost whole where that is another number.
func tokensText(s history.Sum, e history.Entry) string {
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
