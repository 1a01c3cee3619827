package llm

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"winnow/history"
	"winnow/llm/ollama"
)

// ollamaWire is Ollama's own format.
type ollamaWire struct{}

func (ollamaWire) address(e Endpoint) string { return e.root() + "/api/chat" }

func (ollamaWire) reader() answerReader { return ollamaWire{} }

func (ollamaWire) body(c *Client, r Request, ask sampled) (any, error) {
	w := ollama.Request{
		Model:     r.Model,
		Messages:  make([]ollama.Message, 0, len(r.Messages)),
		Think:     c.think(r.Model, ask.effort),
		Stream:    true,
		KeepAlive: ollama.KeepAlive(c.endpoint.KeepAlive),
	}
	carried := returned{to: c.Origin(r.Model), profile: c.Profile(r.Model)}
	tools := map[string]string{} // the names of tools by the ids of their calls
	for _, m := range r.Messages {
		w.Messages = append(w.Messages, carried.native(m, tools))
	}
	if list := wireTools(r.Tools); list != nil {
		w.Tools = list
	}
	options := ollama.Options{NumCtx: r.Window, NumPredict: ask.maxTokens, Temperature: ask.temperature, TopP: ask.topP}
	if options != (ollama.Options{}) {
		w.Options = &options
	}
	return w, nil
}

// native is a message as it is sent in Ollama's own format. tools has the calls before it.
func (b returned) native(m history.Message, tools map[string]string) ollama.Message {
	text, images := textAndImages(m)
	w := ollama.Message{Role: string(m.Role), Content: text, Images: images}
	if m.Role == history.Tool {
		w.ToolName, w.ToolCallID = tools[m.ToolCallID], m.ToolCallID
	}
	if m.Role != history.Assistant {
		return w
	}
	if b.profile.EchoReasoning && m.Origin == b.to {
		w.Thinking = m.Reasoning
	}
	for _, call := range m.ToolCalls {
		tools[call.ID] = call.Name
		w.ToolCalls = append(w.ToolCalls, ollama.Call{
			ID:       call.ID,
			Function: ollama.Function{Name: call.Name, Arguments: json.RawMessage(argumentObject(call.Arguments))},
		})
	}
	return w
}

// textAndImages are a message's texts as one, its own behind what it is about, and its images.
func textAndImages(m history.Message) (text string, images [][]byte) {
	var texts []string
	for _, p := range m.Parts {
		switch p.Kind {
		case history.ImagePart:
			images = append(images, p.Data)
		case history.TextPart, history.NotePart:
			if strings.TrimSpace(p.Text) != "" {
				texts = append(texts, p.Sent())
			}
		}
	}
	if m.Content != "" || len(texts) == 0 {
		texts = append(texts, m.Content)
	}
	return strings.Join(texts, "\n\n"), images
}

// think is how much a model is asked to think, nil where that is left to the server. A model that cannot think
// refuses to be asked, and most of those that can know only on and off.
func (c *Client) think(model, effort string) any {
	switch known := c.Known(model); {
	case effort == "" || !known.Thinks:
		return nil
	case effort == "none":
		return false
	case known.ThinkLevels:
		return nearestEffort(effort, []string{"low", "medium", "high"})
	}
	return true
}

// ollamaWindow asks Ollama for the window of a model, and learns what the model can do. The window is that of the
// running model; else the one that the model's own file asks for; else a guess to be assumed.
func (c *Client) ollamaWindow(ctx context.Context, model string) Window {
	running, is, answered := c.ollamaRunning(ctx)
	if !is {
		if answered {
			c.teach(model, func(l *Learned) { l.Native = false }) // There was an Ollama at this address.
		}
		return Window{}
	}
	shown, known := c.showOllama(ctx, model)
	w, runs := running[plainModel(model)]
	switch {
	case runs:
	case shown.NumCtx > 0:
		w = Window{Tokens: shown.NumCtx, Source: "num_ctx of the model's own file"}
	default:
		w.Assumed = true
	}
	if known && c.Wire(model) == OllamaWire {
		w.Most, w.Again = shown.Trained, !runs
	}
	return w
}

// mostOllama is the largest window with which Ollama runs a model where a request asks for it, 0 where it does not say
// or its model is not asked in its own format.
func (c *Client) mostOllama(ctx context.Context, model string) int {
	shown, known := c.showOllama(ctx, model)
	if !known || c.Wire(model) != OllamaWire {
		return 0
	}
	return shown.Trained
}

// showOllama asks Ollama what a model can do.
func (c *Client) showOllama(ctx context.Context, model string) (shown ollama.Model, known bool) {
	body, err := encode(map[string]string{"model": model})
	if err != nil {
		return ollama.Model{}, false
	}
	raw, err := c.document(ctx, http.MethodPost, c.endpoint.root()+"/api/show", body)
	if err != nil {
		return ollama.Model{}, false
	}
	if shown, known = ollama.ReadModel(raw); !known {
		return ollama.Model{}, false
	}
	c.mu.Lock()
	if c.shown == nil {
		c.shown = make(map[string]ollama.Model)
	}
	c.shown[plainModel(model)] = shown
	c.mu.Unlock()
	c.teach(model, func(l *Learned) {
		l.Native, l.Thinks, l.ThinkLevels = c.endpoint.configuredWire(model) == AutoWire, shown.Thinking, shown.Levels
	})
	return shown, true
}

// lacks sets what a model of Ollama cannot take by the server's own word. Ollama drops an image that its model cannot
// see, and says nothing.
func (c *Client) lacks(model string, p *history.Profile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	shown := c.shown[plainModel(model)]
	if !shown.Known {
		return
	}
	p.NoImages = p.NoImages || !shown.Vision
	if !shown.Tools {
		p.NoTools, p.ToolsAsText = true, true
	}
}

// ollamaRunning are the windows of the models that Ollama runs, by plainModel, and whether it is Ollama. answered says
// that there is a server, whatever it is.
func (c *Client) ollamaRunning(ctx context.Context) (running map[string]Window, is, answered bool) {
	raw, err := c.document(ctx, http.MethodGet, c.endpoint.root()+"/api/ps", nil)
	if err != nil {
		var e *Error
		return nil, false, errors.As(err, &e) && e.Status > 0
	}
	var list struct {
		Models *[]listed `json:"models"`
	}
	if json.Unmarshal(raw, &list) != nil || list.Models == nil {
		return nil, false, true
	}
	running = make(map[string]Window)
	for _, l := range *list.Models {
		if n := number(l["context_length"]); n > 0 {
			running[plainModel(l.name())] = statedWindow(n, "Ollama's running context_length")
		}
	}
	return running, true, true
}
