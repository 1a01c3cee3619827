package llm

import (
	"encoding/json"
	"slices"

	"winnow/history"
)

const (
	// refusing begins a sentence that says of a model what it cannot take: one about how large an image
	// may be says that it takes images.
	refusing = `(not|n't|cannot|no endpoints found that) (currently )?(support|accept|take|process)s?( for)? `

	rolesAlternate = `roles must alternate|requests alternate between|must alternate between`
)

// formats are the formats of the history that refusals ask for. A refusal says something only of a request that holds
// what is refused. Where a refusal fits several, the first that changes the profile is learned.
var formats = []struct {
	refusal func(c *Client, e *Error, r Request) bool
	set     func(*history.Profile)
}{
	{
		asks(refusing+"(image|vision|multi-?modal)|images? (inputs? )?(is|are) not supported|"+
			"unknown variant `image_url`|variant of untagged enum chatcompletionrequestcontent|"+
			"invalid type: sequence, expected a string", Request.hasImages),
		func(p *history.Profile) { p.NoImages = true },
	},
	{
		asks(rolesAlternate, Request.hasMessages),
		func(p *history.Profile) { p.MergeSameRole, p.NoToolToUser = true, true },
	},
	{
		// A template that knows no tools counts calls and results as turns.
		asks(rolesAlternate+"|"+refusing+"(tool|function call)|"+
			"tool (use|calling|calls?) (is|are) not supported", Request.hasTools),
		func(p *history.Profile) { p.NoTools, p.ToolsAsText = true, true },
	},
	{
		asks(`must define tools|toolconfig field must be defined`, Request.holdsToolCalls),
		func(p *history.Profile) { p.ToolsAsText = true },
	},
	{
		asks(`unexpected role 'user' after role 'tool'`, Request.hasTools),
		func(p *history.Profile) { p.NoToolToUser = true },
	},
	{
		asks(`tool call ids? .{0,120}length (of )?9`, Request.hasTools),
		func(p *history.Profile) { p.ToolIDLength = 9 },
	},
	{
		asks(`(?s)reasoning_content.*(passed back|missing)|missing.*reasoning_content`, Request.hasMessages),
		func(p *history.Profile) { p.EchoReasoning = true },
	},
	{(*Client).refusesReplay, func(p *history.Profile) { p.NoReplay = true }},
}

// asks is a refusal in some words of a request that holds what is refused.
func asks(words string, holds func(Request) bool) func(*Client, *Error, Request) bool {
	pattern := lazyRegexp(`(?i)` + words)
	return func(_ *Client, e *Error, r Request) bool { return pattern().MatchString(e.Body) && holds(r) }
}

// refusesReplay says that a refusal names a key that the request only had because an answer had it.
func (c *Client) refusesReplay(e *Error, r Request) bool {
	names := func(replay string) bool {
		if replay != "" && c.Wire(r.Model) == ResponsesWire && refusesKept().MatchString(e.Body) {
			return true
		}
		var keys map[string]json.RawMessage
		_ = json.Unmarshal([]byte(replay), &keys) // "" has none
		for key := range keys {
			if complaintOf(e, r, key) == unsupported {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(r.Messages, func(m history.Message) bool {
		return m.Origin == c.Origin(r.Model) && (names(m.Replay) ||
			slices.ContainsFunc(m.ToolCalls, func(call history.ToolCall) bool { return names(call.Replay) }))
	})
}

// learnFormat learns the format that a refusal asks for, and says whether it is news. The same request cannot go out
// again: what it holds was counted and shown.
func (c *Client) learnFormat(e *Error, r Request) bool {
	known := c.Profile(r.Model)
	for _, f := range formats {
		now := known
		if f.set(&now); now != known && f.refusal(c, e, r) {
			c.teach(r.Model, func(l *Learned) { f.set(&l.Profile) })
			return true
		}
	}
	return false
}

// Profile is what the chat format of a model requires, by what is known of the endpoint and of the model.
func (c *Client) Profile(model string) history.Profile {
	p := c.Known(model).over(Learned{Profile: c.endpoint.Profile}).Profile
	if s, set := c.endpoint.configured(model, func(s ModelSettings) bool { return s.Tools != nil }); set && !*s.Tools {
		p.NoTools = true
	}
	return c.lacking(model, p)
}

func (r Request) hasMessages() bool { return len(r.Messages) > 0 }

// hasImages says that a request shows images.
func (r Request) hasImages() bool {
	return slices.ContainsFunc(r.Messages, func(m history.Message) bool {
		return slices.ContainsFunc(m.Parts, func(p history.Part) bool { return p.Kind == history.ImagePart })
	})
}

// hasTools says that a request holds calls or their results, or offers tools.
func (r Request) hasTools() bool { return len(r.Tools) > 0 || r.holdsToolCalls() }

// holdsToolCalls says that a request holds tool calls or their results.
func (r Request) holdsToolCalls() bool {
	return slices.ContainsFunc(r.Messages, func(m history.Message) bool {
		return m.Role == history.Tool || len(m.ToolCalls) > 0
	})
}
