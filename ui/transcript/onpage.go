package transcript

import "cmp"

// OnPage are the messages that are on the screen, as the indexes of the first one and of the one behind the last;
// both are 0 where there is none.
func (c *Model) OnPage() (first, end int) {
	top, ok := c.messageAt(0)
	bottom, also := c.messageAt(max(0, c.list.height-1))
	if !ok || !also {
		return 0, 0
	}
	return top, bottom + 1
}

// messageAt is the index of the message that line y of the screen shows, the last one below the end.
func (c *Model) messageAt(y int) (int, bool) {
	id, _, _ := c.list.At(y)
	if message, is := c.owner[id]; is {
		id = message
	} else if f, is := c.failed[id]; is {
		id = cmp.Or(f.After, f.User)
	}
	return c.Index(id)
}
