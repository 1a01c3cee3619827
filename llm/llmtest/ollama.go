package llmtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
)

// CheckOllamaBody returns an error if Ollama would refuse a request to /api/chat, or would ignore a part of it.
func CheckOllamaBody(body []byte) error {
	type call struct {
		ID       string `json:"id"`
		Function struct {
			Name      string                     `json:"name"`
			Arguments map[string]json.RawMessage `json:"arguments"`
		} `json:"function"`
	}
	var r struct {
		Model    string `json:"model"`
		Messages []struct {
			Role       string   `json:"role"`
			Content    *string  `json:"content"`
			Thinking   string   `json:"thinking"`
			Images     []string `json:"images"`
			ToolCalls  []call   `json:"tool_calls"`
			ToolName   string   `json:"tool_name"`
			ToolCallID string   `json:"tool_call_id"`
		} `json:"messages"`
		Tools []struct {
			Type     string `json:"type"`
			Function struct {
				Name        string         `json:"name"`
				Description string         `json:"description"`
				Parameters  map[string]any `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
		Think     any  `json:"think"`
		Stream    bool `json:"stream"`
		Truncate  bool `json:"truncate"`
		Shift     bool `json:"shift"`
		KeepAlive any  `json:"keep_alive"`
		Options   struct {
			NumCtx      int      `json:"num_ctx"`
			NumPredict  int      `json:"num_predict"`
			Temperature *float64 `json:"temperature"`
			TopP        *float64 `json:"top_p"`
		} `json:"options"`
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	if r.Model == "" || !r.Stream || r.Truncate || r.Shift {
		return fmt.Errorf("model %q, stream %v, truncate %v, shift %v", r.Model, r.Stream, r.Truncate, r.Shift)
	}
	calls := map[string]string{}
	for i, m := range r.Messages {
		if m.Content == nil || !slices.Contains([]string{"system", "user", "assistant", "tool"}, m.Role) {
			return fmt.Errorf("message %d has the role %q and no text", i, m.Role)
		}
		for _, image := range m.Images {
			if _, err := base64.StdEncoding.DecodeString(image); err != nil || image == "" {
				return fmt.Errorf("image of message %d: %w", i, err)
			}
		}
		for _, c := range m.ToolCalls {
			if c.ID == "" || c.Function.Name == "" || c.Function.Arguments == nil || m.Role != "assistant" {
				return fmt.Errorf("a call of message %d is not whole: %+v", i, c)
			}
			calls[c.ID] = c.Function.Name
		}
		if m.Role == "tool" && (m.ToolName == "" || calls[m.ToolCallID] != m.ToolName) {
			return fmt.Errorf(
				"message %d is a result of %q, and its call %q of %q", i, m.ToolName, m.ToolCallID, calls[m.ToolCallID],
			)
		}
	}
	return nil
}
