// Package limits decides whether a request stays within the limits that the user set on tokens and money. It
// is given what was spent so far and what the request is estimated to take; it reads no store and no clock.
package limits

import (
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"

	"winnow/llm/pricing"
)

// Amount is tokens and money. As a limit, what is 0 is not limited.
type Amount struct {
	Tokens int // of requests and answers
	Cost   pricing.Money
}

// Scope is what a limit holds for.
type Scope string

// The scopes, from the narrowest on.
const (
	PerRequest Scope = "request"
	PerSession Scope = "session"
	PerDay     Scope = "day"
	PerMonth   Scope = "month"
)

// Limits are what the user allows. The zero value allows everything.
type Limits struct {
	Request, Session, Day, Month Amount

	AskUnknownPrice bool // ask before a request whose cost cannot be estimated, where a cost is limited
}

// Any says whether there is a limit.
func (l Limits) IsSet() bool { return l != Limits{AskUnknownPrice: l.AskUnknownPrice} }

// OnCost says whether there is a limit on money.
func (l Limits) OnCost() bool {
	return l.Request.Cost > 0 || l.Session.Cost > 0 || l.Day.Cost > 0 || l.Month.Cost > 0
}

// of is the limit of a scope.
func (l *Limits) of(scope Scope) *Amount {
	return map[Scope]*Amount{PerRequest: &l.Request, PerSession: &l.Session, PerDay: &l.Day, PerMonth: &l.Month}[scope]
}

// Spent is what was used before a request.
type SpentBefore struct{ Session, Day, Month Amount }

// Estimate is what a request is expected to take, together with the answer that it leaves room for.
type Estimate struct {
	Tokens int
	Cost   pricing.Cost // without a source for a server of the user's own that costs nothing
}

// Exceeded is one limit that a request would exceed.
type ExceededLimit struct {
	Scope    Scope
	OnTokens bool   // the limit is on tokens, else on money
	Limit    Amount // the one of the scope
	Total    Amount // of the scope, with the request
}

// Over is why a request is not sent without asking. The zero value is no reason.
type OverLimit struct {
	Estimate     Estimate
	Exceeded     []ExceededLimit // the narrowest scope first, each limit once
	PriceUnknown bool            // its cost cannot be estimated, and Limits.AskUnknown is set
}

// Any says whether there is a reason.
func (o OverLimit) Any() bool { return len(o.Exceeded) > 0 || o.PriceUnknown }

// Check says which limits a request would exceed. A limit that is reached exactly is not exceeded. What costs nothing,
// for all that is known, is not kept back by a limit on money.
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

// Unchecked says that a limit on money cannot be compared with the request, because its price is not known.
func (l Limits) Unpriced(e Estimate) bool {
	return l.OnCost() && e.Cost.From == pricing.Unpriced
}

// Raised are the limits with those that a request exceeds doubled until they leave room for more than it.
func (l Limits) Raised(o OverLimit) Limits {
	l.AskUnknownPrice = l.AskUnknownPrice && !o.PriceUnknown
	for _, x := range o.Exceeded {
		*l.of(x.Scope) = x.raise(*l.of(x.Scope))
	}
	return l
}

// raise is a limit, raised where it is exceeded.
func (x ExceededLimit) raise(limit Amount) Amount {
	if x.OnTokens {
		limit.Tokens = doubled(limit.Tokens, x.Total.Tokens)
	} else {
		limit.Cost = doubled(limit.Cost, x.Total.Cost)
	}
	return limit
}

// doubled is a limit doubled until it holds a total and half as much again: a conversation grows, and the next
// request is not to be asked about at once. No limit stays none.
func doubled[N int | pricing.Money](limit, total N) N {
	for limit > 0 && limit < total+total/2 {
		if limit > math.MaxInt64/2 {
			return total
		}
		limit *= 2
	}
	return limit
}

// Answer is what the user decides about a request that would exceed a limit.
type Answer string

// The answers.
const (
	DoNotSend  Answer = "no"    // it is not sent
	SendOnce   Answer = "once"  // it is sent, and the limits stay
	RaiseLimit Answer = "raise" // it is sent, and the limits are raised for the session
)

// names are what the scopes are called: as the owner of a limit, and as what a request adds to.
var names = map[Scope]struct{ per, whole string }{
	PerRequest: {" per request", "this request"},
	PerSession: {" per chat", "this chat"},
	PerDay:     {" per day", "today"},
	PerMonth:   {" per month", "this month"},
}

// Clause says what a request would exceed, to stand in a sentence: "this request is estimated at ~$0.42, above
// your limit of $0.25 per request".
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

// Sentence is Clause as a sentence.
func (o OverLimit) Sentence() string {
	clause := o.Clause()
	if clause == "" {
		return ""
	}
	return strings.ToUpper(clause[:1]) + clause[1:] + "."
}

// Short names the first limit that a request would exceed, for a line with little room: "above $0.25 per request".
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

// Keys are the limits by their keys in the configuration.
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

// RaisedTo says what Raised does: "$0.50 per request".
func (o OverLimit) RaisedTo() string {
	var parts []string
	for _, x := range o.Exceeded {
		parts = append(parts, x.text(x.raise(x.Limit))+names[x.Scope].per)
	}
	return strings.Join(parts, ", ")
}

// text is the tokens or the money of an amount, as the limit is on the one or the other.
func (x ExceededLimit) text(a Amount) string {
	if x.OnTokens {
		return humanize.Comma(int64(a.Tokens)) + " tokens"
	}
	return a.Cost.String()
}
