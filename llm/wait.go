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
		words.retry, resetWait(words.headers, now), waitInText(words.message),
	)
}

// resetWait reads the headers that say when a limit is renewed. Servers send one per kind of
// limit on every answer, so the ones with nothing remaining count; where none says that, the one
// for tokens does, because a request may be larger than what remains.
func resetWait(h http.Header, now time.Time) time.Duration {
	var used, tokens, any time.Duration
	for name := range h {
		low := strings.ToLower(name)
		if !strings.Contains(low, "ratelimit") || !strings.Contains(low, "reset") {
			continue
		}
		d := moment(h.Get(name), now)
		any = max(any, d)
		if strings.Contains(low, "token") {
			tokens = max(tokens, d)
		}
		if strings.TrimSpace(h.Get(strings.Replace(low, "reset", "remaining", 1))) == "0" {
			used = max(used, d)
		}
	}
	return cmp.Or(used, tokens, any)
}

// moment reads how long it is until the time that a header names in any format in use:
// seconds, an HTTP date, RFC 3339, a duration such as 6m0s or 1d2h, epoch seconds, epoch
// milliseconds.
func moment(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
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
	for _, layout := range []string{http.TimeFormat, time.RFC850, time.ANSIC, time.RFC3339Nano} {
		if t, err := time.Parse(layout, value); err == nil {
			return max(0, t.Sub(now))
		}
	}
	return 0
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
	return clip(n*24*3600) + d, err == nil && d >= 0
}

// clip turns seconds into a duration: none below zero, at most a year.
func clip(seconds float64) time.Duration {
	const year = 365 * 24 * 3600
	if !(seconds > 0) { // NaN is not.
		return 0
	}
	return time.Duration(min(seconds, year) * float64(time.Second))
}

// inText finds "try again in 7.66s", "retry after 12 seconds" and the like.
var inText = says(`(?:again|retry|wait|available)(?: in| after| for)?:?\s+` +
	`((?:[0-9.]+(?:ms|d|h|m|s))+|[0-9.]+\s*(?:milliseconds?|ms|seconds?|secs?|s|minutes?|min))\b`)

var shortUnits = strings.NewReplacer(" ", "", "milli", "m", "seconds", "s", "second", "s", "secs", "s", "sec", "s",
	"minutes", "m", "minute", "m", "min", "m")

func waitInText(text string) time.Duration {
	m := inText().FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	d, _ := duration(shortUnits.Replace(strings.ToLower(m[1])))
	return d
}
