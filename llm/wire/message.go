package wire

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"winnow/history/message"
)

// parts are the texts and images of a message, texts as they are sent. The message's own text is the last: behind the
// files and images that it is about. Blank texts are left out, unless there is nothing else.
func parts(m message.Message) []message.Part {
	list := make([]message.Part, 0, len(m.Parts)+1)
	for _, p := range m.Parts {
		switch {
		case p.Kind == message.ImagePart:
			list = append(list, p)
		case !message.IsBlank(p.Text):
			list = append(list, message.Part{Kind: message.TextPart, Text: p.AsText()})
		}
	}
	if len(list) == 0 || !message.IsBlank(m.Content) {
		list = append(list, message.Part{Kind: message.TextPart, Text: m.Content})
	}
	return list
}

func isImage(p message.Part) bool { return p.Kind == message.ImagePart }

// text is all texts of a message as one.
func text(m message.Message) string {
	var texts []string
	for _, p := range parts(m) {
		if !isImage(p) {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// IsBlank says that nothing but white space is sent of a message.
func IsBlank(m message.Message) bool {
	return message.IsBlank(text(m)) && !slices.ContainsFunc(m.Parts, isImage)
}

// dataURL is an image as a URL.
func dataURL(p message.Part) string {
	return "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}

// withReplay is an object in JSON, and behind its own keys those of replay, in the order of their names and with the
// bytes of their values. A known key is never taken from there.
func withReplay(object any, replay string, known []string) json.RawMessage {
	raw, _ := Encode(object) // Only texts, images and values that were read from JSON are in both.
	var more fields
	_ = json.Unmarshal([]byte(replay), &more) // "" holds none.
	maps.DeleteFunc(more, func(key string, _ json.RawMessage) bool { return slices.Contains(known, key) })
	if len(more) == 0 {
		return raw
	}
	added, _ := Encode(more)
	raw[len(raw)-1] = ','
	return append(raw, added[1:]...)
}
