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
	ms, _ := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64)
	inText := waitText().FindString(words.message)
	return cmp.Or(
		seconds(ms/1000), moment(h.Get("Retry-After"), now), resetWait(h, now),
		words.retry, resetWait(words.headers, now), duration(strings.ToLower(inText)),
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
		if h.Get(strings.Replace(low, "reset", "remaining", 1)) == "0" {
			used = max(used, d)
		}
	}
	return cmp.Or(used, tokens, any)
}

// moment reads how long it is until the time that a header names in any format in use:
// seconds, epoch seconds, epoch milliseconds, an HTTP date, RFC 3339, a duration such as 6m0s or 1d2h.
func moment(value string, now time.Time) time.Duration {
	if n, err := strconv.ParseFloat(value, 64); err == nil {
		switch {
		case n > 1e11:
			return max(0, time.UnixMilli(int64(n)).Sub(now))
		case n > 1e9:
			return max(0, time.Unix(int64(n), 0).Sub(now))
		}
		return seconds(n)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		at, err = time.Parse(time.RFC3339, value)
	}
	if err != nil {
		return duration(value)
	}
	return max(0, at.Sub(now))
}

var (
	waitText = says(`(?:again|retry|wait|available)(?: in| after| for)?:?\s+(?:[0-9.]+\s*[a-z]+\s*)+`)
	timeUnit = lazyRegexp(`([0-9.]+)\s*(ms|milli|[dhms])`)
)

// duration adds up what a text says in days, hours, minutes, seconds and milliseconds.
func duration(text string) (d time.Duration) {
	units := map[string]float64{"ms": 0.001, "milli": 0.001, "s": 1, "m": 60, "h": 60 * 60, "d": 24 * 60 * 60}
	for _, part := range timeUnit().FindAllStringSubmatch(text, -1) {
		n, _ := strconv.ParseFloat(part[1], 64)
		d += seconds(n * units[part[2]])
	}
	return d
}

// seconds is a duration: none below zero, at most a year.
func seconds(n float64) time.Duration {
	const year = 365 * 24 * 60 * 60
	if !(n > 0) { // NaN is not.
		return 0
	}
	return time.Duration(min(n, year) * float64(time.Second))
}
