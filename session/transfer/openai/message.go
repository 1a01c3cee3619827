package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/transfer/conversation"
)

// messageReader reads one message. A key that is read leaves fields; what stays there is kept with the message, so that
// nothing is lost.
type messageReader struct {
	c      *conversation.Conversation
	at     conversation.Remark // where the message is
	fields map[string]json.RawMessage
	m      store.ImportedMessage
}

// The keys of a message and of a call that mean something here.
var (
	keys = []string{
		"role", "content", "attachments", "name", "reasoning_content", "reasoning", "tool_calls", "function_call",
		"tool_call_id", "id", "timestamp",
	}
	callKeys = []string{"id", "type", "function", "name", "arguments"}
)

func (r *messageReader) remark(field, format string, args ...any) {
	at := r.at
	at.Field, at.What = field, fmt.Sprintf(format, args...)
	r.c.Remarks = append(r.c.Remarks, at)
}

func (r *messageReader) lose(format string, args ...any) {
	r.remark("", format, args...)
	r.c.Remarks[len(r.c.Remarks)-1].Lost = true
}

// read adds a value of the file as a message.
func (r *messageReader) read(raw json.RawMessage) {
	kind := ""
	if json.Unmarshal(raw, &r.fields) == nil && r.fields != nil {
		kind = conversation.Text(r.fields["type"])
	}
	said := r.has("role", "content")
	switch {
	case r.fields == nil:
		r.lose("is %s, not an object with a role and a content", conversation.Kind(raw))
	case kind == "message", kind == "reasoning", kind != "" && !said:
		if !r.c.AddItem(raw, "", 0) {
			r.lose("is of the type %q, which is not supported", conversation.Shorten(kind))
		}
	case !said && !r.has("tool_calls", "function_call"):
		r.lose("has neither a role nor content, so it is not a message")
	default:
		r.message()
	}
}

// message adds the message that the fields are.
func (r *messageReader) message() {
	missing := !r.has("content")
	r.role()
	raw := r.take("content")
	content := conversation.ReadContent(raw)
	if len(content.Unused) > 0 {
		items, _ := conversation.Items(raw)
		unused := slices.DeleteFunc(items, func(item json.RawMessage) bool {
			return len(conversation.ReadBlocks([]json.RawMessage{item}).Unused) == 0
		})
		r.fields["content"], _ = conversation.Marshal(unused) // values of a file always encode
		r.remark("content", "%s", conversation.Unused(content.Unused...))
		content.Unused = nil
	}
	r.attachments()
	r.m.Name, r.m.Label, r.m.ToolCallID = r.text("name"), r.text("id"), r.text("tool_call_id")
	r.m.Reasoning = r.text("reasoning_content")
	if r.m.Reasoning == "" {
		r.m.Reasoning = r.text("reasoning")
	}
	calls := r.toolCalls()
	r.time()
	extra := map[string]json.RawMessage{}
	for key, kept := range map[string]json.RawMessage{
		"message": conversation.Object(r.fields), "tool_calls": conversation.Object(calls),
	} {
		if kept != nil {
			extra[key] = kept
		}
	}
	r.m.Extra = conversation.Object(extra)
	all := r.c.Split(content, r.m)
	if last := all[len(all)-1]; conversation.Blank(last.Message.Message) && last.Role != message.Tool {
		state := "empty"
		if missing {
			state = "missing"
		}
		r.remark("content", "is %s; the message is kept, but never sent", state)
	}
	r.c.Append(all...)
}

// has reports whether the message has one of these keys.
func (r *messageReader) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return r.fields[key] != nil })
}

// leave keeps a value that has no place in a message.
func (r *messageReader) leave(key string, raw json.RawMessage, wanted string) {
	r.fields[key] = raw
	r.remark(key, "is %s, not %s; it is kept, but not used", conversation.Kind(raw), wanted)
}

// take takes a value out of the message, nil for none.
func (r *messageReader) take(key string) json.RawMessage {
	value := r.fields[key]
	delete(r.fields, key)
	if string(value) == "null" {
		return nil
	}
	return value
}

// text takes a text or a number: ids are both.
func (r *messageReader) text(key string) string {
	raw := r.take(key)
	if raw != nil && strings.IndexByte(`{[tf`, raw[0]) >= 0 {
		r.leave(key, raw, "a text")
		return ""
	}
	return conversation.Text(raw)
}

// list takes a list. Any other value is kept as it is.
func (r *messageReader) list(key string) []json.RawMessage {
	raw := r.take(key)
	items, ok := conversation.Items(raw)
	if raw != nil && !ok {
		r.leave(key, raw, "a list")
	}
	return items
}

// role takes the role. A message of an unknown one is kept and shown, and never sent.
func (r *messageReader) role() {
	raw := r.take("role")
	name := conversation.Text(raw)
	role := conversation.Role(strings.ToLower(strings.TrimSpace(name)))
	if !conversation.KnownRole(role) {
		role = message.Role(name)
	}
	r.m = conversation.NewMessage("", role, "", 0)
	switch {
	case r.m.Status != message.Quarantined:
	case raw == nil:
		r.remark("role", "is missing; the message is kept and shown, but never sent")
	default:
		r.remark("role", "%s", conversation.UnknownRole(role))
	}
}

// toolCalls takes the calls as they are: blank ids, doubled ids and broken arguments are repaired when a request is
// planned. A function_call is a call in the form that was there before, without an id. Returned is what calls hold
// beside their id, name and arguments, by their places.
func (r *messageReader) toolCalls() map[string]json.RawMessage {
	calls := r.list("tool_calls")
	if raw := r.take("function_call"); raw != nil {
		calls = append(calls, conversation.Object(map[string]json.RawMessage{"function": raw}))
	}
	beside := map[string]json.RawMessage{}
	for _, raw := range calls {
		var call, function map[string]json.RawMessage
		if json.Unmarshal(raw, &call) != nil {
			r.remark("tool_calls", "holds %s among its calls; it is left out", conversation.Kind(raw))
			continue
		}
		in := call // some programs write a call flat
		if json.Unmarshal(call["function"], &function) == nil && function != nil {
			in = function
		}
		r.m.ToolCalls = append(r.m.ToolCalls, message.ToolCall{
			ID: conversation.Text(call["id"]), Name: conversation.Text(in["name"]),
			Arguments: conversation.Text(in["arguments"]),
		})
		for _, key := range callKeys {
			delete(call, key)
		}
		if len(call) > 0 {
			beside[strconv.Itoa(len(r.m.ToolCalls)-1)] = conversation.Object(call)
		}
	}
	return beside
}

// The years in which a message can have been written.
const (
	firstYear = 1995
	lastYear  = 2100
)

// time takes when the message was written. One that cannot be read is kept as it is.
func (r *messageReader) time() {
	raw := r.take("timestamp")
	text := strings.TrimSpace(conversation.Text(raw))
	at := conversation.Time{Time: conversation.ParseTime(text)}
	r.m.CreatedMS = at.MS()
	switch year := at.UTC().Year(); {
	case text == "":
	case at.IsZero():
		r.fields["timestamp"] = raw
		r.remark("timestamp", "is %q, which is not a time", conversation.Shorten(text))
	case year < firstYear || year >= lastYear:
		shown := at.UTC().Format("2006-01-02 15:04:05")
		r.remark("timestamp", "is %s, which can hardly be; please check", shown)
	}
}

// attachments takes the texts and the code that are attached to a user's message as its parts. What else is attached is
// kept.
func (r *messageReader) attachments() {
	var kinds []string
	var rest []json.RawMessage
	for _, item := range r.list("attachments") {
		part, kind := attachedText(item)
		if part.Text != "" && r.m.Role == message.User {
			r.m.Parts = append(r.m.Parts, part)
			continue
		}
		if rest = append(rest, item); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if len(rest) > 0 {
		r.fields["attachments"], _ = conversation.Marshal(rest) // values of a file always encode
		r.remark("attachments", "%s", conversation.Unused(kinds...))
	}
}

// attachedText reads an attachment that is a text or code, and names its kind for a sentence. Programs name its keys in
// several ways.
func attachedText(raw json.RawMessage) (p message.Part, kind string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return p, conversation.Kind(raw)
	}
	first := func(keys ...string) string {
		for _, key := range keys {
			if text := conversation.Text(fields[key]); text != "" {
				return text
			}
		}
		return ""
	}
	kind = conversation.Shorten(first("type", "kind"))
	media := cmp.Or(first("media_type", "mime_type", "mimeType"), "text/plain")
	texts := []string{"", "text", "code", "file", "snippet", "document", "markdown"}
	isText := strings.HasPrefix(media, "text/") || media == "application/json"
	if !slices.Contains(texts, kind) || first("encoding") == "base64" || !isText {
		return p, cmp.Or(kind, "a file")
	}
	name := cmp.Or(first("name", "filename", "title", "path"), strings.TrimSpace(first("language")+" attachment"))
	p = message.Part{Kind: message.TextPart, Name: name, MediaType: media, Text: first("content", "text", "code")}
	return p, kind
}
