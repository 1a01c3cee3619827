package message

import (
	"slices"
	"strings"
)

// NotePart stands in a request for a part that is not sent.
const NotePart PartKind = "note"

// Sent is the text of a part as a request carries it. In front of a file's text stand its name and a
// colon, and the text stands between two fences, which are longer than any run of backticks in it. An
// image has no text, and a part without a name is its text alone.
func (p Part) SentText() string {
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

// oneLine is a name that cannot be taken for the text behind it.
func oneLine(name string) string { return strings.Join(strings.Fields(ToValidUTF8(name)), " ") }

// longestRun is the length of the longest run of a byte in a text.
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

// Sendable reports whether an image has bytes and is of a kind that every server takes that takes images.
func (p Part) IsSendableImage() bool {
	kinds := []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
	return slices.Contains(kinds, p.MediaType) && len(p.Data) > 0
}

// Note is the text that stands for an image that is not sent.
func (p Part) NotSentLabel() string { return p.inBrackets("not sent") }

// AsNote is the part that is sent in place of an image.
func (p Part) AsNote() Part { return Part{Kind: NotePart, Name: p.Name, Text: p.NotSentLabel()} }

// Attached is the text that names an image where its message is quoted and the image is sent beside the quote.
func (p Part) AttachedLabel() string { return p.inBrackets("attached to this message") }

// inBrackets names an image and says where it is.
func (p Part) inBrackets(where string) string {
	if name := strings.TrimSpace(ToValidUTF8(p.Name)); name != "" {
		return "[image " + name + ", " + where + "]"
	}
	return "[image, " + where + "]"
}

// HasParts reports whether a message has a part with bytes or text.
func (m Message) HasParts() bool {
	for _, p := range m.Parts {
		if len(p.Data) > 0 || strings.TrimSpace(p.Text) != "" {
			return true
		}
	}
	return false
}
