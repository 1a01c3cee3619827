package openai

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"winnow/history/message"
	"winnow/session/transfer/conversation"
	"winnow/session/transfer/rawjson"
)

// content reads a content: a text, or a list of texts and images. Other values are taken as the
// JSON they are: tools answer with objects and numbers.
func (m *messageReader) content(raw []byte) {
	switch raw[0] {
	case '"':
		m.Content = rawjson.Unquote(raw)
	case '[':
		m.list(raw)
	default:
		m.Content = string(raw)
		m.remark("content", "is %s, not a string; its JSON is used as the text", rawjson.Kind(raw))
	}
}

// list takes a content in parts. Its texts become the message's text, joined as a request joins
// them; its images become the message's parts. The list itself is kept too, without the text where
// there is one and without the bytes of the images, which are in the message.
func (m *messageReader) list(raw []byte) {
	var texts []string
	var unused []string
	frame := []byte{'['}
	single := textsIn(raw) == 1
	for item := range rawjson.Items(raw) {
		if len(frame) > 1 {
			frame = append(frame, ',')
		}
		part, ok := m.part(item)
		switch {
		case !ok:
			if kind := typeOf(item); !slices.Contains(unused, kind) {
				unused = append(unused, kind)
			}
		case part.Kind == message.ImagePart:
			m.Parts = append(m.Parts, part)
			item = emptied(item)
		default:
			texts = append(texts, part.Text)
			if single {
				item = emptied(item)
			}
		}
		frame = append(frame, item...)
	}
	m.Content = strings.Join(texts, "\n\n")
	m.extra.message.Set("content", append(frame, ']'))
	if len(unused) > 0 {
		m.remark("content", "%s", conversation.Unused(unused...))
	}
}

// attachments takes the texts and the code that are attached to a user's message as its parts. What else is
// attached is kept in the message's extra.
func (m *messageReader) attachments(raw []byte) {
	if raw[0] != '[' {
		m.leave("attachments", raw, "is "+rawjson.Kind(raw)+", not a list")
		return
	}
	var unused []string
	rest := []byte{'['}
	for item := range rawjson.Items(raw) {
		part, ok := attachedText(item)
		if ok && m.Role == message.User {
			m.Parts = append(m.Parts, part)
			continue
		}
		kind := typeOf(item)
		if ok {
			kind = fmt.Sprintf("%s on a message of the role %s", kind, conversation.Shorten(string(m.Role)))
		}
		if !slices.Contains(unused, kind) {
			unused = append(unused, kind)
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = append(rest, item...)
	}
	if len(unused) > 0 {
		m.extra.message.Set("attachments", append(rest, ']'))
		m.remark("attachments", "%s", conversation.Unused(unused...))
	}
}

// attachedText reads an attachment that is a text or code.
func attachedText(raw []byte) (p message.Part, ok bool) {
	first := func(keys ...string) string {
		for _, key := range keys {
			if value := rawjson.Member(raw, key); value != nil && value[0] == '"' && string(value) != `""` {
				return rawjson.Unquote(value)
			}
		}
		return ""
	}
	if !slices.Contains([]string{"", "text", "code", "file", "snippet", "document", "markdown"}, first("type", "kind")) || first("encoding") == "base64" {
		return p, false
	}
	media := first("media_type", "mime_type", "mimeType")
	if media != "" && !strings.HasPrefix(media, "text/") && media != "application/json" {
		return p, false
	}
	p = message.Part{Kind: message.TextPart, Name: first("name", "filename", "title", "path"), MediaType: media, Text: first("content", "text", "code")}
	if p.Name == "" {
		p.Name = strings.TrimSpace(first("language") + " attachment")
	}
	if p.MediaType == "" {
		p.MediaType = "text/plain"
	}
	return p, p.Text != ""
}

func textsIn(list []byte) int {
	n := 0
	for item := range rawjson.Items(list) {
		if _, ok := textOf(item); ok {
			n++
		}
	}
	return n
}

// part reads a text or an image; ok is false for anything else.
func (m *messageReader) part(raw []byte) (p message.Part, ok bool) {
	if text, ok := textOf(raw); ok {
		return message.Part{Kind: message.TextPart, Text: text}, true
	}
	url, ok := imageAddress(raw)
	if !ok {
		return p, false
	}
	mediaType, data, ok := dataURL(url)
	return message.Part{Kind: message.ImagePart, MediaType: mediaType, Data: data}, ok
}

// textOf is the text of a part that is one.
func textOf(part []byte) (string, bool) {
	if part[0] == '"' {
		return rawjson.Unquote(part), true
	}
	text := rawjson.Member(part, "text")
	if text == nil || text[0] != '"' {
		return "", false
	}
	return rawjson.Unquote(text), true
}

// imageAddress is the URL of an image part, which is a text or is in an object.
func imageAddress(part []byte) ([]byte, bool) {
	image := rawjson.Member(part, "image_url")
	if image != nil && image[0] == '{' {
		image = rawjson.Member(image, "url")
	}
	return image, image != nil && image[0] == '"'
}

// dataURL reads an image that is in its URL. One that would not be written the same way again is
// none.
func dataURL(raw []byte) (mediaType string, data []byte, ok bool) {
	if !bytes.HasPrefix(raw, []byte(`"data:`)) {
		return "", nil, false
	}
	head, body, ok := strings.Cut(strings.TrimPrefix(rawjson.Unquote(raw), "data:"), ";base64,")
	if !ok || body == "" {
		return "", nil, false
	}
	data, err := base64.StdEncoding.Strict().DecodeString(body)
	return head, data, err == nil && !strings.ContainsAny(body, "\r\n")
}

// emptied is a part without its text, or without the bytes of its image.
func emptied(part []byte) []byte {
	if part[0] == '"' {
		return []byte(`""`)
	}
	var o rawjson.Object
	for name, value := range rawjson.Members(part) {
		switch rawjson.Unquote(name) {
		case "text":
			value = []byte(`""`)
		case "image_url":
			value = emptiedImage(value)
		}
		o.Add(name, value)
	}
	return o
}

func emptiedImage(image []byte) []byte {
	if image[0] == '"' {
		return emptiedURL(image)
	}
	var o rawjson.Object
	for name, value := range rawjson.Members(image) {
		if rawjson.Unquote(name) == "url" {
			value = emptiedURL(value)
		}
		o.Add(name, value)
	}
	return o
}

// emptiedURL is a data URL up to its bytes.
func emptiedURL(raw []byte) []byte {
	head, _, _ := bytes.Cut(raw, []byte(";base64,"))
	return fmt.Appendf(nil, `%s;base64,"`, head)
}

// typeOf names a part for a sentence.
func typeOf(part []byte) string {
	if kind := rawjson.Member(part, "type"); kind != nil && kind[0] == '"' {
		if kind := rawjson.Unquote(kind); kind != "image_url" {
			return conversation.Shorten(kind)
		}
		return "an image that is not in the file"
	}
	return rawjson.Kind(part)
}
