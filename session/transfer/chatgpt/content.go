package chatgpt

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"winnow/history/message"
	"winnow/session/transfer/conversation"
	"winnow/session/transfer/rawjson"
)

// chatTexts are, by the type of a content, which of its keys hold the text, in the order in which
// they are joined.
var chatTexts = map[string][]string{
	"code":                    {"text"},
	"execution_output":        {"text"},
	"tether_quote":            {"title", "url", "text"},
	"sonic_webpage":           {"title", "url", "text"},
	"tether_browsing_code":    {"text"},
	"tether_browsing_display": {"summary", "result"},
	"system_error":            {"name", "text"},
	"stderr":                  {"text"},
	"refusal":                 {"refusal"},
	"user_editable_context":   {"user_profile", "user_instructions"},
	"model_editable_context":  {"model_set_context"},
	"thoughts":                {"thoughts"},
	"reasoning_recap":         {"content"},
}

// content reads a content by its type. A type that nobody knows yet is read by the keys that others
// have, and where it has none of them its JSON is the text.
func (c *messageReader) content(raw []byte) {
	if raw == nil {
		return
	}
	if raw[0] != '{' {
		c.m.Content = rawjson.Text(raw)
		if raw[0] != '"' {
			c.m.Content = string(raw)
			c.t.conv.Odd(c.m.Label, "content", "is %s, not an object; its JSON is used as the text", rawjson.Kind(raw))
		}
		return
	}
	c.kind = rawjson.Text(rawjson.Member(raw, "content_type"))
	keys, known := chatTexts[c.kind]
	if !known {
		keys = []string{"text", "result", "content"}
	}
	switch {
	case rawjson.Member(raw, "parts") != nil:
		c.parts(raw)
	case !c.texts(raw, keys) && !known && c.kind != "text" && c.kind != "multimodal_text":
		c.m.Content = string(raw)
		c.t.conv.Odd(c.m.Label, "content", "is of the type %q, which is not supported; its JSON is used as the text", conversation.Shorten(c.kind))
	}
	c.turn(raw)
}

// turn makes of the text what its type and its recipient say that it is.
func (c *messageReader) turn(raw []byte) {
	switch {
	case c.kind == "thoughts" || c.kind == "reasoning_recap":
		c.thoughts = true
		c.m.Reasoning, c.m.Content = c.m.Content, ""
	case c.kind == "user_editable_context" || c.kind == "model_editable_context":
		c.m.Role = message.System
	case c.m.Role == message.Assistant && c.recipient != "" && c.recipient != "all" && c.recipient != "user":
		c.call(raw)
	}
}

// call makes a message to a tool a call of it. Code and texts that are no JSON object become the one
// argument of the call.
func (c *messageReader) call(raw []byte) {
	if strings.TrimSpace(c.m.Content) == "" {
		return
	}
	arguments := c.m.Content
	if !strings.HasPrefix(strings.TrimSpace(arguments), "{") || !json.Valid([]byte(arguments)) {
		key := "input"
		text := []byte(nil)
		if c.kind == "code" {
			key, text = "code", rawjson.Member(raw, "text")
		}
		if text == nil || text[0] != '"' {
			text = rawjson.Quote(arguments)
		}
		var o rawjson.Object
		o.Set(key, text)
		arguments = string(o)
	}
	c.m.ToolCalls = []message.ToolCall{{ID: c.m.Label, Name: c.recipient, Arguments: arguments}}
	c.m.Content = ""
}

// texts joins the texts under some keys of a content and keeps the others. ok is false where none of
// them is there.
func (c *messageReader) texts(raw []byte, keys []string) (ok bool) {
	found := map[string]string{}
	var rest rawjson.Object
	for name, value := range rawjson.Members(raw) {
		key := rawjson.Unquote(name)
		if slices.Contains(keys, key) && (value[0] == '"' || value[0] == '[' && key == "thoughts") {
			found[key] = rawjson.Text(value)
			if value[0] == '[' {
				found[key] = thoughtsIn(value)
			}
			continue
		}
		if string(value) != "null" {
			rest.Add(name, value)
		}
	}
	var all []string
	for _, key := range keys {
		if text, has := found[key]; has {
			ok = true
			if text != "" {
				all = append(all, text)
			}
		}
	}
	between := "\n\n"
	if c.kind == "tether_quote" || c.kind == "sonic_webpage" || c.kind == "system_error" {
		between = "\n"
	}
	c.m.Content = strings.Join(all, between)
	if ok {
		c.keepFrame(rest)
	}
	return ok
}

// keepFrame keeps a content without its texts, where that is more than its plain type.
func (c *messageReader) keepFrame(rest rawjson.Object) {
	if string(rest) != `{"content_type":"text"}` {
		c.keep.Set("content", rest)
	}
}

// thoughtsIn is a list of thoughts as one text, each with its headline.
func thoughtsIn(list []byte) string {
	var all []string
	for item := range rawjson.Items(list) {
		if item[0] == '"' {
			all = append(all, rawjson.Unquote(item))
			continue
		}
		head, body := rawjson.Text(rawjson.Member(item, "summary")), rawjson.Text(rawjson.Member(item, "content"))
		if body == "" {
			if chunks := rawjson.Member(item, "chunks"); chunks != nil && chunks[0] == '[' {
				for chunk := range rawjson.Items(chunks) {
					body += rawjson.Text(chunk)
				}
			}
		}
		if text := strings.Trim(head+"\n"+body, "\n"); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n\n")
}

// parts takes a content in parts: texts, images, and what was heard. The rest is kept and not used.
func (c *messageReader) parts(raw []byte) {
	var texts []string
	var rest rawjson.Object
	for name, value := range rawjson.Members(raw) {
		isParts := rawjson.Unquote(name) == "parts"
		switch {
		case string(value) == "null":
			continue
		case isParts && value[0] == '"':
			texts = append(texts, rawjson.Unquote(value))
			continue
		case isParts && value[0] != '[':
			c.t.conv.Lose(c.m.Label, "content", "has %s where its parts should be", rawjson.Kind(value))
			fallthrough
		case !isParts:
			rest.Add(name, value)
			continue
		}
		var kept []byte
		for item := range rawjson.Items(value) {
			text, frame := c.part(item)
			texts = append(texts, text)
			if frame != nil {
				kept = append(append(kept, ','), frame...)
			}
		}
		if kept != nil {
			kept[0] = '['
			rest.Set("parts", append(kept, ']'))
		}
	}
	c.m.Content = strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n\n")
	c.keepFrame(rest)
}

// part reads one part of a content: its text, and what of it is kept beside, nil for nothing.
func (c *messageReader) part(item []byte) (text string, frame []byte) {
	if item[0] == '"' {
		return rawjson.Unquote(item), nil
	}
	if item[0] != '{' {
		return "", item // null is what was taken away
	}
	kind := rawjson.Text(rawjson.Member(item, "content_type"))
	switch kind {
	case "image_asset_pointer":
		c.image(rawjson.Text(rawjson.Member(item, "asset_pointer")))
		return "", item
	case "audio_transcription", "text":
		return rawjson.Text(rawjson.Member(item, "text")), nil
	case "audio_asset_pointer", "real_time_user_audio_video_asset_pointer":
		c.unused = "audio"
		return "", item // Its text is mostly in a part of its own.
	}
	if text := rawjson.Text(rawjson.Member(item, "text")); text != "" {
		return text, withoutText(item)
	}
	if kind == "" {
		kind = rawjson.Kind(item)
	}
	c.unused = conversation.Shorten(kind)
	c.t.conv.Odd(c.m.Label, "content", "%s", conversation.Unused(conversation.Shorten(kind)))
	return "", item
}

// withoutText is a part without its text.
func withoutText(part []byte) []byte {
	var o rawjson.Object
	for name, value := range rawjson.Members(part) {
		if rawjson.Unquote(name) == "text" {
			value = []byte(`""`)
		}
		o.Add(name, value)
	}
	return o
}

// note puts a note where something stood that is not imported.
func (c *messageReader) note(what string) {
	c.m.Parts = append(c.m.Parts, conversation.Note(what))
}

// assetID is the id in a pointer such as file-service://file-AbC or sediment://x#file_00ff#p_0.png.
var assetID = regexp.MustCompile(`file[-_][0-9A-Za-z]+`)

// image takes an image by its pointer. Where the export does not hold it, a note says so.
func (c *messageReader) image(pointer string) {
	_, path, _ := strings.Cut(pointer, "://")
	id := assetID.FindString(path)
	asset, ok := Asset{}, false
	if id != "" {
		asset, ok = c.t.assets(id)
	}
	if ok {
		if mediaType := imageType(asset.Data); mediaType != "" {
			c.m.Parts = append(c.m.Parts, message.Part{Kind: message.ImagePart, Name: asset.Name, MediaType: mediaType, Data: asset.Data})
			return
		}
	}
	name := id
	if name == "" {
		name = conversation.Shorten(pointer)
	}
	c.note("image " + name)
	c.t.conv.Odd(c.m.Label, "content", "shows the image %q, which is not in the export; a note replaces it", name)
}

// imageTypes are the media types of images by what their files begin with; a dot is any byte.
var imageTypes = []struct{ begins, mediaType string }{
	{"\x89PNG\r\n\x1a\n", "image/png"},
	{"\xFF\xD8\xFF", "image/jpeg"},
	{"GIF87a", "image/gif"},
	{"GIF89a", "image/gif"},
	{"RIFF....WEBPVP", "image/webp"},
	{"BM", "image/bmp"},
	{"\x00\x00\x01\x00", "image/x-icon"},
}

// imageType is the media type of an image, "" where the data is none.
func imageType(data []byte) string {
	for _, t := range imageTypes {
		fits := len(data) >= len(t.begins)
		for i := 0; fits && i < len(t.begins); i++ {
			fits = t.begins[i] == '.' || t.begins[i] == data[i]
		}
		if fits {
			return t.mediaType
		}
	}
	return ""
}
