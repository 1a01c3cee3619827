package wire

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"winnow/history/message"
)

// ollamaRequest is the body of a request to /api/chat.
type ollamaRequest struct {
	Model    string          `json:"model"`
	Messages []ollamaMessage `json:"messages"`
	Tools    []openai.Tool   `json:"tools,omitempty"`
	Think    any             `json:"think,omitempty"`
	Stream   bool            `json:"stream"`

	// With both set to false, newer servers refuse a request that exceeds the window, and end an answer that fills
	// it. By default they silently drop the oldest messages.
	Truncate bool `json:"truncate"`
	Shift    bool `json:"shift"`

	KeepAlive any           `json:"keep_alive,omitempty"`
	Options   ollamaOptions `json:"options,omitzero"`
}

// ollamaOptions are the parameters of the model. Omitted ones are taken from the Modelfile or the server.
type ollamaOptions struct {
	NumCtx      int      `json:"num_ctx,omitempty"` // the window in tokens; changing it reloads the model
	NumPredict  int      `json:"num_predict,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	TopP        *float64 `json:"top_p,omitempty"`
}

type ollamaMessage struct {
	Role       message.Role `json:"role"`
	Content    string       `json:"content"`
	Thinking   string       `json:"thinking,omitempty"`
	Images     [][]byte     `json:"images,omitempty"` // base64 in JSON
	ToolCalls  []ollamaCall `json:"tool_calls,omitempty"`
	ToolName   string       `json:"tool_name,omitempty"`    // the tool of a result
	ToolCallID string       `json:"tool_call_id,omitempty"` // for newer servers
}

type ollamaCall struct {
	ID       string         `json:"id,omitempty"` // for newer servers
	Function ollamaFunction `json:"function"`
}

type ollamaFunction struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // an object; Ollama refuses anything else
}

func (r Request) ollama() ollamaRequest {
	body := ollamaRequest{
		Model:    r.Model,
		Messages: make([]ollamaMessage, 0, len(r.Messages)),
		Tools:    ChatTools(r.Tools),
		Think:    r.Think,
		Stream:   true,
		Options: ollamaOptions{
			NumCtx: r.Window, NumPredict: r.MaxTokens, Temperature: r.Temperature, TopP: r.TopP,
		},
	}
	if seconds, err := strconv.Atoi(r.KeepAlive); err == nil {
		body.KeepAlive = seconds // A negative number keeps the model loaded forever.
	} else if r.KeepAlive != "" {
		body.KeepAlive = r.KeepAlive
	}
	tools := map[string]string{} // tool names by call ID
	for _, m := range r.Messages {
		w := ollamaMessage{Role: m.Role, Content: text(m)}
		for _, p := range m.Parts {
			if isImage(p) {
				w.Images = append(w.Images, p.Data)
			}
		}
		switch m.Role {
		case message.Tool:
			w.ToolName, w.ToolCallID = tools[m.ToolCallID], m.ToolCallID
		case message.Assistant:
			if r.EchoReasoning {
				w.Thinking = m.Reasoning
			}
			for _, call := range m.ToolCalls {
				tools[call.ID] = call.Name
				function := ollamaFunction{call.Name, json.RawMessage(call.Arguments)}
				w.ToolCalls = append(w.ToolCalls, ollamaCall{call.ID, function})
			}
		}
		body.Messages = append(body.Messages, w)
	}
	return body
}

// readOllama reads one line.
func (a *Answer) readOllama(data []byte) (part bool) {
	var line struct {
		Message    fields          `json:"message"` // The last line may have none.
		Done       bool            `json:"done"`
		DoneReason string          `json:"done_reason"`
		Prompt     json.RawMessage `json:"prompt_eval_count"`
		Answer     json.RawMessage `json:"eval_count"`
	}
	_ = json.Unmarshal(data, &line) // Values of unexpected types are skipped.
	if !line.Done && line.Message == nil {
		return false
	}
	a.addMessage(line.Message)
	a.Done, a.FinishReason = line.Done, line.DoneReason
	if a.Done {
		// A missing count stays missing: old servers omit the prompt's if it was cached.
		counts := map[string]json.RawMessage{"prompt_tokens": line.Prompt, "completion_tokens": line.Answer}
		usage, _ := EncodeJSON(counts)
		a.addUsage(usage)
	}
	return true
}

// newCallID returns a call ID in the format of newer Ollama servers.
func newCallID() string { return "call_" + strings.ToLower(rand.Text()[:8]) }

// OllamaModel is what Ollama's /api/show reports about a model.
type OllamaModel struct {
	TrainedWindow int // the window in tokens that it was trained for, 0 if unknown
	NumCtx        int // the window in tokens that its Modelfile sets, 0 for none

	CapabilitiesKnown bool // the fields below are known; old servers do not report them
	Vision            bool
	Tools             bool
	Thinking          bool
	ThinkLevels       bool // with levels, not only on and off
}

// ParseOllamaModel parses a response of /api/show. It returns false if that does not describe a model.
func ParseOllamaModel(raw []byte) (m OllamaModel, ok bool) {
	var shown struct {
		Parameters string `json:"parameters"` // lines of a name, spaces and a value
		Details    struct {
			Family string `json:"family"`
		} `json:"details"`
		Info map[string]json.RawMessage `json:"model_info"`
		Can  []string                   `json:"capabilities"`
	}
	if json.Unmarshal(raw, &shown) != nil || shown.Info == nil && shown.Can == nil {
		return OllamaModel{}, false
	}
	for line := range strings.Lines(shown.Parameters) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == "num_ctx" {
			m.NumCtx, _ = strconv.Atoi(words[1]) // 0 if it is not a number
		}
	}
	var architecture string // "" and 0 if they are missing
	_ = json.Unmarshal(shown.Info["general.architecture"], &architecture)
	_ = json.Unmarshal(shown.Info[architecture+".context_length"], &m.TrainedWindow)
	m.CapabilitiesKnown = shown.Can != nil
	m.Vision = slices.Contains(shown.Can, "vision")
	m.Tools = slices.Contains(shown.Can, "tools")
	m.Thinking = slices.Contains(shown.Can, "thinking")
	m.ThinkLevels = strings.ReplaceAll(shown.Details.Family, "-", "") == "gptoss"
	return m, true
}
