package history

import (
	"maps"
	"slices"
)

// ToolGroups are the messages that a remedy for some of them holds for, in their order: all of the tool
// group of each, with the results that mending sends as text or not again, or the message alone. Those
// that past does not hold are left out.
func ToolGroups(past []Message, ids ...int64) []int64 {
	m := newMender(past)
	heads := make([]int, len(past))
	for i := range heads {
		heads[i] = i
	}
	for _, d := range m.mend(0) {
		heads[d.from] = d.group().from
	}
	for from, head := range m.doubled {
		heads[from] = head.from
	}
	asked := map[int]bool{}
	for i, said := range past {
		asked[heads[i]] = asked[heads[i]] || slices.Contains(ids, said.ID)
	}
	var list []int64
	for i, said := range past {
		if asked[heads[i]] {
			list = append(list, said.ID)
		}
	}
	return list
}

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
