package chatgpt

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/transfer/conversation"
)

// reader reads one message.
type reader struct {
	c      *conversation.Conversation
	assets Assets
	m      store.ImportedMessage
	kind   string                     // the type of the content
	unused string                     // what it holds beside texts and images, "" for nothing
	keep   map[string]json.RawMessage // of the message
}

// exported is a message of an export.
type exported struct {
	Author struct {
		Role string `json:"role"`
		Name string `json:"name"`
	} `json:"author"`
	Created   conversation.Time `json:"create_time"`
	Content   json.RawMessage   `json:"content"`
	Status    string            `json:"status"`
	Recipient string            `json:"recipient"`
	Weight    *float64          `json:"weight"`
	Metadata  struct {
		Model       string      `json:"model_slug"`
		References  []reference `json:"content_references"`
		Attachments []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"attachments"`
	} `json:"metadata"`
}

// message reads the message of a node. ok is false where it says nothing: such nodes only connect others.
func (r *reader) message(id string, raw json.RawMessage) (m store.ImportedMessage, ok bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return m, false
	}
	var x exported
	if json.Unmarshal(raw, &r.keep) != nil {
		r.c.Lose(id, "message", "is %s, not an object", conversation.Kind(raw))
		return m, false
	}
	if err := json.Unmarshal(raw, &x); err != nil {
		r.c.Odd(id, "", "cannot be read completely: %v", err)
	}
	r.m = conversation.NewMessage(id, conversation.Role(x.Author.Role), "", x.Created.MS())
	r.m.Name, r.m.Excluded = x.Author.Name, x.Weight != nil && *x.Weight == 0
	for _, key := range []string{"id", "author", "content", "create_time"} {
		delete(r.keep, key)
	}
	if !r.m.Excluded {
		delete(r.keep, "weight")
	}
	plain := []string{"null", `"finished_successfully"`, `"all"`, "{}"}
	maps.DeleteFunc(r.keep, func(_ string, value json.RawMessage) bool { return slices.Contains(plain, string(value)) })
	r.content(x.Content)
	r.turn(x)
	r.files(x)
	if len(r.keep) > 0 {
		r.m.Extra = conversation.Object(map[string]json.RawMessage{"chatgpt": conversation.Object(r.keep)})
	}
	blank := conversation.Blank(r.m.Message.Message) && r.m.Reasoning == "" && r.m.Role != message.Tool
	if r.m.Status == message.Quarantined && !blank {
		r.c.Odd(id, "role", "%s", conversation.UnknownRole(r.m.Role))
	}
	return r.m, !blank
}

// texts are, by the type of a content, which of its keys hold the text, in the order in which they are joined.
var texts = map[string][]string{
	"tether_quote":            {"title", "url", "text"},
	"sonic_webpage":           {"title", "url", "text"},
	"tether_browsing_display": {"summary", "result"},
	"system_error":            {"name", "text"},
	"refusal":                 {"refusal"},
	"user_editable_context":   {"user_profile", "user_instructions"},
	"model_editable_context":  {"model_set_context"},
	"thoughts":                {"thoughts"},
	"reasoning_recap":         {"content"},
}

// content reads a content by its type. One of an unknown type is read by the keys that others have, and where it has
// none of them its JSON is the text. What is no text is kept.
func (r *reader) content(raw json.RawMessage) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		r.m.Content = conversation.Text(raw)
		return
	}
	r.kind = conversation.Text(fields["content_type"])
	maps.DeleteFunc(fields, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	keys, ok := texts[r.kind]
	if !ok {
		keys = []string{"parts", "text", "result", "content"}
	}
	var all []string
	known := ok || fields == nil || r.kind == "text" || r.kind == "multimodal_text"
	for _, key := range keys {
		if value := fields[key]; value != nil {
			text, whole := r.text(value)
			known = true
			if text != "" {
				all = append(all, text)
			}
			if whole {
				delete(fields, key)
			}
		}
	}
	if !known {
		r.m.Content = string(raw)
		const what = "is of the type %q, which is not supported; its JSON is used as the text"
		r.c.Odd(r.m.Label, "content", what, conversation.Shorten(r.kind))
		return
	}
	between := "\n\n"
	if len(keys) > 1 && ok && r.kind != "user_editable_context" {
		between = "\n"
	}
	r.m.Content = strings.Join(all, between)
	if r.kind == "text" {
		delete(fields, "content_type")
	}
	if len(fields) > 0 {
		r.keep["content"] = conversation.Object(fields)
	}
}

// text reads the value of a key that holds texts: one, or a list of them and of other parts. whole is false where it
// holds more than its text.
func (r *reader) text(raw json.RawMessage) (text string, whole bool) {
	items, ok := conversation.Items(raw)
	if !ok {
		return conversation.Text(raw), raw[0] == '"'
	}
	whole = true
	var all []string
	for _, item := range items {
		text, used := r.part(item)
		whole = whole && used
		all = append(all, text)
	}
	return conversation.Join(all...), whole
}

// part reads one part of a content or one thought. whole is false where it holds more than its text.
func (r *reader) part(raw json.RawMessage) (text string, whole bool) {
	var p struct {
		Type    string   `json:"content_type"`
		Text    string   `json:"text"`
		Pointer string   `json:"asset_pointer"`
		Summary string   `json:"summary"`
		Content string   `json:"content"`
		Chunks  []string `json:"chunks"`
	}
	switch {
	case raw[0] != '{' || json.Unmarshal(raw, &p) != nil:
		return conversation.Text(raw), raw[0] == '"'
	case p.Type == "image_asset_pointer":
		r.image(p.Pointer)
		return "", false
	case strings.Contains(p.Type, "audio") && p.Text == "":
		r.unused = "audio"
		return "", false // Its text is mostly in a part of its own.
	case p.Text != "":
		return p.Text, p.Type == "text" || p.Type == "audio_transcription"
	}
	content := cmp.Or(p.Content, strings.Join(p.Chunks, ""))
	if text := strings.Trim(p.Summary+"\n"+content, "\n"); text != "" {
		return text, true
	}
	r.unused = conversation.Shorten(p.Type)
	r.c.Odd(r.m.Label, "content", "%s", conversation.Unused(r.unused))
	return "", false
}

// turn makes of the text what its type and its recipient say that it is.
func (r *reader) turn(x exported) {
	m := &r.m
	if r.unused != "" && m.Content == "" && len(m.Parts) == 0 {
		r.note(r.unused)
	}
	switch {
	case r.kind == "thoughts" || r.kind == "reasoning_recap":
		m.Reasoning, m.Content = m.Content, ""
	case r.kind == "user_editable_context" || r.kind == "model_editable_context":
		m.Role = message.System
	case m.Role == message.Assistant && x.Recipient != "" && x.Recipient != "all" && x.Recipient != "user":
		r.call(x.Recipient)
	}
	m.Content = cited(m.Content, x.Metadata.References)
	if m.Role == message.Assistant {
		m.Model = x.Metadata.Model
		if x.Status == "in_progress" || x.Status == "finished_partial_completion" {
			m.Status = message.Interrupted
		}
	}
}

// call makes a message to a tool a call of it. Code and texts that are no JSON object become the one argument.
func (r *reader) call(tool string) {
	arguments := strings.TrimSpace(r.m.Content)
	if arguments == "" {
		return
	}
	if !strings.HasPrefix(arguments, "{") || !json.Valid([]byte(arguments)) {
		key := "input"
		if r.kind == "code" {
			key = "code"
		}
		object, _ := conversation.Marshal(map[string]string{key: r.m.Content}) // texts always encode
		r.m.Content = string(object)
	}
	r.m.ToolCalls = []message.ToolCall{{ID: r.m.Label, Name: tool, Arguments: r.m.Content}}
	r.m.Content = ""
}

// files names what hangs on the message and is not in its content. ChatGPT gives such a file to its tools, so the model
// knows no more of it than its name either.
func (r *reader) files(x exported) {
	for _, a := range x.Metadata.Attachments {
		name := cmp.Or(a.Name, a.ID)
		shown := func(p message.Part) bool {
			return p.Name == name || a.ID != "" && strings.Contains(p.Name+p.Text, a.ID)
		}
		if name != "" && !slices.ContainsFunc(r.m.Parts, shown) {
			r.note("file " + name)
		}
	}
}

// note puts a note where something stood that is not imported.
func (r *reader) note(what string) { r.m.Parts = append(r.m.Parts, conversation.Note(what)) }

// AssetID is the id in a pointer such as file-service://file-AbC or sediment://x#file_00ff#p_0.png, and the one that
// the name of the file in the export begins with.
var AssetID = regexp.MustCompile(`file[-_][0-9A-Za-z]+`)

// image takes an image by its pointer. Where the export does not hold it, a note says so.
func (r *reader) image(pointer string) {
	_, path, _ := strings.Cut(pointer, "://")
	id := AssetID.FindString(path)
	if name, data, ok := r.assets(id); ok {
		if kind := imageType(data); kind != "" {
			image := message.Part{Kind: message.ImagePart, Name: name, MediaType: kind, Data: data}
			r.m.Parts = append(r.m.Parts, image)
			return
		}
	}
	id = cmp.Or(id, conversation.Shorten(pointer))
	r.note("image " + id)
	r.c.Odd(r.m.Label, "content", "shows the image %q, which is not in the export; a note replaces it", id)
}

// imageType is the media type of an image, "" where the data is none that a model takes.
func imageType(data []byte) string {
	begin := string(data[:min(len(data), 12)])
	for prefix, kind := range map[string]string{
		"\x89PNG\r\n": "image/png", "\xFF\xD8\xFF": "image/jpeg", "GIF8": "image/gif", "RIFF": "image/webp",
	} {
		if strings.HasPrefix(begin, prefix) && (prefix != "RIFF" || strings.HasSuffix(begin, "WEBP")) {
			return kind
		}
	}
	return ""
}
