package message

import (
	"slices"
	"strings"
)

// NotePart is the kind of a part that replaces one that is not sent.
const NotePart PartKind = "note"

// AsText returns the text of a part as a request carries it. A file's text comes after its name and a colon, between
// two fences that are longer than any run of backticks in it. An image has no text; a part without a name is just its
// text.
func (p Part) AsText() string {
	name := oneLine(p.Name)
	if p.Kind != TextPart || name == "" || IsBlank(p.Text) {
		return p.Text
	}
	fence := strings.Repeat("`", max(3, 1+longestRun(p.Text, '`')))
	end := "\n"
	if strings.HasSuffix(p.Text, "\n") {
		end = ""
	}
	return name + ":\n" + fence + "\n" + p.Text + end + fence
}

// oneLine returns a name without line breaks, so that it cannot be mistaken for the text after it.
func oneLine(name string) string { return strings.Join(strings.Fields(ToValidUTF8(name)), " ") }

// longestRun returns the length of the longest run of a byte in a text.
func longestRun(s string, of byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// IsSendableImage reports whether an image has data and a media type that every server with image support accepts.
func (p Part) IsSendableImage() bool {
	kinds := []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
	return slices.Contains(kinds, p.MediaType) && len(p.Data) > 0
}

// NotSentLabel returns the text that replaces an image that is not sent.
func (p Part) NotSentLabel() string { return p.inBrackets("not sent") }

// AsNote returns the part that replaces an image that is not sent.
func (p Part) AsNote() Part { return Part{Kind: NotePart, Name: p.Name, Text: p.NotSentLabel()} }

// AttachedLabel returns the text that names an image in a quoted message whose image is attached to the quote.
func (p Part) AttachedLabel() string { return p.inBrackets("attached to this message") }

// inBrackets names an image and says where it is.
func (p Part) inBrackets(where string) string {
	if name := strings.TrimSpace(ToValidUTF8(p.Name)); name != "" {
		return "[image " + name + ", " + where + "]"
	}
	return "[image, " + where + "]"
}

// HasParts reports whether a message has a part with data or text.
func (m Message) HasParts() bool {
	for _, p := range m.Parts {
		if len(p.Data) > 0 || strings.TrimSpace(p.Text) != "" {
			return true
		}
	}
	return false
}
