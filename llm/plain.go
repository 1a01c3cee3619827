package llm

import (
	"regexp"
	"slices"

	"winnow/history"
)

// What servers say where a model takes no images, and where it takes no tool calls, or none in a
// request that offers no tools. The same words may stand in other errors: a request has to hold what
// is refused.
var (
	imagesRefused = regexp.MustCompile("(?i)(support|accept|take)s?( for)? (image|vision|multi-?modal)|image (input )?(is|are) not supported|images are not supported" +
		"|unknown variant `image_url`|variant of untagged enum chatcompletionrequestcontent|invalid type: sequence, expected a string")
	toolsRefused = regexp.MustCompile("(?i)(support|accept|take)s?( for)? (tool|function call)|must define tools|toolconfig field must be defined|tool (use|calling|calls?) (is|are) not supported")
)

func refusesImages(text string) bool { return imagesRefused.MatchString(text) }

func refusesTools(text string) bool { return toolsRefused.MatchString(text) }

// hasImages says that a request shows images.
func (r Request) hasImages() bool {
	return slices.ContainsFunc(r.Messages, func(m history.Message) bool {
		return slices.ContainsFunc(m.Parts, func(p history.Part) bool { return p.Kind == history.ImagePart })
	})
}

// hasTools says that a request holds calls or their results, or offers tools.
func (r Request) hasTools() bool {
	return len(r.Tools) > 0 || slices.ContainsFunc(r.Messages, func(m history.Message) bool {
		return m.Role == history.Tool || len(m.ToolCalls) > 0
	})
}
