package transcript

import (
	"sort"
)

// Nearest is the first hit in the message at this place or behind it, else the last one before.
func (f *Search) Nearest(place int) int {
	if i := f.firstIn(place); i < len(f.Found) {
		return f.Before[i]
	}
	return max(0, f.Total-1)
}

// firstIn is the first of the found in the message at this place or behind it.
func (f *Search) firstIn(place int) int {
	return sort.Search(len(f.Found), func(i int) bool { return f.Found[i].Message >= place })
}

// Hit is the place in which the user's hit lies, with only that one of its spans.
func (f *Search) Hit() (Found, bool) {
	i := sort.Search(len(f.Before), func(i int) bool { return f.Before[i] > f.At }) - 1
	if i < 0 || f.At >= f.Total {
		return Found{}, false
	}
	x := f.Found[i]
	k := f.At - f.Before[i]
	return Found{x.Message, x.call, x.Spans[k : k+1]}, true
}

// ItemOf is the transcript's item of a place.
func (c *Chat) ItemOf(x Found) int64 {
	message := c.Messages[x.Message]
	if items := c.callIDs[message.ID]; x.call >= 0 && x.call < len(items) {
		return items[x.call]
	}
	return message.ID
}
