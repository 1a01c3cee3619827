package strict

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The Responses API has a list of items in the place of messages. Each is read as a message of its own: a call as
// an assistant's with one call, a result as a tool's.

func readResponses(body []byte) (*chat, *fault) { return read(body, "input", (*reader).item) }

func (r *reader) item(raw json.RawMessage) message {
	path := "input[" + strconv.Itoa(r.at) + "]"
	m := message{object: r.object(path, raw)}
	m.kind = r.text(path+".type", m.object, "type")
	switch m.kind {
	case "message":
		m.role = r.text(path+".role", m.object, "role")
		m.content = r.itemContent(path+".content", m.object)
	case "function_call":
		c := call{object: m.object, id: r.text(path+".call_id", m.object, "call_id"), name: r.text(path+".name", m.object, "name")}
		if text := r.text(path+".arguments", m.object, "arguments"); m.there("arguments") {
			c.arguments = &text
		}
		m.role, m.calls = "assistant", []call{c}
	case "function_call_output":
		m.role, m.answers = "tool", r.text(path+".call_id", m.object, "call_id")
		m.content = content{there: m.there("output"), text: r.text(path+".output", m.object, "output")}
	case "reasoning":
		m.answers = r.text(path+".id", m.object, "id")
		r.text(path+".encrypted_content", m.object, "encrypted_content")
		for _, key := range []string{"summary", "content"} {
			list, _ := m.get(key)
			r.list(path+"."+key, list)
		}
	}
	return m
}

// itemContent reads the content of a message. Its parts have other types than those of Chat Completions, and an
// image's link is a text.
func (r *reader) itemContent(path string, m object) content {
	raw, _ := m.get("content")
	c := content{there: m.there("content")}
	if c.there && raw[0] == '"' {
		c.text = r.text(path, m, "content")
		return c
	}
	for k, raw := range r.list(path, raw) {
		at := fmt.Sprintf("%s[%d]", path, k)
		p := part{object: r.object(at, raw)}
		p.kind = r.text(at+".type", p.object, "type")
		switch p.url = r.text(at+".image_url", p.object, "image_url"); p.kind {
		case "input_image":
			p.kind = "image_url"
		case "input_text", "output_text":
			p.kind = "text"
		}
		if text := r.text(at+".text", p.object, "text"); p.there("text") {
			p.text = &text
		}
		c.parts = append(c.parts, p)
	}
	return c
}

// responsesRules are those of OpenAI, in its words where they are known.
var responsesRules = []rule{
	{"model-named", modelNamed, 400, "missing_required_parameter", "Missing required parameter: 'model'."},
	{"input-there", messagesThere(), 400, "missing_required_parameter", "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided."},
	{"request-keys", requestKnown, 400, "unknown_parameter", "Unknown parameter: '{key}'."},
	{"limit-large", limitLarge, 400, "integer_below_min_value", "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got {n} instead."},
	{"tool-flat", eachTool(func(t toolItem) bool { return t.Type == "function" && t.Name != "" }), 400, "missing_required_parameter", "Missing required parameter: 'tools[{tool}].name'."},
	{"tool-schema", eachTool(toolItem.schemaFits), 400, "invalid_function_parameters", "Invalid schema for function '{name}': In context=(), 'additionalProperties' is required to be supplied and to be false."},
	{"item-known", eachMessage(func(_ int, m message) bool { return itemKeys[m.kind] != "" }), 400, "invalid_value", "Invalid value for 'input[{i}].type'. Supported values are: 'function_call', 'function_call_output', 'message', and 'reasoning'."},
	{"item-keys", itemKnown, 400, "unknown_parameter", "Unknown parameter: 'input[{i}].{key}'."},
	{"role-known", eachMessage(func(_ int, m message) bool {
		return m.kind != "message" || slices.Contains([]string{"system", "developer", "user", "assistant"}, m.role)
	}), 400, "invalid_value", "Invalid value: '{role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'."},
	{"content-there", eachMessage(func(_ int, m message) bool {
		return m.content.there || m.kind != "message" && m.kind != "function_call_output"
	}), 400, "missing_required_parameter", "Missing required parameter: 'input[{i}].content'."},
	{"part-of-role", partOfRole, 400, "invalid_value", "Invalid value: '{kind}'. Supported values are: {takes}."},
	{"parts-whole", partsWhole(false), 400, "missing_required_parameter", "Missing required parameter: 'input[{i}].content[{part}].text'."},
	{"images-whole", imagesWhole, 400, "invalid_value", "Invalid 'input[{i}].content[{part}].image_url'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got unsupported MIME type '{media}'."},
	{"call-named", eachCall(call.named), 400, "empty_string", "Invalid 'input[{i}].name': empty string. Expected a string with minimum length 1, but got an empty string instead."},
	{"name-form", eachCall(namePattern(nameOpenAI)), 400, "invalid_value", "Invalid 'input[{i}].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."},
	{"id-there", eachCall(call.identified), 400, "empty_string", "Invalid 'input[{i}].call_id': empty string. Expected a string with minimum length 1, but got an empty string instead."},
	{"id-short", eachCall(idShort(64)), 400, "string_above_max_length", "Invalid 'input[{i}].call_id': string too long. Expected a string with maximum length 64, but got a string with length {long} instead."},
	{"id-unique", idUnique, 400, "", "Duplicate function call found with call_id {id}."},
	{"arguments-object", argumentsObject("", ""), 400, "", "Invalid 'input[{i}].arguments': expected the text of a JSON object."},
	{"output-of-call", outputOfCall, 400, "", "No tool call found for function call output with call_id {id}."},
	{"call-answered", callHasOutput, 400, "", "No tool output found for function call {id}."},
	{"reasoning-whole", reasoningWhole, 404, "", "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input."},
	{"reasoning-summed", eachMessage(func(_ int, m message) bool { return m.kind != "reasoning" || m.there("summary") }), 400, "missing_required_parameter", "Missing required parameter: 'input[{i}].summary'."},
	{"reasoning-followed", reasoningFollowed, 400, "", "Item '{id}' of type 'reasoning' was provided without its required following item."},
}

// itemKeys are the keys that each type of item may have.
var itemKeys = map[string]string{
	"message":              "type role content id status phase",
	"function_call":        "type call_id name arguments id status",
	"function_call_output": "type call_id output id status",
	"reasoning":            "type id summary content encrypted_content status",
}

func itemKnown(c *chat, _ Profile) *fault {
	for i, m := range c.messages {
		if key := m.unknown(itemKeys[m.kind]); key != "" && itemKeys[m.kind] != "" {
			return wrong(i, "key", key)
		}
	}
	return nil
}

const responsesKeys = "model input instructions tools tool_choice parallel_tool_calls max_output_tokens temperature top_p reasoning include store stream stream_options " +
	"metadata service_tier text truncation user safety_identifier prompt_cache_key prompt_cache_retention previous_response_id background top_logprobs"

func requestKnown(c *chat, _ Profile) *fault {
	if key := c.unknown(responsesKeys); key != "" {
		return wrong(-1, "key", key)
	}
	return nil
}

// limitLarge: a limit of the reply leaves room for an answer.
func limitLarge(c *chat, _ Profile) *fault {
	raw, ok := c.get("max_output_tokens")
	if n, err := strconv.Atoi(string(raw)); ok && err == nil && n < 16 {
		return wrong(-1, "n", number(n))
	}
	return nil
}

// toolItem is a tool that is offered.
type toolItem struct {
	Type, Name string
	Strict     *bool
	Parameters struct {
		Additional any `json:"additionalProperties"`
	}
}

// schemaFits: where a tool does not say that its schema is loose, the schema says that it is not.
func (t toolItem) schemaFits() bool {
	return t.Strict != nil && !*t.Strict || t.Parameters.Additional == false
}

func eachTool(sound func(toolItem) bool) finder {
	return func(c *chat, _ Profile) *fault {
		var tools []json.RawMessage
		raw, _ := c.get("tools")
		_ = json.Unmarshal(raw, &tools) // Without a list there are none.
		for k, raw := range tools {
			var t toolItem
			if json.Unmarshal(raw, &t) != nil || !sound(t) {
				return wrong(-1, "tool", number(k), "name", t.Name)
			}
		}
		return nil
	}
}

// partOfRole: what a model said is output, and what everybody else said is input. Only the user shows images.
func partOfRole(c *chat, _ Profile) *fault {
	takes := map[string]string{"assistant": "output_text refusal", "user": "input_text input_image", "system": "input_text", "developer": "input_text"}
	for i, m := range c.messages {
		for _, p := range m.content.parts {
			var kind string
			raw, _ := p.get("type")
			_ = json.Unmarshal(raw, &kind) // It was read before.
			if list := strings.Fields(takes[m.role]); len(list) > 0 && !slices.Contains(list, kind) {
				return wrong(i, "kind", kind, "takes", "'"+strings.Join(list, "' and '")+"'")
			}
		}
	}
	return nil
}

// outputOfCall: each result answers a call that stands before it and has none yet.
func outputOfCall(c *chat, _ Profile) *fault {
	open := map[string]bool{}
	for i, m := range c.messages {
		for _, call := range m.calls {
			open[call.id] = true
		}
		if m.role == "tool" && !open[m.answers] {
			return wrong(i, "id", m.answers)
		}
		if m.role == "tool" {
			delete(open, m.answers)
		}
	}
	return nil
}

// callHasOutput: each call has its result, wherever it stands behind it.
func callHasOutput(c *chat, p Profile) *fault {
	return findCall(func(i, _ int, call call) *fault {
		if slices.ContainsFunc(c.messages[i:], func(m message) bool { return m.role == "tool" && m.answers == call.id }) {
			return nil
		}
		return wrong(i, "id", call.id)
	})(c, p)
}

// reasoningWhole: reasoning comes with what it is, since the server stored nothing of it.
func reasoningWhole(c *chat, _ Profile) *fault {
	for i, m := range c.messages {
		if m.kind == "reasoning" && !m.there("encrypted_content") && !m.there("content") {
			return wrong(i, "id", m.answers)
		}
	}
	return nil
}

// reasoningFollowed: behind reasoning stands what it led to, or more reasoning.
func reasoningFollowed(c *chat, _ Profile) *fault {
	for i, m := range c.messages {
		if m.kind != "reasoning" {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(c.messages[i:]), func(m message) bool { return m.kind == "reasoning" })
		if len(rest) == 0 || rest[0].role != "assistant" {
			return wrong(i, "id", m.answers)
		}
	}
	return nil
}
