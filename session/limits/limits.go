// Package limits decides whether a request stays within the user's limits on tokens and money. It gets what was spent
// so far and the estimate for the request; it reads no store and no clock.
package limits

import (
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"

	"winnow/llm/pricing"
)

// Amount is a number of tokens and a cost. As a limit, 0 is no limit.
type Amount struct {
	Tokens int // of requests and answers
	Cost   pricing.Money
}

// Scope is what a limit applies to.
type Scope string

// The scopes, from the narrowest.
const (
	PerRequest Scope = "request"
	PerSession Scope = "session"
	PerDay     Scope = "day"
	PerMonth   Scope = "month"
)

// Limits are what the user allows. The zero value allows everything.
type Limits struct {
	Request, Session, Day, Month Amount

	AskUnknownPrice bool // with a limit on cost: ask before a request whose cost cannot be estimated
}

// IsSet reports whether there is any limit.
func (l Limits) IsSet() bool { return l != Limits{AskUnknownPrice: l.AskUnknownPrice} }

// OnCost reports whether there is a limit on cost.
func (l Limits) OnCost() bool {
	return l.Request.Cost > 0 || l.Session.Cost > 0 || l.Day.Cost > 0 || l.Month.Cost > 0
}

// of returns the limit of a scope.
func (l *Limits) of(scope Scope) *Amount {
	return map[Scope]*Amount{PerRequest: &l.Request, PerSession: &l.Session, PerDay: &l.Day, PerMonth: &l.Month}[scope]
}

// SpentBefore is what was spent before a request.
type SpentBefore struct{ Session, Day, Month Amount }

// Estimate is what a request is expected to use, including the longest answer that it allows.
type Estimate struct {
	Tokens int
	Cost   pricing.Cost // without From for the user's own servers, which cost nothing
}

// ExceededLimit is one limit that a request would exceed.
type ExceededLimit struct {
	Scope    Scope
	OnTokens bool   // the limit is on tokens, otherwise on cost
	Limit    Amount // the limit of the scope
	Total    Amount // the total of the scope, including the request
}

// OverLimit is why a request is not sent without asking. The zero value means that it may be sent.
type OverLimit struct {
	Estimate     Estimate
	Exceeded     []ExceededLimit // the narrowest scope first
	PriceUnknown bool            // its cost cannot be estimated, and Limits.AskUnknownPrice is set
}

// Any reports whether there is a reason to ask.
func (o OverLimit) Any() bool { return len(o.Exceeded) > 0 || o.PriceUnknown }

// Check returns which limits a request would exceed. Reaching a limit exactly does not exceed it. Limits on cost never
// hold back a request that is free as far as is known.
func (l Limits) Check(s SpentBefore, e Estimate) OverLimit {
	o := OverLimit{Estimate: e, PriceUnknown: l.AskUnknownPrice && l.Unpriced(e)}
	free := e.Cost.From == "" || e.Cost.Known() && e.Cost.Amount == 0
	add := func(scope Scope, before Amount) {
		limit, total := *l.of(scope), Amount{before.Tokens + e.Tokens, before.Cost + e.Cost.Amount}
		if limit.Tokens > 0 && total.Tokens > limit.Tokens {
			o.Exceeded = append(o.Exceeded, ExceededLimit{scope, true, limit, total})
		}
		if limit.Cost > 0 && total.Cost > limit.Cost && !free {
			o.Exceeded = append(o.Exceeded, ExceededLimit{scope, false, limit, total})
		}
	}
	add(PerRequest, Amount{})
	add(PerSession, s.Session)
	add(PerDay, s.Day)
	add(PerMonth, s.Month)
	if !o.Any() {
		return OverLimit{}
	}
	return o
}

// Unpriced reports whether a limit on cost cannot be checked, because the price of the request is unknown.
func (l Limits) Unpriced(e Estimate) bool { return l.OnCost() && e.Cost.From == pricing.Unpriced }

// Raised returns the limits with each exceeded one doubled until it leaves room for more than the request.
func (l Limits) Raised(o OverLimit) Limits {
	l.AskUnknownPrice = l.AskUnknownPrice && !o.PriceUnknown
	for _, x := range o.Exceeded {
		*l.of(x.Scope) = x.raise(*l.of(x.Scope))
	}
	return l
}

// raise returns a limit, raised where it is exceeded.
func (x ExceededLimit) raise(limit Amount) Amount {
	if x.OnTokens {
		limit.Tokens = doubled(limit.Tokens, x.Total.Tokens)
	} else {
		limit.Cost = doubled(limit.Cost, x.Total.Cost)
	}
	return limit
}

// doubled returns a limit doubled until it holds half as much again as the total, so that the next, longer request does
// not ask again at once. A limit of 0 stays 0.
func doubled[N int | pricing.Money](limit, total N) N {
	for limit > 0 && limit < total+total/2 {
		if limit > math.MaxInt64/2 {
			return total
		}
		limit *= 2
	}
	return limit
}

// Answer is the user's decision about a request that would exceed a limit.
type Answer string

// The answers.
const (
	DoNotSend  Answer = "no"    // it is not sent
	SendOnce   Answer = "once"  // it is sent, and the limits stay
	RaiseLimit Answer = "raise" // it is sent, and the limits are raised for the session
)

// names has the words for each scope: after a limit, and as the subject of a sentence.
var names = map[Scope]struct{ per, whole string }{
	PerRequest: {" per request", "this request"},
	PerSession: {" per chat", "this chat"},
	PerDay:     {" per day", "today"},
	PerMonth:   {" per month", "this month"},
}

// Clause returns what a request would exceed as a part of a sentence: "this request is estimated at ~$0.42, above your
// limit of $0.25 per request".
func (o OverLimit) Clause() string {
	var parts []string
	for _, x := range o.Exceeded {
		total := "~" + x.text(x.Total)
		if !x.OnTokens {
			total = pricing.Cost{Amount: x.Total.Cost, From: pricing.Estimated}.String()
		}
		text := "this request is estimated at " + total
		if x.Scope != PerRequest {
			text = fmt.Sprintf("with this request %s comes to %s", names[x.Scope].whole, total)
		}
		parts = append(parts, text+", above your limit of "+x.text(x.Limit)+names[x.Scope].per)
	}
	if o.PriceUnknown {
		parts = append(parts, "the cost of this request cannot be estimated, because the price of the model is not "+
			"known")
	}
	return strings.Join(parts, "; ")
}

// Sentence returns Clause as a sentence.
func (o OverLimit) Sentence() string {
	clause := o.Clause()
	if clause == "" {
		return ""
	}
	return strings.ToUpper(clause[:1]) + clause[1:] + "."
}

// Short names the first exceeded limit for a short line: "above $0.25 per request".
func (o OverLimit) Short() string {
	switch {
	case len(o.Exceeded) > 0:
		x := o.Exceeded[0]
		return "above " + x.text(x.Limit) + names[x.Scope].per
	case o.PriceUnknown:
		return "price not known"
	}
	return ""
}

// ConfigKeys returns the configuration keys of the exceeded limits.
func (o OverLimit) ConfigKeys() []string {
	var keys []string
	for _, x := range o.Exceeded {
		what := "_cost"
		if x.OnTokens {
			what = "_tokens"
		}
		keys = append(keys, string(x.Scope)+what)
	}
	if o.PriceUnknown {
		keys = append(keys, "unknown_price")
	}
	return keys
}

// RaisedTo returns what Raised would set: "$0.50 per request".
func (o OverLimit) RaisedTo() string {
	var parts []string
	for _, x := range o.Exceeded {
		parts = append(parts, x.text(x.raise(x.Limit))+names[x.Scope].per)
	}
	return strings.Join(parts, ", ")
}

// text formats the tokens or the cost of an amount, whichever the limit is on.
func (x ExceededLimit) text(a Amount) string {
	if x.OnTokens {
		return humanize.Comma(int64(a.Tokens)) + " tokens"
	}
	return a.Cost.String()
}
