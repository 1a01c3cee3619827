package exact

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"winnow/history/message"
)

// GeminiTokens is the key of the number in the answer to a Gemini request.
const GeminiTokens = "totalTokens"

// geminiRequest is the body of POST /v1beta/models/MODEL:countTokens.
type geminiRequest struct {
	Generate geminiGenerate `json:"generateContentRequest"`
}

type geminiGenerate struct {
	Model    string          `json:"model"` // models/MODEL
	System   *geminiContent  `json:"systemInstruction,omitempty"`
	Contents []geminiContent `json:"contents"`
	Tools    []geminiTools   `json:"tools,omitempty"`
}

type geminiContent struct {
	Role  string       `json:"role,omitempty"` // user or model; none for the system instruction
	Parts []geminiPart `json:"parts"`
}

// geminiPart is a text, an image, a call or its result.
type geminiPart struct {
	Text      string          `json:"text,omitempty"`
	Inline    *geminiInline   `json:"inlineData,omitempty"`
	Call      *geminiCall     `json:"functionCall,omitempty"`
	Signature string          `json:"thoughtSignature,omitempty"`
	Result    *geminiResponse `json:"functionResponse,omitempty"`
}

type geminiInline struct {
	MimeType string `json:"mimeType"`
	Data     string `json:"data"`
}

type geminiCall struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

type geminiResponse struct {
	Name     string         `json:"name"`
	Response geminiResponds `json:"response"`
}

// geminiResponds is a result: the service takes objects alone.
type geminiResponds struct {
	Content string `json:"content"`
}

type geminiTools struct {
	Functions []geminiFunction `json:"functionDeclarations"`
}

type geminiFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parametersJsonSchema"`
}

// Gemini is the body of a request in the GenerateContent format. The roles take turns: results of tools belong to the
// user, and are known by the names of the tools.
func (r Request) Gemini() any {
	out := geminiGenerate{Model: "models/" + GeminiModel(r.Model), Contents: []geminiContent{}}
	if text := system(r.Messages); text != "" {
		out.System = &geminiContent{Parts: []geminiPart{{Text: text}}}
	}
	called := names(r.Messages)
	for _, m := range r.Messages {
		role, parts := "user", geminiTexts(m)
		switch m.Role {
		case message.System:
			continue
		case message.Tool:
			parts = []geminiPart{{Result: &geminiResponse{called[m.ToolCallID], geminiResponds{strings.Join(texts(m), "\n\n")}}}}
		case message.Assistant:
			role = "model"
			for _, call := range m.ToolCalls {
				parts = append(parts, geminiPart{Call: &geminiCall{call.Name, json.RawMessage(call.Arguments)}, Signature: signature(call.Replay)})
			}
		}
		last := len(out.Contents) - 1
		switch {
		case len(parts) == 0:
		case last >= 0 && out.Contents[last].Role == role:
			out.Contents[last].Parts = append(out.Contents[last].Parts, parts...)
		default:
			out.Contents = append(out.Contents, geminiContent{role, parts})
		}
	}
	var tools geminiTools
	for _, t := range r.Tools {
		tools.Functions = append(tools.Functions, geminiFunction(t))
	}
	if len(tools.Functions) > 0 {
		out.Tools = []geminiTools{tools}
	}
	return geminiRequest{out}
}

// GeminiModel is a model's name as it stands in addresses: the list of models has "models/" in front of it.
func GeminiModel(name string) string { return strings.TrimPrefix(name, "models/") }

// geminiTexts are the images and texts of a message.
func geminiTexts(m message.Message) []geminiPart {
	var parts []geminiPart
	for _, p := range m.Parts {
		if p.Kind == message.ImagePart {
			parts = append(parts, geminiPart{Inline: &geminiInline{p.MediaType, base64.StdEncoding.EncodeToString(p.Data)}})
		}
	}
	for _, text := range texts(m) {
		parts = append(parts, geminiPart{Text: text})
	}
	return parts
}

// signature is the signature of a call's reasoning, as the service's compatible endpoint writes it into the call.
func signature(replay string) string {
	var more struct {
		Extra struct {
			Google struct {
				Signature string `json:"thought_signature"`
			} `json:"google"`
		} `json:"extra_content"`
	}
	_ = json.Unmarshal([]byte(replay), &more) // "" and the keys of other services hold none
	return more.Extra.Google.Signature
}
