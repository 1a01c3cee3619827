package record

import (
	"fmt"
	"time"

	"winnow/session/store"
)

// CacheUse is how much of a request its server found in its cache, beside how much it could have found.
type CacheUse struct {
	// Tokens at the request's beginning that were the same as in the request before; 0 for none or not known.
	Reusable  int
	Age       time.Duration // since that request
	FromCache int           // tokens that the server says it found, -1 where it does not say
}

const (
	// leastReusable is how many tokens must have been the same before anything is said of them: less is kept by no
	// server.
	leastReusable = 1024

	// cacheLife is how long servers keep what they read, at least.
	cacheLife = 5 * time.Minute
)

// CacheUseOf is what a record says of its server's cache.
func CacheUseOf(q store.Request) CacheUse {
	return CacheUse{Reusable: q.Reusable, Age: q.ReusableAge, FromCache: q.Cached}
}

// Missed says that the server says how much it found, and that this is less than half of what it should have found:
// enough was the same, and not long ago.
func (u CacheUse) Missed() bool {
	return u.FromCache >= 0 && u.Reusable >= leastReusable && u.Age <= cacheLife && 2*u.FromCache < u.Reusable
}

// Sentence says what was the same as in the request before and how much of that the server found. number writes a
// count. It is "" where nothing is known.
func (u CacheUse) Sentence(number func(int) string) string {
	if u.FromCache < 0 || u.Reusable < leastReusable {
		return ""
	}
	when := ""
	if u.Age > cacheLife {
		when = fmt.Sprintf(", %s minutes earlier", number(int(u.Age.Minutes())))
	}
	return fmt.Sprintf("the first ~%s tokens were the same as in the request before%s; the server read %s of them "+
		"from its cache", number(u.Reusable), when, number(u.FromCache))
}
