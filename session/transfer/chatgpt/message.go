package chatgpt

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"winnow/history/message"
	"winnow/session/transfer/conversation"
)

// reader reads one message.
type reader struct {
	c       *conversation.Conversation
	assets  Assets
	m       conversation.Message
	kind    string // type of the content
	leftOut string // what winnow cannot send, such as audio; "" for nothing
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

// message reads the message of a node, and reports whether it has any content. Other nodes only connect.
func (r *reader) message(id string, raw json.RawMessage) bool {
	if len(raw) == 0 || string(raw) == "null" {
		return false
	}
	var x exported
	if json.Unmarshal(raw, &x) != nil {
		r.c.Warnf(id, "cannot be read completely")
	}
	r.m = conversation.NewMessage(id, x.Author.Role, "", x.Created.MS())
	r.m.Name, r.m.Excluded = x.Author.Name, x.Weight != nil && *x.Weight == 0
	r.content(x.Content)
	r.interpret(x)
	r.addFileNotes(x)
	if conversation.IsBlank(r.m) && r.m.Reasoning == "" && r.m.Role != message.Tool {
		return false
	}
	r.c.WarnUnknownRole(id, r.m)
	return true
}

// texts lists the keys that hold the text of a content, by its type and in the order in which they are joined.
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

// content reads a content by its type. For an unknown type it tries the usual keys; if there are none, the JSON is the
// text.
func (r *reader) content(raw json.RawMessage) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		r.m.Content = conversation.TextOf(raw)
		return
	}
	r.kind = conversation.TextOf(fields["content_type"])
	keys, known := texts[r.kind]
	if !known {
		keys = []string{"parts", "text", "result", "content"}
	}
	var all []string
	for _, key := range keys {
		if value := fields[key]; value != nil {
			known = true
			all = append(all, r.text(value))
		}
	}
	r.m.Content = conversation.JoinParagraphs(all...)
	if !known {
		r.m.Content = string(raw)
		const what = "content is of the type %q, which is not supported; its JSON is used as the text"
		r.c.Warnf(r.m.Label, what, conversation.Shorten(r.kind))
	}
}

// text reads the value of a key: a string, or a list of strings and parts.
func (r *reader) text(raw json.RawMessage) string {
	items, ok := conversation.ListItems(raw)
	if !ok {
		return conversation.TextOf(raw)
	}
	var all []string
	for _, item := range items {
		all = append(all, r.part(item))
	}
	return conversation.JoinParagraphs(all...)
}

// part reads one part of a content, or one thought.
func (r *reader) part(raw json.RawMessage) string {
	var p struct {
		Type    string   `json:"content_type"`
		Text    string   `json:"text"`
		Pointer string   `json:"asset_pointer"`
		Summary string   `json:"summary"`
		Content string   `json:"content"`
		Chunks  []string `json:"chunks"`
	}
	if json.Unmarshal(raw, &p) != nil {
		return conversation.TextOf(raw)
	}
	text := strings.Trim(p.Summary+"\n"+cmp.Or(p.Text, p.Content, strings.Join(p.Chunks, "")), "\n")
	switch {
	case p.Type == "image_asset_pointer":
		r.addImage(p.Pointer)
	case text == "" && strings.Contains(p.Type, "audio"):
		r.leftOut = "audio" // its transcript is usually a part of its own
	case text == "":
		r.leftOut = conversation.Shorten(p.Type)
		r.c.Warnf(r.m.Label, "content contains data that winnow cannot send (%s); it is left out", r.leftOut)
	}
	return text
}

// interpret interprets the text by its content type and its recipient.
func (r *reader) interpret(x exported) {
	m := &r.m
	if r.leftOut != "" && m.Content == "" && len(m.Parts) == 0 {
		r.addNote(r.leftOut)
	}
	switch {
	case r.kind == "thoughts" || r.kind == "reasoning_recap":
		m.Reasoning, m.Content = m.Content, ""
	case r.kind == "user_editable_context" || r.kind == "model_editable_context":
		m.Role = message.System
	case m.Role == message.Assistant && !slices.Contains([]string{"", "all", "user"}, x.Recipient):
		r.makeCall(x.Recipient)
	}
	m.Content = replaceCitations(m.Content, x.Metadata.References)
	if m.Role == message.Assistant {
		m.Model = x.Metadata.Model
		if x.Status == "in_progress" || x.Status == "finished_partial_completion" {
			m.Status = message.Interrupted
		}
	}
}

// makeCall turns a message to a tool into a call. Code and other text that is not a JSON object becomes its only
// argument.
func (r *reader) makeCall(tool string) {
	arguments := strings.TrimSpace(r.m.Content)
	switch {
	case arguments == "":
		return
	case strings.HasPrefix(arguments, "{") && json.Valid([]byte(arguments)):
		arguments = r.m.Content
	case r.kind == "code":
		arguments = conversation.ObjectJSON("code", r.m.Content)
	default:
		arguments = conversation.ObjectJSON("input", r.m.Content)
	}
	r.m.ToolCalls = []message.ToolCall{{ID: r.m.Label, Name: tool, Arguments: arguments}}
	r.m.Content = ""
}

// addFileNotes notes attachments that are not in the content. ChatGPT gives such files to tools, so the model, too,
// knows only their names.
func (r *reader) addFileNotes(x exported) {
	for _, a := range x.Metadata.Attachments {
		name := cmp.Or(a.Name, a.ID)
		shown := func(p message.Part) bool {
			return p.Name == name || a.ID != "" && strings.Contains(p.Name+p.Text, a.ID)
		}
		if name != "" && !slices.ContainsFunc(r.m.Parts, shown) {
			r.addNote("file " + name)
		}
	}
}

// addNote adds a part that names something that was not imported.
func (r *reader) addNote(what string) { r.m.Parts = append(r.m.Parts, conversation.NotImported(what)) }

// AssetID matches the id of an image, in a pointer such as file-service://file-AbC or sediment://x#file_00ff#p_0.png,
// and at the beginning of the name of a file in the export.
var AssetID = regexp.MustCompile(`file[-_][0-9A-Za-z]+`)

// addImage adds an image by its pointer, or a note if the export does not contain it.
func (r *reader) addImage(pointer string) {
	_, path, _ := strings.Cut(pointer, "://")
	id := AssetID.FindString(path)
	if r.assets != nil {
		name, data, ok := r.assets(id)
		if kind := imageType(data); ok && kind != "" {
			image := message.Part{Kind: message.ImagePart, Name: name, MediaType: kind, Data: data}
			r.m.Parts = append(r.m.Parts, image)
			return
		}
	}
	id = cmp.Or(id, conversation.Shorten(pointer))
	r.addNote("image " + id)
	r.c.Warnf(r.m.Label, "content shows the image %q, which is not in the export; a note replaces it", id)
}

// imageType returns the media type of an image, or "" if models do not support it.
func imageType(data []byte) string {
	switch begin := string(data[:min(len(data), 12)]); {
	case strings.HasPrefix(begin, "\x89PNG\r\n"):
		return "image/png"
	case strings.HasPrefix(begin, "\xFF\xD8\xFF"):
		return "image/jpeg"
	case strings.HasPrefix(begin, "GIF8"):
		return "image/gif"
	case strings.HasPrefix(begin, "RIFF") && strings.HasSuffix(begin, "WEBP"):
		return "image/webp"
	}
	return ""
}
