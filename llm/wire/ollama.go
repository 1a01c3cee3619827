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

	// A server that knows these two refuses a request that is longer than the window, and ends an answer that fills
	// it. The default is to drop the oldest messages and say nothing.
	Truncate bool `json:"truncate"`
	Shift    bool `json:"shift"`

	KeepAlive any           `json:"keep_alive,omitempty"`
	Options   ollamaOptions `json:"options,omitzero"`
}

// ollamaOptions are what the model runs with. One that is left out is as the model's own file or the server has it.
type ollamaOptions struct {
	NumCtx      int      `json:"num_ctx,omitempty"` // the window in tokens; a new one loads the model again
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
	ToolName   string       `json:"tool_name,omitempty"`    // the tool that a result is of
	ToolCallID string       `json:"tool_call_id,omitempty"` // newer servers read it
}

type ollamaCall struct {
	ID       string         `json:"id,omitempty"` // newer servers read it
	Function ollamaFunction `json:"function"`
}

type ollamaFunction struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // an object: Ollama refuses anything else
}

func (r Request) ollama() ollamaRequest {
	body := ollamaRequest{
		Model:    r.Model,
		Messages: make([]ollamaMessage, 0, len(r.Messages)),
		Tools:    ChatTools(r.Tools),
		Think:    r.Think,
		Stream:   true,
		Options:  ollamaOptions{NumCtx: r.Window, NumPredict: r.MaxTokens, Temperature: r.Temperature, TopP: r.TopP},
	}
	if seconds, err := strconv.Atoi(r.KeepAlive); err == nil {
		body.KeepAlive = seconds // A negative number keeps the model for good.
	} else if r.KeepAlive != "" {
		body.KeepAlive = r.KeepAlive
	}
	tools := map[string]string{} // the names of tools by the ids of their calls
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

// readOllama takes one line.
func (a *Answer) readOllama(data []byte) (part bool) {
	var line struct {
		Message    fields          `json:"message"` // The last line may have none.
		Done       bool            `json:"done"`
		DoneReason string          `json:"done_reason"`
		Prompt     json.RawMessage `json:"prompt_eval_count"`
		Answer     json.RawMessage `json:"eval_count"`
	}
	_ = json.Unmarshal(data, &line) // A value of another type than expected is left out.
	if !line.Done && line.Message == nil {
		return false
	}
	a.addMessage(line.Message)
	a.Done, a.FinishReason = line.Done, line.DoneReason
	if a.Done {
		// A count that is missing stays so: old servers leave out the prompt's if they had it in their cache.
		usage, _ := EncodeJSON(map[string]json.RawMessage{"prompt_tokens": line.Prompt, "completion_tokens": line.Answer})
		a.addUsage(usage)
	}
	return true
}

// newCallID is an id as newer servers of Ollama make them.
func newCallID() string { return "call_" + strings.ToLower(rand.Text()[:8]) }

// OllamaModel is what /api/show says of a model.
type OllamaModel struct {
	TrainedWindow int // the window in tokens that it was trained for, 0 if that is not said
	NumCtx        int // the window in tokens that its own file asks for, 0 for none

	CapabilitiesKnown bool // the server says what the model can do: old ones do not
	Vision            bool
	Tools             bool
	Thinking          bool
	ThinkLevels       bool // it takes levels of thinking, and not only on and off
}

// ReadOllamaModel reads an answer of /api/show. It is false for an answer that does not describe a model.
func ParseOllamaModel(raw []byte) (m OllamaModel, ok bool) {
	var shown struct {
		Parameters string `json:"parameters"` // lines of a name, blanks and a value
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
			m.NumCtx, _ = strconv.Atoi(words[1]) // 0 for what is no number
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
