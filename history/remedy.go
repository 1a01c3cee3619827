package history

import (
	"maps"

	"winnow/history/repair"
)

// remedies are those that hold under a policy.
func (o Options) remedies() map[int64]Remedy {
	if !o.Policy.Recovery.TakesRemedies() {
		return nil
	}
	return o.Remedies
}

// TakesRemedies says that a remedy holds under this recovery. Strip and strict leave nothing to choose.
func (r Recovery) TakesRemedies() bool { return r != RecoverStrip && r != RecoverStrict }

// remedy makes the history one with these remedies. It costs nothing while they stay the same, and
// else what stands behind the first message whose remedy is another.
func (c *Conversation) remedy(r map[int64]Remedy) {
	if maps.Equal(r, c.remedies) {
		return
	}
	at := 0
	for at < len(c.past) && r[c.past[at].ID] == c.remedies[c.past[at].ID] {
		at++
	}
	c.remedies = maps.Clone(r)
	if at < len(c.past) {
		from, kept := c.rereadFrom(c.exchangeOf(at), nil)
		c.forget(from, kept)
		c.readFrom(from, kept)
	}
}

// ToolGroups are the messages that a remedy for some of them holds for, in their order: all of the tool
// group of each, with the results that a repair sends as text or not again, or the message alone. Those
// that past does not hold are left out.
func ToolGroups(past []Message, ids ...int64) []int64 { return repair.ToolGroups(past, ids...) }
