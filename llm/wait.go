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
	return cmp.Or(
		clip(ms/1000), moment(h.Get("Retry-After"), now), resetWait(h, now),
		words.retry, moment(words.reset, now), waitInText(words.message),
	)
}

// resetWait reads the headers that say when a limit is renewed. Servers send one per kind of
// limit on every answer, so the ones with nothing remaining count; where none says that, the one
// for tokens does, because a request may be larger than what remains.
func resetWait(h http.Header, now time.Time) (wait time.Duration) {
	best := 0
	for name := range h {
		low := strings.ToLower(name)
		if !strings.Contains(low, "ratelimit") || !strings.Contains(low, "reset") {
			continue
		}
		rank := 1
		switch {
		case strings.TrimSpace(h.Get(strings.Replace(low, "reset", "remaining", 1))) == "0":
			rank = 3
		case strings.Contains(low, "token"):
			rank = 2
		}
		if d := moment(h.Get(name), now); d > 0 && (rank > best || rank == best && d > wait) {
			best, wait = rank, d
		}
	}
	return wait
}

// moment reads how long it is until the time that a header names in any format in use:
// seconds, an HTTP date, RFC 3339, a duration such as 6m0s or 1d2h, epoch seconds, epoch
// milliseconds.
func moment(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	n, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil:
	case n > 1e11:
		return max(0, time.UnixMilli(int64(n)).Sub(now))
	case n > 1e9:
		return max(0, time.Unix(int64(n), 0).Sub(now))
	default:
		return clip(n)
	}
	if d, ok := duration(value); ok {
		return d
	}
	t, err := http.ParseTime(value)
	if err != nil {
		t, err = time.Parse(time.RFC3339Nano, value)
	}
	if err != nil {
		return 0
	}
	return max(0, t.Sub(now))
}

// duration is time.ParseDuration with days, and without durations below zero.
func duration(value string) (time.Duration, bool) {
	days, rest, found := strings.Cut(value, "d")
	if !found {
		days, rest = "0", value
	}
	n, err := strconv.ParseFloat(days, 64)
	if err != nil {
		return 0, false
	}
	d, err := time.ParseDuration(cmp.Or(rest, "0s"))
	if err != nil || d < 0 {
		return 0, false
	}
	return clip(n*24*3600) + d, true
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
var inText = says(`(?:again|retry|wait|available)(?: in| after| for)?:?\s+` +
	`((?:[0-9.]+(?:ms|d|h|m|s))+|[0-9.]+\s*(?:milliseconds?|ms|seconds?|secs?|s|minutes?|min))\b`)

var shortUnits = strings.NewReplacer(
	" ", "", "milliseconds", "ms", "millisecond", "ms", "seconds", "s", "second", "s", "secs", "s", "sec", "s",
	"minutes", "m", "minute", "m", "min", "m",
)

func waitInText(text string) time.Duration {
	m := inText().FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	d, _ := duration(shortUnits.Replace(strings.ToLower(m[1])))
	return d
}
