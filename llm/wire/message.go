package wire

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"winnow/history/message"
)

// parts returns the texts and images of a message as they are sent. The message's own text is the last, after the files
// and images that it refers to. Blank texts are omitted unless there is nothing else.
func parts(m message.Message) []message.Part {
	list := make([]message.Part, 0, len(m.Parts)+1)
	for _, p := range m.Parts {
		switch {
		case p.Kind == message.ImagePart:
			list = append(list, p)
		case !message.IsBlank(p.Text):
			list = append(list, message.Part{
				Kind: message.TextPart, Text: p.AsText(),
			})
		}
	}
	if len(list) == 0 || !message.IsBlank(m.Content) {
		list = append(list, message.Part{
			Kind: message.TextPart, Text: m.Content,
		})
	}
	return list
}

func isImage(p message.Part) bool { return p.Kind == message.ImagePart }

// text joins all texts of a message.
func text(m message.Message) string {
	var texts []string
	for _, p := range parts(m) {
		if !isImage(p) {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// IsBlankMessage reports whether a message contains nothing but white space.
func IsBlankMessage(m message.Message) bool {
	return message.IsBlank(text(m)) && !slices.ContainsFunc(m.Parts, isImage)
}

// dataURL encodes an image as a data URL.
func dataURL(p message.Part) string {
	return "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}

// withReplay encodes an object and appends the keys of replay, sorted, with the exact bytes of their values. Known keys
// are never taken from replay.
func withReplay(object any, replay string, known []string) json.RawMessage {
	raw, _ := EncodeJSON(object) // Both contain only strings, images and decoded JSON.
	var more fields
	_ = json.Unmarshal([]byte(replay), &more) // "" is not JSON and adds none.
	maps.DeleteFunc(more, func(key string, _ json.RawMessage) bool { return slices.Contains(known, key) })
	if len(more) == 0 {
		return raw
	}
	added, _ := EncodeJSON(more)
	raw[len(raw)-1] = ','
	return append(raw, added[1:]...)
}
