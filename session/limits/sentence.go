package limits

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"winnow/llm/pricing"
)

// names are what the scopes are called: as the owner of a limit, and as what a request adds to.
var names = map[Scope]struct{ per, whole string }{
	Request: {"per request", "this request"},
	Session: {"per session", "this session"},
	Day:     {"per day", "today"},
	Month:   {"per month", "this month"},
}

// Clause says what a request would exceed, to stand in a sentence: "this request is estimated at ~$0.42, above
// your limit of $0.25 per request".
func (o Over) Clause() string {
	var parts []string
	for _, x := range o.Exceeded {
		limit := "above your limit of " + x.limit() + " " + names[x.Scope].per
		if x.Scope == Request {
			parts = append(parts, "this request is estimated at "+x.total()+", "+limit)
			continue
		}
		parts = append(parts, fmt.Sprintf("with this request %s comes to %s, %s", names[x.Scope].whole,
			x.total(), limit))
	}
	if o.Unknown {
		parts = append(parts, "the cost of this request cannot be estimated, because the price of the model is not "+
			"known")
	}
	return strings.Join(parts, "; ")
}

// Sentence is Clause as a sentence.
func (o Over) Sentence() string {
	clause := o.Clause()
	if clause == "" {
		return ""
	}
	return strings.ToUpper(clause[:1]) + clause[1:] + "."
}

// Short names the first limit that a request would exceed, for a line with little room: "above $0.25 per request".
func (o Over) Short() string {
	switch {
	case len(o.Exceeded) > 0:
		return "above " + o.Exceeded[0].limit() + " " + names[o.Exceeded[0].Scope].per
	case o.Unknown:
		return "price not known"
	}
	return ""
}

// Keys are the limits by their keys in the configuration.
func (o Over) Keys() []string {
	var keys []string
	for _, x := range o.Exceeded {
		what := "_cost"
		if x.OnTokens {
			what = "_tokens"
		}
		keys = append(keys, string(x.Scope)+what)
	}
	if o.Unknown {
		keys = append(keys, "unknown_price")
	}
	return keys
}

// RaisedTo says what Raised does: "$0.50 per request".
func (o Over) RaisedTo() string {
	var parts []string
	for _, x := range o.Exceeded {
		to := doubled(x.Limit.Cost, x.Total.Cost).String()
		if x.OnTokens {
			to = tokens(doubled(x.Limit.Tokens, x.Total.Tokens))
		}
		parts = append(parts, to+" "+names[x.Scope].per)
	}
	return strings.Join(parts, ", ")
}

func (x Exceeded) limit() string {
	if x.OnTokens {
		return tokens(x.Limit.Tokens)
	}
	return x.Limit.Cost.String()
}

// total is an estimate, whatever it is made of.
func (x Exceeded) total() string {
	if x.OnTokens {
		return "~" + tokens(x.Total.Tokens)
	}
	return pricing.Cost{Amount: x.Total.Cost, From: pricing.Estimated}.String()
}

func tokens(n int) string { return humanize.Comma(int64(n)) + " tokens" }
