package llmtest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The formats of names and IDs that every server accepts, of Mistral's IDs, and of Gemini's signatures.
var (
	nameForm  = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)
	idForm    = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,40}$`)
	nineForm  = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)
	signature = regexp.MustCompile(`"thought_signature":\s*"[^"]`)
)

// finder returns the first place in a body that breaks a rule, nil if there is none.
type finder func(*body) *fault

// finders maps the names of rules to their checks. refusals.txt tells which server has which rules, and in which order.
var finders = map[string]finder{
	"model-named": inRequest(func(b *body) bool { return b.model != "" }),
	"messages-there": inRequest(func(b *body) bool {
		return slices.ContainsFunc(b.messages, func(m message) bool { return m.Role != "system" })
	}),
	"keys-known":    keysKnown,
	"tools-offered": inRequest(func(b *body) bool { return len(b.keys["tools"]) > len("[]") || !b.usesTools() }),
	"limit-large": inRequest(func(b *body) bool {
		limit, err := strconv.Atoi(string(b.keys["max_output_tokens"]))
		return err != nil || limit >= 16
	}),
	"tool-flat": inTool(func(t toolItem) bool { return t.Type == "function" && t.Name != "" }),
	"tool-schema": inTool(func(t toolItem) bool {
		return t.Strict != nil && !*t.Strict || t.Parameters.Additional == false
	}),

	"role-known": inMessage(func(_ *body, _ int, m message) bool {
		return m.Type == "reasoning" || messageKeys[m.Role] != ""
	}),
	"content-there": inMessage(func(_ *body, _ int, m message) bool {
		return m.Content.there || m.Type == "function_call" || m.Type == "reasoning"
	}),
	"content-speaks": inMessage(func(_ *body, _ int, m message) bool {
		return m.Content.speaks() || len(m.ToolCalls) > 0
	}),
	"system-first": inMessage(func(_ *body, i int, m message) bool { return i == 0 || m.Role != "system" }),
	"user-first": inMessage(func(b *body, i int, m message) bool {
		return m.Role != "assistant" || i > 0 && b.messages[i-1].Role != "system"
	}),
	"ends-open": inMessage(
		func(b *body, i int, m message) bool { return i < len(b.messages)-1 || m.Role != "assistant" },
	),
	"role-order": inMessage(func(b *body, i int, m message) bool {
		return slices.Contains(strings.Fields(mistralOrder[b.roleBefore(i)]), m.Role)
	}),
	"alternating":     alternating(func(m message) bool { return m.Role != "tool" && len(m.ToolCalls) == 0 }),
	"alternating-all": alternating(func(message) bool { return true }),
	"call-follows": inMessage(func(b *body, i int, m message) bool {
		return len(m.ToolCalls) == 0 || b.roleBefore(i) != "assistant"
	}),
	"call-answered": inMessage(func(b *body, i int, m message) bool {
		return !slices.ContainsFunc(
			m.ToolCalls, func(c toolCall) bool { return !slices.Contains(b.resultsAfter(i), c.ID) },
		)
	}),
	"as-many-results": inMessage(func(b *body, i int, m message) bool {
		return i > 0 && m.Role == "tool" || len(m.ToolCalls) == len(b.resultsAfter(i))
	}),
	"result-of-call": inMessage(func(b *body, i int, m message) bool {
		caller := i
		for caller > 0 && b.messages[caller].Role == "tool" {
			caller--
		}
		return m.Role != "tool" || b.open(caller, i, m.ToolCallID)
	}),
	"output-of-call": inMessage(func(b *body, i int, m message) bool {
		return m.Role != "tool" || b.open(0, i, m.ToolCallID)
	}),
	"call-has-output": inCall(func(b *body, c toolCall) bool {
		return slices.ContainsFunc(b.messages, func(m message) bool { return m.Role == "tool" && m.ToolCallID == c.ID })
	}),
	"reasoning-back": inMessage(func(_ *body, _ int, m message) bool {
		return len(m.ToolCalls) == 0 || m.keys.there("reasoning_content")
	}),
	"call-signed": inMessage(func(b *body, i int, m message) bool {
		running := !slices.ContainsFunc(b.messages[i:], func(m message) bool { return m.Role == "user" })
		return !running || len(m.ToolCalls) == 0 || signature.Match(m.ToolCalls[0].keys["extra_content"])
	}),
	"item-known": inMessage(func(_ *body, _ int, m message) bool { return itemKeys[m.Type] != "" }),
	"reasoning-whole": inMessage(func(_ *body, _ int, m message) bool {
		return m.Type != "reasoning" || m.keys.there("encrypted_content") || m.keys.there("content")
	}),
	"reasoning-summed": inMessage(func(_ *body, _ int, m message) bool {
		return m.Type != "reasoning" || m.keys.there("summary")
	}),
	"reasoning-followed": inMessage(func(b *body, i int, m message) bool {
		next := slices.IndexFunc(b.messages[i:], func(m message) bool { return m.Type != "reasoning" })
		return m.Type != "reasoning" || next > 0 && b.messages[i+next].Role == "assistant"
	}),

	"parts-whole": inPart(func(m message, p part) bool {
		return p.Type != "text" || p.Text != nil && strings.TrimSpace(*p.Text) != ""
	}),
	"images-whole":   inPart(func(_ message, p part) bool { return p.Type != "image_url" || isImage(p.url) }),
	"images-of-user": inPart(func(m message, p part) bool { return p.Type != "image_url" || m.Role == "user" }),
	"texts-only":     inPart(func(_ message, p part) bool { return p.Type == "text" }),
	"part-of-role": inPart(func(m message, p part) bool {
		output := string(p.keys["type"]) == `"output_text"` || string(p.keys["type"]) == `"refusal"`
		return m.Type != "message" || p.Type != "" && output == (m.Role == "assistant")
	}),

	"call-named": inCall(func(_ *body, c toolCall) bool { return c.Function.Name != "" }),
	"name-form":  inCall(func(_ *body, c toolCall) bool { return nameForm.MatchString(c.Function.Name) }),
	"id-form":    inCall(func(_ *body, c toolCall) bool { return idForm.MatchString(c.ID) }),
	"id-nine":    inCall(func(_ *body, c toolCall) bool { return nineForm.MatchString(c.ID) }),
	"id-unique": inCall(func(b *body, c toolCall) bool {
		same := 0
		for _, m := range b.messages {
			same += len(slices.DeleteFunc(slices.Clone(m.ToolCalls), func(o toolCall) bool { return o.ID != c.ID }))
		}
		return same == 1
	}),
	"arguments-object": inCall(func(_ *body, c toolCall) bool {
		var object map[string]any
		return c.Function.Arguments != nil && json.Unmarshal([]byte(*c.Function.Arguments), &object) == nil &&
			object != nil
	}),
}

// mistralOrder lists, for each role, the roles that may follow it.
var mistralOrder = map[string]string{
	"": "system user assistant", "system": "user assistant", "user": "user assistant",
	"assistant": "user assistant tool", "tool": "assistant tool",
}

// inRequest, inMessage, inPart, inCall and inTool check a condition of the request, or of each of its elements.
func inRequest(sound func(*body) bool) finder {
	return func(b *body) *fault {
		if sound(b) {
			return nil
		}
		return &fault{at: -1}
	}
}

func inMessage(sound func(b *body, i int, m message) bool) finder {
	return func(b *body) *fault {
		for i, m := range b.messages {
			if !sound(b, i, m) {
				return &fault{at: i}
			}
		}
		return nil
	}
}

func inPart(sound func(message, part) bool) finder {
	return func(b *body) *fault {
		for i, m := range b.messages {
			for k, p := range m.Content.parts {
				if !sound(m, p) {
					return &fault{i, k, p.Type}
				}
			}
		}
		return nil
	}
}

func inCall(sound func(*body, toolCall) bool) finder {
	return func(b *body) *fault {
		for i, m := range b.messages {
			for k, c := range m.ToolCalls {
				if !sound(b, c) {
					return &fault{at: i, k: k}
				}
			}
		}
		return nil
	}
}

// toolItem is a tool in a request to the Responses API.
type toolItem struct {
	Type, Name string
	Strict     *bool
	Parameters struct {
		Additional any `json:"additionalProperties"`
	}
}

func inTool(sound func(toolItem) bool) finder {
	return func(b *body) *fault {
		var tools []toolItem
		if len(b.keys["tools"]) > 0 && json.Unmarshal(b.keys["tools"], &tools) != nil {
			return &fault{at: -1}
		}
		for k, t := range tools {
			if !sound(t) {
				return &fault{-1, k, t.Name}
			}
		}
		return nil
	}
}

// alternating checks that, after the system message, user and assistant messages alternate. counts selects the messages
// that the template counts.
func alternating(counts func(message) bool) finder {
	return func(b *body) *fault {
		turn := 0
		for i, m := range b.messages {
			if m.Role == "system" || !counts(m) {
				continue
			}
			if (m.Role == "user") != (turn%2 == 0) {
				return &fault{at: i}
			}
			turn++
		}
		return nil
	}
}

// roleBefore is the role of the message before message i, "" for the first.
func (b *body) roleBefore(i int) string {
	if i <= 0 {
		return ""
	}
	return b.messages[i-1].Role
}

func (b *body) usesTools() bool {
	return slices.ContainsFunc(b.messages, func(m message) bool { return len(m.ToolCalls) > 0 || m.Role == "tool" })
}

// resultsAfter lists the call IDs of the results directly after message i.
func (b *body) resultsAfter(i int) []string {
	var ids []string
	for _, m := range b.messages[i+1:] {
		if m.Role != "tool" {
			break
		}
		ids = append(ids, m.ToolCallID)
	}
	return ids
}

// open reports whether the messages in [from, to) contain a call with an ID but no result of it.
func (b *body) open(from, to int, id string) bool {
	open := false
	for _, m := range b.messages[from:to] {
		if m.Role == "tool" && m.ToolCallID == id {
			open = false
		}
		open = open || slices.ContainsFunc(m.ToolCalls, func(c toolCall) bool { return c.ID == id })
	}
	return open
}

func isImage(url string) bool {
	if strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") {
		return true
	}
	kind, data, found := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	raw, err := base64.StdEncoding.DecodeString(data)
	known := slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind)
	return found && known && err == nil && len(raw) > 0
}

// The keys that servers accept, separated by spaces: of a request, by server; of a message, by its role or the type
// of an item.
const someKeys = "model messages tools tool_choice parallel_tool_calls max_tokens temperature top_p stop stream "

const openAIKeys = someKeys + "stream_options max_completion_tokens reasoning_effort metadata store prompt_cache_key " +
	"prompt_cache_retention service_tier user"

var requestKeys = map[string]string{
	"openai": openAIKeys, "strictest": openAIKeys,
	"mistral": someKeys + "random_seed safe_prompt",
	"gemini":  someKeys + "stream_options max_completion_tokens reasoning_effort extra_body",
	"responses": "model input instructions tools tool_choice parallel_tool_calls max_output_tokens temperature top_p " +
		"reasoning include store stream stream_options metadata service_tier truncation user prompt_cache_key " +
		"prompt_cache_retention previous_response_id",
}

var messageKeys = map[string]string{
	"system": "role content", "user": "role content",
	"assistant": "role content tool_calls", "tool": "role content tool_call_id",
}

var itemKeys = map[string]string{
	"message":              "type role content id status phase",
	"function_call":        "type call_id name arguments id status",
	"function_call_output": "type call_id output id status",
	"reasoning":            "type id summary content encrypted_content status",
}

// keysKnown checks that the body has only keys that the server accepts.
func keysKnown(b *body) *fault {
	if key := b.keys.unknown(requestKeys[b.server]); key != "" {
		return &fault{at: -1, what: key}
	}
	extra := ""
	if b.server == string(Gemini) {
		extra = " extra_content"
	}
	for i, m := range b.messages {
		known, list := messageKeys[m.Role]+extra, "messages"
		if m.Type != "" {
			known, list = itemKeys[m.Type], "input"
		}
		key := m.keys.unknown(known)
		for _, p := range m.Content.parts {
			key += p.keys.unknown("type text image_url")
		}
		for _, c := range m.ToolCalls {
			key += c.keys.unknown("id type function" + extra)
		}
		if key != "" {
			return &fault{at: i, what: fmt.Sprintf("%s[%d].%s", list, i, key)}
		}
	}
	return nil
}

// unknown returns a key that is not among the known ones, "" if there is none.
func (k keys) unknown(known string) string {
	for key := range k {
		if !slices.Contains(strings.Fields(known), key) {
			return key
		}
	}
	return ""
}
