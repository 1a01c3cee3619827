package llm

import (
	"encoding/json"
	"slices"

	"winnow/history"
)

// format is a way in which a model may want its history.
type format struct {
	quirk  string                                          // what the client keeps of it
	taught func(c *Client, refusal string, r Request) bool // whether a refusal of the request asks for it
	set    func(*history.Profile)                          // what changes
}

// formats are those that refusals teach. Where a refusal fits several, the first that is not known yet is
// learned.
var formats = []format{
	{
		noImages, asks("(?i)"+refusing+"(image|vision|multi-?modal)|images? (inputs? )?(is|are) not supported"+
			"|unknown variant `image_url`|variant of untagged enum chatcompletionrequestcontent|invalid type: sequence, expected a string", Request.hasImages),
		func(p *history.Profile) { p.NoImages = true },
	},
	{
		alternate, asks(rolesAlternate, Request.any),
		func(p *history.Profile) { p.MergeSameRole, p.NoToolToUser = true, true },
	},
	{
		// A template that knows no tools counts calls and results as turns.
		noTools, asks(rolesAlternate, Request.hasTools),
		func(p *history.Profile) { p.NoTools, p.ToolsAsText = true, true },
	},
	{
		toolsAsText, asks(`(?i)must define tools|toolconfig field must be defined`, Request.holdsToolCalls),
		func(p *history.Profile) { p.ToolsAsText = true },
	},
	{
		noTools, asks("(?i)"+refusing+"(tool|function call)|tool (use|calling|calls?) (is|are) not supported", Request.hasTools),
		func(p *history.Profile) { p.NoTools, p.ToolsAsText = true, true },
	},
	{
		noToolToUser, asks(`(?i)unexpected role 'user' after role 'tool'`, Request.hasTools),
		func(p *history.Profile) { p.NoToolToUser = true },
	},
	{
		shortIDs, asks(`(?i)tool call ids? .{0,120}length (of )?9`, Request.hasTools),
		func(p *history.Profile) { p.ToolIDLength = 9 },
	},
	{
		echoReasoning, asks(`(?s)reasoning_content.*(passed back|[mM]issing)|[mM]issing.*reasoning_content`, Request.any),
		func(p *history.Profile) { p.EchoReasoning = true },
	},
	{noReplay, (*Client).refusesReplay, func(p *history.Profile) { p.NoReplay = true }},
}

const (
	// refusing begins a sentence that says of a model what it cannot take: one about how large an image
	// may be says that it takes images.
	refusing = `(not|n't|cannot|no endpoints found that) (currently )?(support|accept|take|process)s?( for)? `

	rolesAlternate = `(?i)roles must alternate|requests alternate between|must alternate between`
)

// asks is a refusal in some words of a request that holds what is refused: the same words may stand in other
// errors.
func asks(words string, holds func(Request) bool) func(*Client, string, Request) bool {
	pattern := lazyRegexp(words)
	return func(_ *Client, refusal string, r Request) bool { return pattern().MatchString(refusal) && holds(r) }
}

// refusesReplay says that a refusal names a key that the request only had because an answer had it.
func (c *Client) refusesReplay(refusal string, r Request) bool {
	names := func(replay string) bool {
		if replay != "" && c.Wire(r.Model) == ResponsesWire && refusesKept().MatchString(refusal) {
			return true
		}
		var keys map[string]json.RawMessage
		_ = json.Unmarshal([]byte(replay), &keys) // "" has none
		for key := range keys {
			if refuses(refusal, key) {
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

// learnFormat finds the format that a refusal asks for, and whether it is news. The same request cannot go out
// again: what it holds was counted and shown.
func (c *Client) learnFormat(e *Error, r Request) bool {
	for _, f := range formats {
		if !f.taught(c, e.Body, r) {
			continue
		}
		known := c.Profile(r.Model)
		now := known
		if f.set(&now); now != known {
			return c.news(of(r.Model, f.quirk))
		}
	}
	return false
}

func (r Request) any() bool { return len(r.Messages) > 0 }

// hasImages says that a request shows images.
func (r Request) hasImages() bool {
	return slices.ContainsFunc(r.Messages, func(m history.Message) bool {
		return slices.ContainsFunc(m.Parts, func(p history.Part) bool { return p.Kind == history.ImagePart })
	})
}

// hasTools says that a request holds calls or their results, or offers tools.
func (r Request) hasTools() bool {
	return len(r.Tools) > 0 || r.holdsToolCalls()
}
