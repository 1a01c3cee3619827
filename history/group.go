package history

import (
	"slices"
	"sort"
)

// Group is the positions of the messages that are sent or left out together with the one at position
// i, itself among them, rising: a message that calls tools and the results of its calls, or the message
// alone. A flag on one of them holds for all.
func (c *Conversation) Group(i int) []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Groups rise, and a message is seldom far behind the call that it answers.
	at := sort.Search(len(c.views), func(k int) bool { return c.views[k].group > i }) - 1
	for at >= 0 && (c.views[at].from != i || c.views[at].made) {
		at--
	}
	if at < 0 {
		return []int{i} // nothing of it can be sent
	}
	group := c.views[at].group
	for at > 0 && c.views[at-1].group == group {
		at--
	}
	var list []int
	for ; at < len(c.views) && c.views[at].group == group; at++ {
		if v := &c.views[at]; !v.made {
			list = append(list, v.from)
		}
	}
	slices.Sort(list)
	return list
}
