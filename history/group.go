package history

import "slices"

// groups are the messages that are sent or left out together, by the position of each of them, where they are
// several: a message that calls tools and the results of its calls. They are shared by plans, and never changed.
type groups map[int][]int

// Group is the positions of the messages that are sent or left out together with the one at position
// i, itself among them, rising: a message that calls tools and the results of its calls, or the message
// alone. A second copy of a result is never sent, but belongs to the group. A flag on one of them holds
// for all. Of the messages of the running turn each is alone.
func (p *Plan) Group(i int) []int { return p.groups.of(i) }

// Group is Plan.Group, before there is a plan.
func (c *Conversation) Group(i int) []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.grouped().of(i)
}

func (g groups) of(i int) []int {
	if list := g[i]; list != nil {
		return list
	}
	return []int{i}
}

// grouped are the groups of all messages. The caller holds the lock.
func (c *Conversation) grouped() groups {
	if c.groups != nil {
		return c.groups
	}
	byCall := map[int][]int{}
	for k := range c.candidates {
		if v := &c.candidates[k]; !v.standIn {
			byCall[v.group] = append(byCall[v.group], v.from)
		}
	}
	for copied, group := range c.doubled {
		if len(byCall[group]) > 0 { // else the call of the copy is not sent
			byCall[group] = append(byCall[group], copied)
		}
	}
	c.groups = groups{}
	for _, list := range byCall {
		if len(list) < 2 {
			continue
		}
		slices.Sort(list)
		for _, i := range list {
			c.groups[i] = list
		}
	}
	return c.groups
}
