package transcript

import "container/list"

// cache keeps the lines of the messages that were rendered last, all at one width.
type cache struct {
	keep  int
	byID  map[int64]*list.Element
	order list.List // of cached, the last used first
}

type cached struct {
	id    int64
	drawn drawn
}

func newCache(keep int) *cache { return &cache{keep: keep, byID: map[int64]*list.Element{}} }

func (c *cache) get(id int64) (drawn, bool) {
	e, ok := c.byID[id]
	if !ok {
		return drawn{}, false
	}
	c.order.MoveToFront(e)
	return e.Value.(cached).drawn, true
}

func (c *cache) put(id int64, d drawn) {
	c.drop(id)
	c.byID[id] = c.order.PushFront(cached{id, d})
	if c.order.Len() > c.keep {
		c.drop(c.order.Back().Value.(cached).id)
	}
}

func (c *cache) drop(id int64) {
	if e, ok := c.byID[id]; ok {
		c.order.Remove(e)
		delete(c.byID, id)
	}
}

func (c *cache) clear() {
	clear(c.byID)
	c.order.Init()
}
