package llm

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"winnow/history"
)

// content takes what was said: a text, or a list of texts and images. Other values are taken as the
// JSON they are: tools answer with objects and numbers.
func (m *saying) content(raw []byte) {
	switch raw[0] {
	case '"':
		m.Content = unquote(raw)
	case '[':
		m.list(raw)
	default:
		m.Content = string(raw)
		m.remark("content", "is %s, not a text; its JSON is taken as the text", kindOf(raw))
	}
}

// list takes a content in parts. Its texts become the message's text, joined as a request joins
// them; its images become the message's parts. The list itself is kept too, without the text where
// there is one and without the bytes of the images, which stand in the message.
func (m *saying) list(raw []byte) {
	var texts []string
	var unused []string
	frame := []byte{'['}
	single := textsIn(raw) == 1
	for item := range items(raw) {
		if len(frame) > 1 {
			frame = append(frame, ',')
		}
		part, ok := m.part(item)
		switch {
		case !ok:
			if kind := typeOf(item); !slices.Contains(unused, kind) {
				unused = append(unused, kind)
			}
		case part.Kind == history.ImagePart:
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
	m.extra.message.keep("content", append(frame, ']'))
	if len(unused) > 0 {
		m.remark("content", "holds what winnow cannot send (%s); it is kept, but not used", strings.Join(unused, ", "))
	}
}

// attachments takes the texts and the code that are attached to a user's message as its parts. What else is
// attached is kept in the message's extra.
func (m *saying) attachments(raw []byte) {
	if raw[0] != '[' {
		m.leave("attachments", raw, "is "+kindOf(raw)+", not a list")
		return
	}
	var unused []string
	rest := []byte{'['}
	for item := range items(raw) {
		part, ok := attachedText(item)
		if ok && m.Role == history.User {
			m.Parts = append(m.Parts, part)
			continue
		}
		kind := typeOf(item)
		if ok {
			kind = fmt.Sprintf("%s on a message of the role %s", kind, short(string(m.Role)))
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
		m.extra.message.keep("attachments", append(rest, ']'))
		m.remark("attachments", "holds what winnow cannot send (%s); it is kept, but not used", strings.Join(unused, ", "))
	}
}

// attachedText reads an attachment that is a text or code.
func attachedText(raw []byte) (p history.Part, ok bool) {
	said := func(keys ...string) string {
		for _, key := range keys {
			if value := member(raw, key); value != nil && value[0] == '"' && string(value) != `""` {
				return unquote(value)
			}
		}
		return ""
	}
	if !slices.Contains([]string{"", "text", "code", "file", "snippet", "document", "markdown"}, said("type", "kind")) || said("encoding") == "base64" {
		return p, false
	}
	media := said("media_type", "mime_type", "mimeType")
	if media != "" && !strings.HasPrefix(media, "text/") && media != "application/json" {
		return p, false
	}
	p = history.Part{Kind: history.TextPart, Name: said("name", "filename", "title", "path"), MediaType: media, Text: said("content", "text", "code")}
	if p.Name == "" {
		p.Name = strings.TrimSpace(said("language") + " attachment")
	}
	if p.MediaType == "" {
		p.MediaType = "text/plain"
	}
	return p, p.Text != ""
}

func textsIn(list []byte) int {
	n := 0
	for item := range items(list) {
		if _, ok := textOf(item); ok {
			n++
		}
	}
	return n
}

// part reads a text or an image; ok is false for anything else.
func (m *saying) part(raw []byte) (p history.Part, ok bool) {
	if text, ok := textOf(raw); ok {
		return history.Part{Kind: history.TextPart, Text: text}, true
	}
	url, ok := imageAddress(raw)
	if !ok {
		return p, false
	}
	mediaType, data, ok := dataURL(url)
	return history.Part{Kind: history.ImagePart, MediaType: mediaType, Data: data}, ok
}

// textOf is the text of a part that is one.
func textOf(part []byte) (string, bool) {
	if part[0] == '"' {
		return unquote(part), true
	}
	text := member(part, "text")
	if text == nil || text[0] != '"' {
		return "", false
	}
	return unquote(text), true
}

// imageAddress is the URL of an image part, which is a text or stands in an object.
func imageAddress(part []byte) ([]byte, bool) {
	image := member(part, "image_url")
	if image != nil && image[0] == '{' {
		image = member(image, "url")
	}
	return image, image != nil && image[0] == '"'
}

// dataURL reads an image that stands in its URL. One that would not be written the same way again is
// none.
func dataURL(raw []byte) (mediaType string, data []byte, ok bool) {
	if !bytes.HasPrefix(raw, []byte(`"data:`)) {
		return "", nil, false
	}
	head, body, ok := strings.Cut(strings.TrimPrefix(unquote(raw), "data:"), ";base64,")
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
	var o rawObject
	for name, value := range pairs(part) {
		switch unquote(name) {
		case "text":
			value = []byte(`""`)
		case "image_url":
			value = emptiedImage(value)
		}
		o.add(name, value)
	}
	return o
}

func emptiedImage(image []byte) []byte {
	if image[0] == '"' {
		return emptiedURL(image)
	}
	var o rawObject
	for name, value := range pairs(image) {
		if unquote(name) == "url" {
			value = emptiedURL(value)
		}
		o.add(name, value)
	}
	return o
}

// emptiedURL is a data URL up to its bytes.
func emptiedURL(raw []byte) []byte {
	head, _, _ := bytes.Cut(raw, []byte(";base64,"))
	return fmt.Appendf(nil, `%s;base64,"`, head)
}

// member is the value of one key of an object, nil for none.
func member(object []byte, key string) []byte {
	if object[0] != '{' {
		return nil
	}
	var found []byte
	for name, value := range pairs(object) {
		if unquote(name) == key {
			found = value
		}
	}
	return found
}

// typeOf names a part for a sentence.
func typeOf(part []byte) string {
	if kind := member(part, "type"); kind != nil && kind[0] == '"' {
		if kind := unquote(kind); kind != "image_url" {
			return short(kind)
		}
		return "an image that is not in the file"
	}
	return kindOf(part)
}
