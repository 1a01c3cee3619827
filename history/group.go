package history

import (
	"slices"
	"sort"
)

// Group is the positions of the messages that are sent or left out together with the one at position
// i, itself among them, rising: a message that calls tools and the results of its calls, or the message
// alone. A second copy of a result is never sent, but belongs to the group. A flag on one of them holds
// for all.
func (c *Conversation) Group(i int) []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	group, ok := c.groupOf(i)
	if !ok {
		return []int{i} // nothing of it can be sent
	}
	var list []int
	at := sort.Search(len(c.candidates), func(k int) bool { return c.candidates[k].group >= group })
	for ; at < len(c.candidates) && c.candidates[at].group == group; at++ {
		if v := &c.candidates[at]; !v.standIn {
			list = append(list, v.from)
		}
	}
	if len(list) == 0 {
		return []int{i} // the call of the copy is not sent
	}
	for copied, of := range c.doubled {
		if of == group {
			list = append(list, copied)
		}
	}
	slices.Sort(list)
	return list
}

// groupOf is the group of the message at position i, false where nothing of it can be sent.
func (c *Conversation) groupOf(i int) (int, bool) {
	if group, ok := c.doubled[i]; ok {
		return group, true
	}
	// Groups rise, and a message is seldom far behind the call that it answers.
	at := sort.Search(len(c.candidates), func(k int) bool { return c.candidates[k].group > i }) - 1
	for at >= 0 && (c.candidates[at].from != i || c.candidates[at].standIn) {
		at--
	}
	if at < 0 {
		return 0, false
	}
	return c.candidates[at].group, true
}
