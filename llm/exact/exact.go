// Package exact writes requests in the formats in which hosted services count the tokens of a request that is not
// made: Anthropic's Messages and Google's GenerateContent. It sends nothing.
package exact

import (
	"encoding/json"
	"strings"
	"unicode"

	"winnow/history/message"
)

// Request is a request whose tokens are counted. The arguments of calls have to be JSON objects.
type Request struct {
	Model    string
	Messages []message.Message
	Tools    []Tool
}

// Tool is a function that the model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON schema of an object
}

// object is a JSON object.
type object = map[string]any

// format is how a service writes what a message consists of.
type format struct {
	assistant string // the role of the model
	parts     string // the key of a message's parts
	text      func(text string) object
	image     func(p message.Part) object
	call      func(c message.ToolCall) object
	result    func(m message.Message, tool string, parts []object) object // tool is the name of what was called
}

// conversation is all messages but those of the system. The roles take turns: results of tools belong to the user.
func (f format) conversation(messages []message.Message) []object {
	turns := []object{}
	tools := map[string]string{}
	for _, m := range messages {
		role, parts := "user", f.said(m)
		switch m.Role {
		case message.System:
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
	return turns
}

// said are the images and texts of a message.
func (f format) said(m message.Message) []object {
	var parts []object
	for _, p := range m.Parts {
		if p.Kind == message.ImagePart {
			parts = append(parts, f.image(p))
		}
	}
	for _, text := range texts(m) {
		parts = append(parts, f.text(text))
	}
	return parts
}

// texts are what a message says, without what is blank: both services refuse blank texts. Its own text stands last,
// behind the files that it is about.
func texts(m message.Message) []string {
	var list []string
	for _, p := range m.Parts {
		if p.Kind != message.ImagePart && strings.TrimSpace(p.Text) != "" {
			list = append(list, p.Sent())
		}
	}
	if strings.TrimSpace(m.Content) != "" {
		list = append(list, m.Content)
	}
	return list
}

// system is what all system messages say: both services have one place for it, whatever stands between.
func (r Request) system() string {
	var all []string
	for _, m := range r.Messages {
		if m.Role == message.System {
			all = append(all, texts(m)...)
		}
	}
	return strings.Join(all, "\n\n")
}

// tools are the functions, with their schemas under a key.
func (r Request) tools(schema string) []object {
	var tools []object
	for _, t := range r.Tools {
		tool := object{"name": t.Name, schema: t.Parameters}
		if t.Description != "" {
			tool["description"] = t.Description
		}
		tools = append(tools, tool)
	}
	return tools
}

// Anthropic is the body of POST /v1/messages/count_tokens, which is answered with input_tokens.
func (r Request) Anthropic() any {
	body := object{"model": r.Model, "messages": anthropic.conversation(r.Messages)}
	if text := r.system(); text != "" {
		body["system"] = text
	}
	if tools := r.tools("input_schema"); tools != nil {
		body["tools"] = tools
	}
	return body
}

var anthropic = format{
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

// Gemini is the body of POST /v1beta/models/MODEL:countTokens, which is answered with totalTokens.
func (r Request) Gemini() any {
	body := object{"model": "models/" + GeminiModel(r.Model), "contents": gemini.conversation(r.Messages)}
	if text := r.system(); text != "" {
		body["systemInstruction"] = object{"parts": []object{{"text": text}}}
	}
	if tools := r.tools("parametersJsonSchema"); tools != nil {
		body["tools"] = []object{{"functionDeclarations": tools}}
	}
	return object{"generateContentRequest": body}
}

// GeminiModel is a model's name as it stands in addresses: the list of models has "models/" in front of it.
func GeminiModel(name string) string { return strings.TrimPrefix(name, "models/") }

var gemini = format{
	assistant: "model",
	parts:     "parts",
	text:      func(text string) object { return object{"text": text} },
	image: func(p message.Part) object {
		return object{"inlineData": object{"mimeType": p.MediaType, "data": p.Data}}
	},
	call: func(c message.ToolCall) object {
		part := object{"functionCall": object{"name": c.Name, "args": json.RawMessage(c.Arguments)}}
		if s := signature(c.Replay); s != "" {
			part["thoughtSignature"] = s
		}
		return part
	},
	result: func(m message.Message, tool string, _ []object) object {
		response := object{"content": strings.Join(texts(m), "\n\n")} // The service takes objects alone.
		return object{"functionResponse": object{"name": tool, "response": response}}
	},
}

// signature is the signature of a call's reasoning, as the service's compatible endpoint writes it into the call.
func signature(replay string) string {
	var more struct {
		Extra struct {
			Google struct {
				Signature string `json:"thought_signature"`
			}
		} `json:"extra_content"`
	}
	_ = json.Unmarshal([]byte(replay), &more) // "" and the keys of other services hold none
	return more.Extra.Google.Signature
}
