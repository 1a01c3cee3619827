// Package openai reads and writes conversations as Chat Completions messages: a JSON list, an object that contains such
// a list, or JSON lines. It also reads the items of Responses and the blocks of Anthropic.
package openai

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"winnow/history/message"
	"winnow/session/transfer/conversation"
)

// Source is the store.Session.Source of these conversations.
const Source = "openai"

// object is a JSON object of a file.
type object map[string]json.RawMessage

// objectOf returns a JSON object, or nil for any other value.
func objectOf(raw json.RawMessage) (o object) {
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

func (o object) text(key string) string { return conversation.TextOf(o[key]) }

func (o object) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return o[key] != nil })
}

// Read reads the conversations of a file: one for each object that contains a list of messages, such as a line of a
// fine-tuning or batch file, and one for all messages that are separate values. Messages are read as they are: damage
// is repaired when a request is planned.
func Read(values iter.Seq2[conversation.Value, error], add func(conversation.Conversation) error) error {
	loose := newReader()
	for v, err := range values {
		if err != nil {
			return err
		}
		o := objectOf(v.Raw)
		if request := requestOf(o); request == nil {
			loose.value(v, o)
		} else if err := add(newReader().request(request)); err != nil {
			return err
		}
	}
	if loose.read == 0 {
		return nil
	}
	return add(loose.finish())
}

// ReadRequest reads the messages in the body of a request.
func ReadRequest(body []byte) conversation.Conversation { return newReader().request(objectOf(body)) }

var (
	// The known keys of an object around messages, and those that hold messages.
	requestKeys  = []string{"title", "model", "system", "instructions", "messages", "input", "output"}
	messageLists = requestKeys[4:]
)

// requestOf returns the object around the messages of a conversation: o itself, or the body of a request in a batch
// file. It returns nil for other objects.
func requestOf(o object) object {
	if body := objectOf(o["body"]); body != nil {
		body["title"] = o["custom_id"]
		o = body
	}
	if o.has("role", "call_id", "type") || !o.has(messageLists...) {
		return nil
	}
	return o
}

// reader makes a conversation of messages.
type reader struct {
	conversation.Conversation
	read    int             // number of messages so far
	ignored map[string]bool // unknown keys
}

func newReader() *reader { return &reader{conversation.New(Source), 0, map[string]bool{}} }

// finish returns the conversation with a warning about ignored keys.
func (r *reader) finish() conversation.Conversation {
	if len(r.ignored) > 0 {
		others := strings.Join(slices.Sorted(maps.Keys(r.ignored)), ", ")
		r.Warnf("", "other data in the file is ignored: %s", others)
	}
	return r.Conversation
}

// ignore notes the unknown keys of an object.
func (r *reader) ignore(o object, known []string) {
	for key, value := range o {
		if !slices.Contains(known, key) && string(value) != "null" {
			r.ignored[key] = true
		}
	}
}

// request reads an object with messages, such as the body of a request.
func (r *reader) request(o object) conversation.Conversation {
	r.Session.Title, r.Session.Model = o.text("title"), o.text("model")
	system := conversation.ReadContent(o["system"]).Text
	r.Session.System = conversation.JoinParagraphs(system, o.text("instructions"))
	for _, key := range messageLists {
		items, ok := conversation.ListItems(o[key])
		if !ok && key == "input" && o[key] != nil {
			r.Append(conversation.NewMessage("", "user", o.text(key), 0))
		}
		for _, item := range items {
			r.value(conversation.Value{Raw: item}, objectOf(item))
		}
	}
	r.ignore(o, requestKeys)
	return r.finish()
}

// value reads a message. o is v as an object, or nil.
func (r *reader) value(v conversation.Value, o object) {
	r.read++
	number := strconv.Itoa(r.read)
	kind := o.text("type")
	switch said := o.has("role", "content"); {
	case v.Broken != "" && v.Line > 0:
		r.LineError(v.Line, v.Broken)
	case v.Broken != "":
		r.Errorf(number, "%s", v.Broken)
	case o == nil:
		r.Errorf(number, "is not an object with a role and a content")
	case kind == "message", kind == "reasoning", kind != "" && !said:
		if !r.AddResponsesItem(v.Raw, "", 0) {
			r.Errorf(number, "is of the type %q, which is not supported", conversation.Shorten(kind))
		}
	case !said && !o.has("tool_calls", "function_call"):
		r.Errorf(number, "has neither a role nor content, so it is not a message")
	default:
		r.message(number, o)
	}
}

// messageKeys are the known keys of a message.
var messageKeys = []string{
	"role", "content", "attachments", "name", "reasoning_content", "reasoning", "tool_calls", "function_call",
	"tool_call_id", "id", "timestamp", "type",
}

// message adds a message. Tool calls are read as they are: missing or repeated ids and broken arguments are repaired
// when a request is planned.
func (r *reader) message(number string, o object) {
	var at conversation.Time
	_ = at.UnmarshalJSON(o["timestamp"]) // never fails
	m := conversation.NewMessage(o.text("id"), o.text("role"), "", at.MS())
	m.Name, m.ToolCallID = o.text("name"), o.text("tool_call_id")
	m.Reasoning = cmp.Or(o.text("reasoning_content"), o.text("reasoning"))
	r.WarnUnknownRole(number, m)
	calls, _ := conversation.ListItems(o["tool_calls"])
	for _, raw := range calls {
		c := objectOf(raw)
		f := c // some programs have no object around the function
		if c["function"] != nil {
			f = objectOf(c["function"])
		}
		if f == nil {
			r.Warnf(number, "has a tool call that cannot be read; it is left out")
			continue
		}
		m.ToolCalls = append(m.ToolCalls, call(c.text("id"), f))
	}
	if f := objectOf(o["function_call"]); f != nil { // the form before tool calls had ids
		m.ToolCalls = append(m.ToolCalls, call("", f))
	}
	m.Parts = r.attachments(number, o["attachments"])
	all := r.SplitContent(conversation.ReadContent(o["content"]), number, m)
	if last := all[len(all)-1]; conversation.IsBlank(last) && last.Role != message.Tool {
		r.Warnf(number, "content is empty; the message is kept, but never sent")
	}
	r.Append(all...)
	r.ignore(o, messageKeys)
}

func call(id string, function object) message.ToolCall {
	return message.ToolCall{ID: id, Name: function.text("name"), Arguments: function.text("arguments")}
}

// attachments returns the attached texts of a message.
func (r *reader) attachments(number string, list json.RawMessage) (parts []message.Part) {
	items, _ := conversation.ListItems(list)
	for _, raw := range items {
		a := objectOf(raw)
		text, media := cmp.Or(a.text("content"), a.text("text")), cmp.Or(a.text("mime_type"), "text/plain")
		if text == "" || !strings.HasPrefix(media, "text/") {
			r.Warnf(number, "has an attachment that winnow cannot send; it is left out")
			continue
		}
		name := cmp.Or(a.text("name"), "attachment")
		parts = append(parts, message.Part{Kind: message.TextPart, Name: name, MediaType: media, Text: text})
	}
	return parts
}
