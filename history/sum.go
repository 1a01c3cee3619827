package history

import "math"

// Tokens is a counted number of tokens in the server's measure.
func (s Sum) Tokens(counted int) int {
	if s.Ratio > 0 {
		return int(math.Round(float64(counted) * s.Ratio))
	}
	return counted
}

// Used is what Total counts against Limit: in the server's measure, with the margin.
func (s Sum) Used() int {
	// The hair's breadth keeps 200 * 1.1 from being 221.
	return int(math.Ceil(float64(s.Tokens(s.Total))*(1+s.Margin) - 1e-6))
}

// Free is what still fits, in the server's tokens; 0 where nothing does.
func (s Sum) Free() int { return max(0, s.Limit-s.Used()) }
