package history

import (
	"slices"

	"winnow/history/cause"
	"winnow/history/repair"
)

// What a model does not take at all is sent as text: tool calls of the past, and notes for images.

// narrowed is the options as the endpoint's profile narrows them.
func (o Options) narrowed() Options {
	if (o.Profile.NoTools || o.Profile.ToolsAsText) && (o.Policy.ToolHistory == ToolsKeep || o.Policy.ToolHistory == "") {
		o.Policy.ToolHistory = ToolsText
	}
	return o
}

// forEndpoint is the history as the endpoint is sent it: with tool calls as the policy wants them, and without images where it
// takes none.
func (c *Conversation) forEndpoint(o Options) *thread {
	t := c.withToolHistory(o.Policy)
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
	c.kinds[key] = c.withoutImages(t, o.remedies())
	return c.kinds[key]
}

// withoutImages is a thread with a note in the place of each image, and without the messages that the
// user had left out for it.
func (c *Conversation) withoutImages(from *thread, remedies map[int64]Remedy) *thread {
	t := &thread{base: slices.Clone(from.base), candidates: slices.Clone(from.candidates)}
	if len(remedies) > 0 {
		t.leaveOutImages(remedies)
	}
	for i := range t.candidates {
		v := &t.candidates[i]
		before := overhead(v.Message, c.count)
		for k, p := range v.Parts {
			if p.Kind != ImagePart {
				continue
			}
			e := &t.base[v.from]
			e.Repairs = append(slices.Clip(e.Repairs), repair.UnseenImage(p, false))
			v.Parts = slices.Clone(v.Parts)
			v.Parts[k] = Part{Kind: NotePart, Name: p.Name, Text: p.Note()}
		}
		if after := overhead(v.Message, c.count); after != before {
			v.tokens += after - before
			t.base[v.from].TokensBefore = v.tokens
		}
	}
	t.number(0)
	return t
}

// leaveOutImages takes out the messages with images that the user had left out.
func (t *thread) leaveOutImages(remedies map[int64]Remedy) {
	t.candidates = slices.DeleteFunc(t.candidates, func(v candidate) bool {
		shows := slices.ContainsFunc(v.Parts, func(p Part) bool { return p.Kind == ImagePart })
		if remedies[v.ID] != LeaveOut || !shows {
			return false
		}
		e := &t.base[v.from]
		e.Disposition, e.Cause = Dropped, Cause{Code: cause.LeftOut}
		for _, p := range v.Parts {
			if p.Kind == ImagePart {
				e.Repairs = append(slices.Clip(e.Repairs), repair.UnseenImage(p, true))
			}
		}
		return true
	})
}
