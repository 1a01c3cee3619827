package llm

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// waitFrom is how long a failed answer asks to be left alone, 0 where it does not say. A header
// made for the purpose goes first, then the windows that are used up, then the text.
func waitFrom(h http.Header, words refusal, now time.Time) time.Duration {
	ms, _ := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64)
	return cmp.Or(clip(ms/1000), moment(h.Get("Retry-After"), now), resetWait(h, now), words.retry, moment(words.reset, now), waitInText(words.message))
}

// resetWait reads the headers that say when a limit is renewed. Servers send one per kind of
// limit on every answer, so the ones with nothing remaining count; where none says that, the one
// for tokens does, because a request may be larger than what remains.
func resetWait(h http.Header, now time.Time) time.Duration {
	var empty, tokens, any time.Duration
	for name, values := range h {
		if len(values) == 0 {
			continue
		}
		low := strings.ToLower(name)
		if !strings.Contains(low, "ratelimit") || !strings.Contains(low, "reset") {
			continue
		}
		d := moment(values[0], now)
		if d <= 0 {
			continue
		}
		any = max(any, d)
		if strings.Contains(low, "token") {
			tokens = max(tokens, d)
		}
		if strings.TrimSpace(h.Get(strings.Replace(low, "reset", "remaining", 1))) == "0" {
			empty = max(empty, d)
		}
	}
	return cmp.Or(empty, tokens, any)
}

// moment reads how long it is until the time that a header names in any format in use:
// seconds, an HTTP date, RFC 3339, a duration such as 6m0s or 1d2h, epoch seconds, epoch
// milliseconds.
func moment(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if value == "" {
		return 0
	}
	if n, err := strconv.ParseFloat(value, 64); err == nil {
		switch {
		case n > 1e11:
			return max(0, time.UnixMilli(int64(n)).Sub(now))
		case n > 1e9:
			return max(0, time.Unix(int64(n), 0).Sub(now))
		}
		return clip(n)
	}
	if d, ok := duration(value); ok {
		return d
	}
	if t, err := http.ParseTime(value); err == nil {
		return max(0, t.Sub(now))
	}
	if t, err := time.Parse(time.RFC3339Nano, value); err == nil {
		return max(0, t.Sub(now))
	}
	return 0
}

// duration is time.ParseDuration with days.
func duration(value string) (time.Duration, bool) {
	var days time.Duration
	if n, rest, found := strings.Cut(value, "d"); found {
		count, err := strconv.ParseFloat(n, 64)
		if err != nil {
			return 0, false
		}
		days = clip(count * 24 * 3600)
		if value = rest; value == "" {
			return days, true
		}
	}
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 {
		return 0, false
	}
	return days + d, true
}

// clip turns seconds into a duration: none below zero, at most a year.
func clip(seconds float64) time.Duration {
	const year = 365 * 24 * 3600
	if !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, year) * float64(time.Second))
}

// inText finds "try again in 7.66s", "retry after 12 seconds" and the like.
var inText = lazyRegexp(`(?i)(?:again|retry|wait|available)(?: in| after| for)?:?\s+((?:[0-9.]+(?:ms|d|h|m|s))+|[0-9.]+)\s*(milliseconds?|ms|seconds?|secs?|s|minutes?|min)?\b`)

func waitInText(text string) time.Duration {
	m := inText().FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	if d, ok := duration(m[1]); ok {
		return d
	}
	n, err := strconv.ParseFloat(m[1], 64)
	switch unit := strings.ToLower(m[2]); {
	case err != nil, unit == "":
		return 0
	case strings.HasPrefix(unit, "mil"), unit == "ms":
		return clip(n / 1000)
	case strings.HasPrefix(unit, "min"):
		return clip(n * 60)
	}
	return clip(n)
}
