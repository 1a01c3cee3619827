package history

import (
	"slices"

	"winnow/history/cause"
	"winnow/history/message"
	"winnow/history/repair"
)

// withToolHistory is the history with its tool calls as the policy wants them. Other forms than the stored one are made from
// the repaired messages at their first use.
func (c *Conversation) withToolHistory(p Policy) *thread {
	how := p.ToolHistory
	if p.Recovery == RecoverStrip {
		how = "strip"
	}
	if how == ToolsKeep || how == "" {
		return &c.thread
	}
	if t := c.kinds[how]; t != nil {
		return t
	}
	t := c.rewriteTools(&c.thread, how)
	if c.kinds == nil {
		c.kinds = map[ToolHistory]*thread{}
	}
	c.kinds[how] = t
	return t
}

// rewriteTools writes a thread's tool calls as text, or takes them out.
func (c *Conversation) rewriteTools(from *thread, how ToolHistory) *thread {
	t := &thread{base: slices.Clone(from.base)}
	for _, v := range from.candidates {
		tools := v.Role == Tool || len(v.ToolCalls) > 0
		if how == "strip" && v.joins {
			t.base[v.from].Disposition, t.base[v.from].Cause = Dropped, Cause{Code: cause.ToolsLeftOut}
			continue
		}
		if !tools {
			if v.load.reasoning { // No calls, no reasoning.
				v.unload()
				c.load(&v, false)
				if !v.remedied {
					t.base[v.from].TokensBefore = v.tokens
				}
			}
			t.candidates = append(t.candidates, v)
			continue
		}
		if v.standIn {
			continue
		}
		text := v.Content
		switch {
		case v.Role == Tool && how == ToolsText:
			text, v.joins = v.TellResult(repair.ResultLead, v.Content), true
		case v.Role == Tool:
			text = ""
		case how == ToolsText:
			text, v.callsAsText = v.TellCalls(v.Message), true
		}
		if message.IsBlank(text) {
			t.base[v.from].Disposition, t.base[v.from].Cause = Dropped, Cause{Code: cause.ToolsLeftOut}
			continue
		}
		if text != v.Content {
			v.text, v.chars = c.count(text), runes(text)
		}
		v.Message = v.Message.AsText(text)
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
		if v := &t.candidates[i]; v.joins && v.Role == Assistant {
			v.Role = User
		}
	}
	return t
}
