package record

import (
	"fmt"
	"time"

	"winnow/session/store"
)

// CacheUse compares how much of a request the server found in its cache with how much it could have found.
type CacheUse struct {
	// Tokens at the start of the request that were the same as in the request before; 0 if none or unknown.
	Reusable int
	Age      time.Duration // since that request
	Read     int           // tokens that the server reports as cached, -1 if it reports none
}

const (
	// leastReusable is the smallest number of reusable tokens that is reported. No server caches less.
	leastReusable = 1024

	// cacheLife is how long servers keep a cached request at least.
	cacheLife = 5 * time.Minute
)

// CacheUseOf returns the cache use of a recorded request.
func CacheUseOf(q store.Request) CacheUse {
	return CacheUse{Reusable: q.Reusable, Age: q.ReusableAge, Read: q.Cached}
}

// Missed reports whether the server found less than half of the tokens that should have been in its cache.
func (u CacheUse) Missed() bool {
	return u.Read >= 0 && u.Reusable >= leastReusable && u.Age <= cacheLife && 2*u.Read < u.Reusable
}

// Sentence returns how many tokens were the same as in the request before, and how many of them the server found. It is
// "" if that is unknown. number formats a count.
func (u CacheUse) Sentence(number func(int) string) string {
	if u.Read < 0 || u.Reusable < leastReusable {
		return ""
	}
	when := ""
	if u.Age > cacheLife {
		when = fmt.Sprintf(", %s minutes earlier", number(int(u.Age.Minutes())))
	}
	return fmt.Sprintf("the first ~%s tokens were the same as in the request before%s; the server read %s of them "+
		"from its cache", number(u.Reusable), when, number(u.Read))
}
