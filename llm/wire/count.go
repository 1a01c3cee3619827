package wire

import (
	"encoding/json"
	"strings"
	"unicode"

	"winnow/history/message"
)

// countFormat is how a service that counts the tokens of a request writes what a message consists of.
type countFormat struct {
	assistant string // the role of the model
	parts     string // the key of a message's parts
	text      func(text string) object
	image     func(p message.Part) object
	call      func(c message.ToolCall) object
	result    func(m message.Message, tool string, parts []object) object // tool is the name of what was called
}

// conversation is all messages but those of the system, and what these say: both services have one place for it,
// whatever stands between. The roles take turns: results of tools belong to the user.
func (f countFormat) conversation(messages []message.Message) (turns []object, system string) {
	turns = []object{}
	tools := map[string]string{}
	for _, m := range messages {
		role, parts := "user", f.said(m)
		switch m.Role {
		case message.System:
			system = strings.TrimPrefix(system+"\n\n"+text(m), "\n\n")
			continue
		case message.Tool:
			parts = []object{f.result(m, tools[m.ToolCallID], parts)}
		case message.Assistant:
			role = f.assistant
			for _, call := range m.ToolCalls {
				tools[call.ID] = call.Name
				parts = append(parts, f.call(call))
			}
		}
		last := len(turns) - 1
		switch {
		case len(parts) == 0:
		case last >= 0 && turns[last]["role"] == role:
			turns[last][f.parts] = append(turns[last][f.parts].([]object), parts...)
		default:
			turns = append(turns, object{"role": role, f.parts: parts})
		}
	}
	return turns, system
}

// said are the images and texts of a message, without what is blank: both services refuse blank texts.
func (f countFormat) said(m message.Message) (said []object) {
	for _, p := range parts(m) {
		switch {
		case isImage(p):
			said = append(said, f.image(p))
		case !message.IsBlank(p.Text):
			said = append(said, f.text(p.Text))
		}
	}
	return said
}

// countedTools are the functions, with their schemas under a key.
func (r Request) countedTools(schema string) []object {
	var tools []object
	for _, f := range r.Tools {
		tool := object{"name": f.Name, schema: f.Parameters}
		if f.Description != "" {
			tool["description"] = f.Description
		}
		tools = append(tools, tool)
	}
	return tools
}

// AnthropicCount is the body of POST /v1/messages/count_tokens, which is answered with input_tokens.
func (r Request) AnthropicCount() any {
	turns, system := anthropic.conversation(r.Messages)
	body := object{"model": r.Model, "messages": turns}
	if system != "" {
		body["system"] = system
	}
	if tools := r.countedTools("input_schema"); tools != nil {
		body["tools"] = tools
	}
	return body
}

var anthropic = countFormat{
	assistant: "assistant",
	parts:     "content",
	text:      func(text string) object { return object{"type": "text", "text": text} },
	image: func(p message.Part) object {
		return object{"type": "image", "source": object{"type": "base64", "media_type": p.MediaType, "data": p.Data}}
	},
	call: func(c message.ToolCall) object {
		id, input := anthropicID(c.ID), json.RawMessage(c.Arguments)
		return object{"type": "tool_use", "id": id, "name": c.Name, "input": input}
	},
	result: func(m message.Message, _ string, parts []object) object {
		result := object{"type": "tool_result", "tool_use_id": anthropicID(m.ToolCallID)}
		if len(parts) > 0 {
			result["content"] = parts
		}
		return result
	},
}

// anthropicID is a call's id in the characters that the service takes.
func anthropicID(id string) string {
	if id == "" {
		return "_"
	}
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-') {
			return r
		}
		return '_'
	}, id)
}

// GeminiCount is the body of POST /v1beta/models/MODEL:countTokens, which is answered with totalTokens.
func (r Request) GeminiCount() any {
	turns, system := gemini.conversation(r.Messages)
	body := object{"model": "models/" + strings.TrimPrefix(r.Model, "models/"), "contents": turns}
	if system != "" {
		body["systemInstruction"] = object{"parts": []object{{"text": system}}}
	}
	if tools := r.countedTools("parametersJsonSchema"); tools != nil {
		body["tools"] = []object{{"functionDeclarations": tools}}
	}
	return object{"generateContentRequest": body}
}

var gemini = countFormat{
	assistant: "model",
	parts:     "parts",
	text:      func(text string) object { return object{"text": text} },
	image: func(p message.Part) object {
		return object{"inlineData": object{"mimeType": p.MediaType, "data": p.Data}}
	},
	call: func(c message.ToolCall) object {
		part := object{"functionCall": object{"name": c.Name, "args": json.RawMessage(c.Arguments)}}
		var more struct { // The service's compatible endpoint writes the signature of the reasoning into the call.
			Extra struct {
				Google struct {
					Signature string `json:"thought_signature"`
				} `json:"google"`
			} `json:"extra_content"`
		}
		_ = json.Unmarshal([]byte(c.Replay), &more) // "" and the keys of other services hold none
		if s := more.Extra.Google.Signature; s != "" {
			part["thoughtSignature"] = s
		}
		return part
	},
	result: func(m message.Message, tool string, _ []object) object {
		response := object{"content": text(m)} // The service takes objects alone.
		return object{"functionResponse": object{"name": tool, "response": response}}
	},
}
