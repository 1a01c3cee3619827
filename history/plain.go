package history

import "slices"

// What a model does not take at all is told as text: tool calls of the past, and images.

// plain is the options as the endpoint's profile narrows them.
func (o Options) plain() Options {
	if o.Profile.NoTools && (o.Policy.ToolHistory == ToolsKeep || o.Policy.ToolHistory == "") {
		o.Policy.ToolHistory = ToolsText
	}
	return o
}

// seen is the history as the endpoint sees it: told as the policy asks, and without images where it
// takes none.
func (c *Conversation) seen(o Options) *thread {
	t := c.tell(o.Policy)
	if !o.Profile.NoImages {
		return t
	}
	key := "blind " + o.Policy.ToolHistory + " " + ToolHistory(o.Policy.Recovery)
	if known := c.kinds[key]; known != nil {
		return known
	}
	if c.kinds == nil {
		c.kinds = map[ToolHistory]*thread{}
	}
	c.kinds[key] = c.withoutImages(t)
	return c.kinds[key]
}

// withoutImages is a thread with a note in the place of each image.
func (c *Conversation) withoutImages(from *thread) *thread {
	t := &thread{base: slices.Clone(from.base), views: slices.Clone(from.views)}
	for i := range t.views {
		v := &t.views[i]
		before := overhead(v.Message, c.count)
		for k, p := range v.Parts {
			if p.Kind != ImagePart {
				continue
			}
			e := &t.base[v.from]
			e.Repairs = append(slices.Clip(e.Repairs), Repair{Kind: "C13", What: "This model takes no images; a note stands for this one.", Before: p.Name, After: p.note()})
			v.Parts = slices.Clone(v.Parts)
			v.Parts[k] = Part{Kind: TextPart, Name: p.Name, Text: p.note()}
		}
		if after := overhead(v.Message, c.count); after != before {
			v.tokens += after - before
			t.base[v.from].TokensBefore = v.tokens
		}
	}
	t.number(0)
	return t
}
