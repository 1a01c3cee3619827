package history

import "math"

// serverTokens is a counted number of tokens as a server counts them. Every number of tokens that a
// person sees goes through it: on the screen, in tables, in reasons and in errors.
func serverTokens(counted int, ratio float64) int {
	if ratio > 0 && ratio != 1 {
		return int(math.Round(float64(counted) * ratio))
	}
	return counted
}

// Tokens is a counted number of tokens as the server counts them.
func (s Sum) Tokens(counted int) int { return serverTokens(counted, s.Ratio) }

// Used is what Limit is checked against: the whole request as the server counts it.
func (s Sum) Used() int { return s.Tokens(s.Total) }

// Free is what still fits, as the server counts it; 0 where nothing does.
func (s Sum) Free() int { return max(0, s.Limit-s.Used()) }

// Capped says that the budget that the user set is more than the model's window leaves.
func (s Sum) Capped() bool { return s.Bound == BoundWindow && s.Budget > s.Limit }

// Share is one part of a request, as the server counts it.
type Share struct {
	Name   string
	Tokens int
}

// Shares are all parts of a request in the order of Sum. Each is rounded so that together they are
// Used.
func (s Sum) Shares() []Share {
	list := []Share{
		{"system", s.System},
		{"tools", s.Tools},
		{"format", s.Frame},
		{"pinned", s.Pinned},
		{"history", s.Body},
		{"recalled", s.Recalled},
		{"added", s.Added},
		{"draft", s.Draft},
	}
	counted, before := 0, 0
	for i := range list {
		counted += list[i].Tokens
		list[i].Tokens = s.Tokens(counted) - before
		before += list[i].Tokens
	}
	return list
}
