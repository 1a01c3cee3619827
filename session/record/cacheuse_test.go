package record

import (
	"strconv"
	"testing"
	"time"

	"winnow/session/store"
)

func TestCacheUseSaysWhatWasFoundOfWhatStayed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		q      store.Request
		missed bool
		want   string
	}{
		{"nothing known", store.Request{Cached: -1}, false, ""},
		{"the server says nothing of a cache", store.Request{Reusable: 5000, Cached: -1}, false, ""},
		{"too little to be kept", store.Request{Reusable: 900, Cached: 0}, false, ""},
		{"found", store.Request{Reusable: 5000, Cached: 4900}, false, "the first ~5000 tokens were the same as in the request before; the server read 4900 of them from its cache"},
		{"missed", store.Request{Reusable: 5000, Cached: 100}, true, "the first ~5000 tokens were the same as in the request before; the server read 100 of them from its cache"},
		{"too late", store.Request{Reusable: 5000, ReusableAge: 12*time.Minute + time.Second}, false, "the first ~5000 tokens were the same as in the request before, 12 minutes earlier; the server read 0 of them from its cache"},
	} {
		u := CacheUseOf(c.q)
		if got := u.Sentence(strconv.Itoa); got != c.want || u.Missed() != c.missed {
			t.Errorf("%s: %q, missed %t; want %q, %t", c.name, got, u.Missed(), c.want, c.missed)
		}
	}
}
