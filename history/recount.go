package history

// Recount gives messages that were read with a guess of their tokens the counts of their texts, by
// their position in the history. It is as if they had been read with these counts, but costs little:
// nothing is repaired, grouped or searched anew.
func (c *Conversation) Recount(tokens map[int]int) {
	if len(tokens) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for at, n := range tokens {
		c.past[at].Tokens = n
	}
	for i := range c.candidates {
		v := &c.candidates[i]
		n, counted := tokens[v.from]
		// A text that was repaired, or that came without a count, was counted when it was read.
		if !counted || n == 0 || v.standIn || v.Tokens == 0 || v.Content != c.past[v.from].Content {
			continue
		}
		more := n - v.Tokens // The rest of what it costs stays.
		v.tokens, v.text, v.Tokens = v.tokens+more, v.text+more, n
		if !v.remedied {
			c.thread.base[v.from].TokensBefore = v.tokens
		}
		for _, f := range c.renderings {
			if i < len(f) {
				f[i] = nil
			}
		}
	}
	if len(c.candidates) > 0 {
		c.number(0)
	}
	c.outdate()
}
