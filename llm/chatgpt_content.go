package llm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"winnow/history"
)

// chatTexts say, by the type of a content, which of its keys hold what was said, in the order in which
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

// content takes what was said by its type. A type that nobody knows yet is read by the keys that others
// have, and where it has none of them its JSON is the text.
func (c *chat) content(raw []byte) {
	if raw == nil {
		return
	}
	if raw[0] != '{' {
		c.m.Content = textIn(raw)
		if raw[0] != '"' {
			c.m.Content = string(raw)
			c.t.odd(c.m.Label, "content", "is "+kindOf(raw)+", not an object; its JSON is taken as the text")
		}
		return
	}
	c.kind = textIn(member(raw, "content_type"))
	keys, known := chatTexts[c.kind]
	if !known {
		keys = []string{"text", "result", "content"}
	}
	switch {
	case member(raw, "parts") != nil:
		c.parts(raw)
	case !c.texts(raw, keys) && !known && c.kind != "text" && c.kind != "multimodal_text":
		c.m.Content = string(raw)
		c.t.odd(c.m.Label, "content", fmt.Sprintf("is of the type %q, which winnow does not know; its JSON is taken as the text", short(c.kind)))
	}
	c.turn(raw)
}

// turn makes of the text what its type and its recipient say that it is.
func (c *chat) turn(raw []byte) {
	switch {
	case c.kind == "thoughts" || c.kind == "reasoning_recap":
		c.thoughts = true
		c.m.Reasoning, c.m.Content = c.m.Content, ""
	case c.kind == "user_editable_context" || c.kind == "model_editable_context":
		c.m.Role = history.System
	case c.m.Role == history.Assistant && c.recipient != "" && c.recipient != "all" && c.recipient != "user":
		c.call(raw)
	}
}

// call makes a message to a tool a call of it. Code and texts that are no JSON object become the one
// argument of the call.
func (c *chat) call(raw []byte) {
	if strings.TrimSpace(c.m.Content) == "" {
		return
	}
	arguments := c.m.Content
	if !strings.HasPrefix(strings.TrimSpace(arguments), "{") || !json.Valid([]byte(arguments)) {
		key := "input"
		text := []byte(nil)
		if c.kind == "code" {
			key, text = "code", member(raw, "text")
		}
		if text == nil || text[0] != '"' {
			text = jsonString(arguments)
		}
		var o rawObject
		o.keep(key, text)
		arguments = string(o)
	}
	c.m.ToolCalls = []history.ToolCall{{ID: c.m.Label, Name: c.recipient, Arguments: arguments}}
	c.m.Content = ""
}

// jsonString writes a text of any bytes as a JSON string.
func jsonString(text string) []byte {
	out := []byte{'"'}
	for i := range len(text) {
		switch b := text[i]; {
		case b == '"' || b == '\\':
			out = append(out, '\\', b)
		case b < ' ':
			out = fmt.Appendf(out, `\u%04x`, b)
		default:
			out = append(out, b)
		}
	}
	return append(out, '"')
}

// texts joins the texts under some keys of a content and keeps the others. ok is false where none of
// them is there.
func (c *chat) texts(raw []byte, keys []string) (ok bool) {
	found := map[string]string{}
	var rest rawObject
	for name, value := range pairs(raw) {
		key := unquote(name)
		if slices.Contains(keys, key) && (value[0] == '"' || value[0] == '[' && key == "thoughts") {
			found[key] = textIn(value)
			if value[0] == '[' {
				found[key] = thoughtsIn(value)
			}
			continue
		}
		if string(value) != "null" {
			rest.add(name, value)
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
func (c *chat) keepFrame(rest rawObject) {
	if string(rest) != `{"content_type":"text"}` {
		c.keep.keep("content", rest)
	}
}

// thoughtsIn is a list of thoughts as one text, each with its headline.
func thoughtsIn(list []byte) string {
	var all []string
	for item := range items(list) {
		if item[0] == '"' {
			all = append(all, unquote(item))
			continue
		}
		head, body := textIn(memberOf(item, "summary")), textIn(memberOf(item, "content"))
		if body == "" {
			if chunks := memberOf(item, "chunks"); chunks != nil && chunks[0] == '[' {
				for chunk := range items(chunks) {
					body += textIn(chunk)
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
func (c *chat) parts(raw []byte) {
	var texts []string
	var rest rawObject
	for name, value := range pairs(raw) {
		if unquote(name) == "parts" && value[0] == '"' {
			texts = append(texts, unquote(value))
			continue
		}
		if unquote(name) != "parts" || value[0] != '[' {
			if unquote(name) == "parts" && string(value) != "null" {
				c.t.lost(c.m.Label, "content", "has "+kindOf(value)+" where its parts should be")
			}
			if string(value) != "null" {
				rest.add(name, value)
			}
			continue
		}
		var kept []byte
		for item := range items(value) {
			if text, frame := c.part(item); frame == nil {
				texts = append(texts, text)
			} else {
				if text != "" {
					texts = append(texts, text)
				}
				kept = append(append(kept, ','), frame...)
			}
		}
		if kept != nil {
			kept[0] = '['
			rest.keep("parts", append(kept, ']'))
		}
	}
	c.m.Content = strings.Join(nonEmpty(texts), "\n\n")
	c.keepFrame(rest)
}

func nonEmpty(texts []string) []string {
	out := texts[:0]
	for _, text := range texts {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}

// part reads one part of a content: its text, and what of it is kept beside, nil for nothing.
func (c *chat) part(item []byte) (text string, frame []byte) {
	if item[0] == '"' {
		return unquote(item), nil
	}
	if item[0] != '{' {
		return "", item // null stands for what was taken away
	}
	kind := textIn(member(item, "content_type"))
	switch kind {
	case "image_asset_pointer":
		c.image(textIn(member(item, "asset_pointer")))
		return "", item
	case "audio_transcription", "text":
		return textIn(member(item, "text")), nil
	case "audio_asset_pointer", "real_time_user_audio_video_asset_pointer":
		c.unused = "audio"
		return "", item // What was said mostly stands beside it as a text.
	}
	if text := textIn(member(item, "text")); text != "" {
		return text, emptied(item)
	}
	if kind == "" {
		kind = kindOf(item)
	}
	c.unused = short(kind)
	c.t.odd(c.m.Label, "content", fmt.Sprintf("holds what winnow cannot send (%s); it is kept, but not used", short(kind)))
	return "", item
}

// note puts a note where something stood that is not imported.
func (c *chat) note(what string) {
	c.m.Parts = append(c.m.Parts, history.Part{Kind: history.TextPart, Text: "[" + strings.Join(strings.Fields(what), " ") + ", not imported]"})
}

// assetID is the id in a pointer such as file-service://file-AbC or sediment://x#file_00ff#p_0.png.
var assetID = regexp.MustCompile(`file[-_][0-9A-Za-z]+`)

// image takes an image by its pointer. Where the export does not hold it, a note says so.
func (c *chat) image(pointer string) {
	_, path, _ := strings.Cut(pointer, "://")
	id := assetID.FindString(path)
	asset, ok := Asset{}, false
	if id != "" {
		asset, ok = c.t.assets(id)
	}
	if ok {
		mediaType, _, _ := strings.Cut(http.DetectContentType(asset.Data), ";")
		if strings.HasPrefix(mediaType, "image/") {
			c.m.Parts = append(c.m.Parts, history.Part{Kind: history.ImagePart, Name: asset.Name, MediaType: mediaType, Data: asset.Data})
			return
		}
	}
	name := id
	if name == "" {
		name = short(pointer)
	}
	c.note("image " + name)
	c.t.odd(c.m.Label, "content", fmt.Sprintf("shows the image %q, which the export does not hold; a note stands for it", name))
}
