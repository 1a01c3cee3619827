// Package limits decides whether a request stays within the limits that the user set on tokens and money. It
// is given what was spent so far and what the request is estimated to take; it reads no store and no clock.
package limits

import (
	"math"

	"winnow/llm/pricing"
)

// Amount is tokens and money. As a limit, what is 0 is not limited.
type Amount struct {
	Tokens int // of requests and answers
	Cost   pricing.Money
}

func (a Amount) plus(b Amount) Amount { return Amount{a.Tokens + b.Tokens, a.Cost + b.Cost} }

// Scope is what a limit holds for.
type Scope string

// The scopes, from the narrowest on.
const (
	Request Scope = "request"
	Session Scope = "session"
	Day     Scope = "day"
	Month   Scope = "month"
)

// Limits are what the user allows. The zero value allows everything.
type Limits struct {
	Request, Session, Day, Month Amount

	AskUnknown bool // ask before a request whose cost cannot be estimated, where a cost is limited
}

// Any says whether there is a limit.
func (l Limits) Any() bool { return l != Limits{AskUnknown: l.AskUnknown} }

// OnCost says whether there is a limit on money.
func (l Limits) OnCost() bool {
	return l.Request.Cost > 0 || l.Session.Cost > 0 || l.Day.Cost > 0 || l.Month.Cost > 0
}

// Spent is what was used before a request.
type Spent struct{ Session, Day, Month Amount }

// Estimate is what a request is expected to take, together with the answer that it leaves room for.
type Estimate struct {
	Tokens int
	Cost   pricing.Cost // without a source for a server of the user's own that costs nothing
}

func (e Estimate) amount() Amount { return Amount{e.Tokens, e.Cost.Amount} }

// Exceeded is one limit that a request would exceed.
type Exceeded struct {
	Scope    Scope
	OnTokens bool   // the limit is on tokens, else on money
	Limit    Amount // the one of the scope
	Total    Amount // of the scope, with the request
}

// Over is why a request is not sent without asking. The zero value is no reason.
type Over struct {
	Estimate Estimate
	Exceeded []Exceeded // the narrowest scope first, each limit once
	Unknown  bool       // its cost cannot be estimated, and Limits.AskUnknown is set
}

// Any says whether there is a reason.
func (o Over) Any() bool { return len(o.Exceeded) > 0 || o.Unknown }

// scoped are the limits with what was spent before, in the order of the scopes.
func (l *Limits) scoped(s Spent) []struct {
	scope Scope
	limit *Amount
	spent Amount
} {
	return []struct {
		scope Scope
		limit *Amount
		spent Amount
	}{
		{Request, &l.Request, Amount{}},
		{Session, &l.Session, s.Session},
		{Day, &l.Day, s.Day},
		{Month, &l.Month, s.Month},
	}
}

// Check says which limits a request would exceed. A limit that is reached exactly is not exceeded.
func (l Limits) Check(s Spent, e Estimate) Over {
	o := Over{Estimate: e, Unknown: l.AskUnknown && l.Unchecked(e)}
	for _, at := range l.scoped(s) {
		total := at.spent.plus(e.amount())
		if at.limit.Tokens > 0 && total.Tokens > at.limit.Tokens {
			o.Exceeded = append(o.Exceeded, Exceeded{at.scope, true, *at.limit, total})
		}
		if at.limit.Cost > 0 && total.Cost > at.limit.Cost && !e.free() {
			o.Exceeded = append(o.Exceeded, Exceeded{at.scope, false, *at.limit, total})
		}
	}
	if !o.Any() {
		return Over{}
	}
	return o
}

// free says that the request costs nothing for all that is known, so that no limit on money keeps it back.
func (e Estimate) free() bool { return e.Cost.From == "" || e.Cost.Known() && e.Cost.Amount == 0 }

// Unchecked says that a limit on money cannot be compared with the request, because its price is not known.
func (l Limits) Unchecked(e Estimate) bool { return l.OnCost() && e.Cost.From == pricing.Unpriced }

// Raised are the limits with those that a request exceeds doubled until they leave room for more than it.
func (l Limits) Raised(o Over) Limits {
	if o.Unknown {
		l.AskUnknown = false
	}
	for _, x := range o.Exceeded {
		for _, at := range l.scoped(Spent{}) {
			switch {
			case at.scope != x.Scope:
			case x.OnTokens:
				at.limit.Tokens = doubled(at.limit.Tokens, x.Total.Tokens)
			default:
				at.limit.Cost = doubled(at.limit.Cost, x.Total.Cost)
			}
		}
	}
	return l
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
	No    Answer = "no"    // it is not sent
	Once  Answer = "once"  // it is sent, and the limits stay
	Raise Answer = "raise" // it is sent, and the limits are raised for the session
)
