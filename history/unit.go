package history

import (
	"slices"
)

// unit is a half-open run of candidates, by index.
type unit struct{ from, to int }

// turn is what users said up to the next time they speak, with all that answers it. A history
// that opens with an answer has it in its first turn.
type turn struct {
	unit
	at     int // tokens of the conversation in front of it, all whole
	tokens int
	asked  int // the newest candidate of the user's in it, -1 for none
}

// number gives the candidates from index i on their turn and their place in the conversation.
func (t *thread) number(i int) {
	if len(t.turns) > 0 && i > 0 {
		t.turns = t.turns[:t.candidates[i-1].turn+1]
		last := &t.turns[len(t.turns)-1]
		last.tokens, last.to, last.asked = 0, i, -1
		for k := last.from; k < i; k++ {
			last.tokens += t.candidates[k].tokens + frameMessage
			if t.candidates[k].role() == User {
				last.asked = k
			}
		}
	} else {
		t.turns = t.turns[:0]
	}
	for len(t.places) < t.base.n {
		t.places = append(t.places, -1)
	}
	for ; i < len(t.candidates); i++ {
		v := &t.candidates[i]
		if !v.standIn {
			t.places[v.from] = int32(i)
		}
		if v.newest = v.created; i > 0 {
			v.newest = max(v.newest, t.candidates[i-1].newest)
		}
		if len(t.turns) == 0 || v.role() == User && t.candidates[i-1].role() != User {
			at := 0
			if n := len(t.turns); n > 0 {
				at = t.turns[n-1].at + t.turns[n-1].tokens
			}
			t.turns = append(t.turns, turn{unit: unit{i, i}, at: at, asked: -1})
		}
		v.turn = len(t.turns) - 1
		x := &t.turns[v.turn]
		if v.at = x.at + x.tokens; i > x.from && t.candidates[i-1].group == v.group {
			v.at = t.candidates[i-1].at
		}
		x.tokens += v.tokens + frameMessage
		if x.to = i + 1; v.role() == User {
			x.asked = i
		}
	}
}

// block is a run of candidates that enters and leaves a request as one: its size in tokens, and its number
// among the blocks of that size.
type block struct{ size, number int }

// The sizes of blocks.
const (
	blockLeast = 256 // tokens; no block is divided further
	blockShare = 2   // a block is at most one part in so many of the way from its beginning to the end
)

// block is the block that a candidate belongs to. Blocks end at fixed token positions from the start of the
// conversation, so that a new message moves no border. They are the larger the further they are from
// the end, up to most tokens: whatever the budget is, what fits then changes in steps of about a
// quarter of it. Turns stay in one block, but one that is longer than the largest block is divided
// between its tool groups.
func (t *thread) block(i, largest int) block {
	v, newest := t.candidates[i], t.turns[len(t.turns)-1]
	at, end := v.at, newest.at+newest.tokens
	if x := t.turns[v.turn]; x.tokens <= largest {
		at = x.at
	}
	size := largest
	for size > blockLeast && end-at/size*size < blockShare*size {
		size /= 2
	}
	return block{size, at / size}
}

// groupBefore and blockBefore are the unit that ends in front of candidate end.
func (t *thread) groupBefore(end int) unit {
	from := end - 1
	for from > 0 && t.candidates[from-1].group == t.candidates[end-1].group {
		from--
	}
	return unit{from, end}
}

func (t *thread) blockBefore(end, step int) unit {
	from, b := end-1, t.block(end-1, step)
	for from > 0 && t.block(from-1, step) == b {
		from--
	}
	return unit{from, end}
}

// groups are the messages that are sent or left out together, by the position of each of them, where they are
// several: a message that calls tools and the results of its calls. They are shared by plans, and never changed.
type groups map[int][]int

// Group is the positions of the messages that are sent or left out together with the one at position
// i, itself among them, rising: a message that calls tools and the results of its calls, or the message
// alone. A second copy of a result is never sent, but belongs to the group; so does a result that the user had left out.
// A flag on one of them holds for all. Of the messages of the running turn each is alone.
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
	unsent := map[int][]int{} // results, by group
	for _, results := range []map[int]int{c.doubled, c.left} {
		for at, group := range results {
			unsent[group] = append(unsent[group], at)
		}
	}
	c.groups = groups{}
	for end := len(c.candidates); end > 0; {
		u := c.groupBefore(end)
		end = u.from
		list := unsent[c.candidates[u.from].group]
		if u.to-u.from+len(list) < 2 {
			continue
		}
		for _, v := range c.candidates[u.from:u.to] {
			if !v.standIn {
				list = append(list, v.from)
			}
		}
		slices.Sort(list)
		for _, i := range list {
			c.groups[i] = list
		}
	}
	return c.groups
}
