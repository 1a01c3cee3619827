package history

import (
	"slices"

	"winnow/history/cause"
	"winnow/history/message"
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

// variant is a form of the history: how its tool calls are sent, and whether its images are.
type variant struct {
	tools     ToolHistory
	remedies  bool // those that the user chose hold
	imageless bool
}

// toolsLeftOut takes tool calls out, and results that were sent as text too.
const toolsLeftOut ToolHistory = "strip"

// forEndpoint is the history as the endpoint is sent it: with tool calls as the policy wants them, and without images where it
// takes none. Other forms than the stored one are made from the repaired messages at their first use.
func (c *Conversation) forEndpoint(o Options) *thread {
	v := variant{tools: o.Policy.ToolHistory, imageless: o.Profile.NoImages}
	if o.Policy.Recovery == RecoverStrip {
		v.tools = toolsLeftOut
	}
	if v.remedies = v.imageless && o.Policy.Recovery.TakesRemedies(); v.tools == "" {
		v.tools = ToolsKeep
	}
	return c.variant(v, o.remedies())
}

func (c *Conversation) variant(v variant, remedies map[int64]Remedy) *thread {
	t, known := c.variants[v]
	switch {
	case known:
		return t
	case v.imageless:
		t = c.withoutImages(c.variant(variant{tools: v.tools}, nil), remedies)
	case v.tools == ToolsKeep:
		return &c.thread
	default:
		t = c.rewriteTools(&c.thread, v.tools)
	}
	if c.variants == nil {
		c.variants = map[variant]*thread{}
	}
	c.variants[v] = t
	return t
}

// withoutImages is a thread with a note in the place of each image, and without the messages that the
// user had left out for it.
func (c *Conversation) withoutImages(from *thread, remedies map[int64]Remedy) *thread {
	t := from.variant()
	t.candidates = slices.Clone(from.candidates)
	if len(remedies) > 0 {
		t.leaveOutImages(remedies)
	}
	for i := range t.candidates {
		v := &t.candidates[i]
		if !v.image {
			continue
		}
		said := t.full(i)
		m, before := said.Message, overhead(said.Message, c.count)
		m.Parts = slices.Clone(m.Parts)
		for k, p := range m.Parts {
			if p.Kind != ImagePart {
				continue
			}
			t.base.change(v.from, func(e *Entry) { e.Repairs = append(slices.Clip(e.Repairs), repair.UnseenImage(p, false)) })
			m.Parts[k] = noteFor(p)
		}
		t.change(v, m, said.Frame)
		if after := overhead(m, c.count); after != before {
			v.tokens += after - before
			t.base.cost(v.from, v.tokens)
		}
	}
	t.number(0)
	return t
}

// variant is a thread without candidates for another form of the same messages.
func (t *thread) variant() *thread {
	return &thread{base: t.base.clone(), changed: slices.Clip(t.changed), read: t.read}
}

// noteFor is the part that is sent in place of an image.
func noteFor(image Part) Part {
	return Part{Kind: NotePart, Name: image.Name, Text: image.Note()}
}

// leaveOutImages takes out the messages with images that the user had left out.
func (t *thread) leaveOutImages(remedies map[int64]Remedy) {
	t.candidates = slices.DeleteFunc(t.candidates, func(v candidate) bool {
		if !v.image || remedies[t.id(&v)] != LeaveOut {
			return false
		}
		parts := t.partsOf(&v)
		t.base.change(v.from, func(e *Entry) {
			e.Disposition, e.Cause = Dropped, Cause{Code: cause.LeftOut}
			for _, p := range parts {
				if p.Kind == ImagePart {
					e.Repairs = append(slices.Clip(e.Repairs), repair.UnseenImage(p, true))
				}
			}
		})
		return true
	})
}

// rewriteTools writes a thread's tool calls as text, or takes them out.
func (c *Conversation) rewriteTools(from *thread, how ToolHistory) *thread {
	t := from.variant()
	leaveOut := func(at int) {
		t.base.change(at, func(e *Entry) { e.Disposition, e.Cause = Dropped, Cause{Code: cause.ToolsLeftOut} })
	}
	for _, v := range from.candidates {
		tools := v.role() == Tool || v.calls
		if how == toolsLeftOut && v.joins {
			leaveOut(v.from)
			continue
		}
		if !tools {
			if v.load.reasoning { // No calls, no reasoning.
				v.unload()
				c.load(&v, false)
				if !v.remedied {
					t.base.cost(v.from, v.tokens)
				}
			}
			t.candidates = append(t.candidates, v)
			continue
		}
		if v.standIn {
			continue
		}
		said := from.fullOf(&v)
		text := said.Content
		switch {
		case said.Role == Tool && how == ToolsText:
			text, v.joins = said.WriteResult(repair.ResultLead, said.Content), true
		case said.Role == Tool:
			text = ""
		case how == ToolsText:
			text, v.callsAsText = said.WriteCalls(said.Message), true
		}
		if message.IsBlank(text) {
			leaveOut(v.from)
			continue
		}
		if text != said.Content {
			v.text, v.chars = c.count(text), runes(text)
		}
		t.change(&v, said.AsText(text), said.Frame)
		v.tokens, v.load = v.text, load{}
		t.candidates = append(t.candidates, v)
	}
	t.number(0)
	return t
}

// turnAsText is the running turn with its tool calls as text. Results become messages of the user,
// because a request must not end with an answer.
func (c *Conversation) turnAsText() *thread {
	t := c.rewriteTools(&c.thread, ToolsText)
	for i := range t.candidates {
		if v := &t.candidates[i]; v.joins && v.role() == Assistant {
			v.roleIndex = userIndex
		}
	}
	return t
}
