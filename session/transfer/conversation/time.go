package conversation

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Time is a time that is a text or a number in a file. It is zero where it cannot be read.
type Time struct{ time.Time }

// UnmarshalJSON reads a time.
func (t *Time) UnmarshalJSON(raw []byte) error {
	t.Time = ParseTime(strings.TrimSpace(TextOf(raw)))
	return nil
}

// MS is a time in Unix milliseconds, 0 for none.
func (t Time) MS() int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// ParseTime reads a time, UTC where it has no zone, or a count since 1970 of seconds, milliseconds, microseconds or
// nanoseconds. What cannot be read is the zero time, and so is the beginning of 1970, which programs write for no time
// at all.
func ParseTime(text string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, strings.Replace(text, " ", "T", 1)); err == nil {
			return t
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.Abs(n) > 1e21 {
		return time.Time{}
	}
	// A count is of a smaller unit where it is too large: 1e11 seconds is the year 5138, 1e11 milliseconds is 1973.
	for n = math.Round(n * 1000); math.Abs(n) >= 1e14; {
		n = math.Round(n / 1000)
	}
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(n))
}
