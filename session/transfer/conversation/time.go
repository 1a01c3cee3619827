package conversation

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Time is a JSON string or number that holds a time. It is zero if it cannot be read.
type Time struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler. It returns no error.
func (t *Time) UnmarshalJSON(raw []byte) error {
	t.Time = ParseTime(strings.TrimSpace(TextOf(raw)))
	return nil
}

// MS returns the time in Unix milliseconds, 0 for the zero time.
func (t Time) MS() int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// ParseTime reads a time, in UTC if it has no zone, or a number of seconds, milliseconds, microseconds or nanoseconds
// since 1970. It returns the zero time for anything else, and for 0, which programs write if they have no time.
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
	// Large numbers have a smaller unit: 1e11 seconds would be the year 5138, 1e11 milliseconds are the year 1973.
	for n = math.Round(n * 1000); math.Abs(n) >= 1e14; {
		n = math.Round(n / 1000)
	}
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(n))
}
