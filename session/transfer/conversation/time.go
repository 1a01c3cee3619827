package conversation

import (
	"math"
	"strconv"
	"time"
)

// timeLayouts are the ways to write a time that a program may use. Without a zone it is UTC.
var timeLayouts = []string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05.999999999",
	"2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999",
	"2006-01-02",
}

// ParseTime reads a time as Unix milliseconds, UTC. What programs write for no time at all, the
// beginning of 1970 or of the year 1, is none.
func ParseTime(text string) (ms int64, ok bool) {
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			if t.IsZero() {
				return 0, false
			}
			return t.UnixMilli(), true
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.Abs(n) > 1e21 {
		return 0, false
	}
	ms = unixMS(n)
	return ms, ms != 0
}

// unixMS reads a count since 1970 in seconds, or in milliseconds, microseconds or nanoseconds where
// it is too large for that: 1e11 seconds is the year 5138, 1e11 milliseconds is 1973.
func unixMS(n float64) int64 {
	for n = math.Round(n * 1000); math.Abs(n) >= 1e14; {
		n = math.Round(n / 1000)
	}
	return int64(n)
}
