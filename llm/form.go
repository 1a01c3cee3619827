package llm

import (
	"regexp"
	"slices"

	"winnow/history"
)

// form is a form in which a model may want its history.
type form struct {
	quirk string                 // what the client keeps of it
	said  *regexp.Regexp         // what servers say about a request in another form
	holds func(Request) bool     // whether a request can be in another form at all
	set   func(*history.Profile) // what changes
}

// forms are those that refusals teach. The same words may stand in other errors: a request has to
// hold what is refused. Where a refusal fits several, the first that is not known yet is learned.
var forms = []form{
	{
		noImages, regexp.MustCompile("(?i)" + refusing + "(image|vision|multi-?modal)|images? (inputs? )?(is|are) not supported" +
			"|unknown variant `image_url`|variant of untagged enum chatcompletionrequestcontent|invalid type: sequence, expected a string"),
		Request.hasImages, func(p *history.Profile) { p.NoImages = true },
	},
	{
		alternate, rolesAlternate,
		Request.any, func(p *history.Profile) { p.MergeSameRole, p.NoToolToUser = true, true },
	},
	{
		// A template that knows no tools counts calls and results as turns.
		noTools, rolesAlternate,
		Request.hasTools, func(p *history.Profile) { p.NoTools, p.ToolsAsText = true, true },
	},
	{
		toolsAsText, regexp.MustCompile(`(?i)must define tools|toolconfig field must be defined`),
		Request.holdsToolCalls, func(p *history.Profile) { p.ToolsAsText = true },
	},
	{
		noTools, regexp.MustCompile("(?i)" + refusing + "(tool|function call)|tool (use|calling|calls?) (is|are) not supported"),
		Request.hasTools, func(p *history.Profile) { p.NoTools, p.ToolsAsText = true, true },
	},
	{
		noToolToUser, regexp.MustCompile(`(?i)unexpected role 'user' after role 'tool'`),
		Request.hasTools, func(p *history.Profile) { p.NoToolToUser = true },
	},
	{
		shortIDs, regexp.MustCompile(`(?i)tool call ids? .{0,120}length (of )?9`),
		Request.hasTools, func(p *history.Profile) { p.ToolIDLength = 9 },
	},
}

// refusing begins a sentence that says of a model what it cannot take: one about how large an image
// may be says that it takes images.
const refusing = `(not|n't|cannot|no endpoints found that) (currently )?(support|accept|take|process)s?( for)? `

var rolesAlternate = regexp.MustCompile(`(?i)roles must alternate|requests alternate between|must alternate between`)

// formLearned finds the form that a refusal asks for, and whether it is news.
func (c *Client) formLearned(text string, r Request) bool {
	for _, f := range forms {
		if !f.said.MatchString(text) || !f.holds(r) {
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
