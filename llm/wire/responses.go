package wire

import (
	"cmp"
	"encoding/json"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"winnow/history/message"
)

// leastReply is the smallest limit of a reply, in tokens, that the Responses API takes.
const leastReply = 16

// jsonEscapes undoes the escapes for HTML of encoding/json, which go-openai's types always write. A backslash that is
// escaped itself begins no escape.
var jsonEscapes = strings.NewReplacer(`\\`, `\\`, `\u003c`, `<`, `\u003e`, `>`, `\u0026`, `&`)

// responses is the body of a request for the Responses API. The server stores nothing of it, so each request holds
// the whole conversation. Input and tools are in ExtraBody: the rest is decoded and encoded again, which would change
// numbers in schemas and in what the server wants back.
func (r Request) responses() ([]byte, error) {
	instructions, input := r.input()
	body := openai.CreateResponseRequest{
		Model:          r.Model,
		Instructions:   instructions,
		Temperature:    float32Of(r.Temperature),
		TopP:           float32Of(r.TopP),
		PromptCacheKey: r.CacheKey,
		Stream:         true,
		ExtraBody:      map[string]any{"input": input, "store": false},
	}
	if r.MaxTokens > 0 {
		body.MaxOutputTokens = max(r.MaxTokens, leastReply)
	}
	if r.Effort != "" {
		body.Reasoning = &openai.ResponseReasoning{Effort: r.Effort}
	}
	if !r.NoEncryptedReasoning {
		body.Include = []openai.ResponseInclude{openai.ResponseIncludeReasoningEncryptedContent}
	}
	if r.Diagnose && r.Before != "" {
		body.ExtraBody["prompt_cache_options"] = map[string]string{"comparison_response_id": r.Before}
	}
	var tools []openai.ResponseTool
	for _, f := range r.Tools {
		tool := openai.NewResponseFunctionTool(f)
		tool.Parameters["strict"] = false // Left out, it is true, and most schemas are then refused.
		tools = append(tools, tool)
	}
	if tools != nil {
		body.ExtraBody["tools"] = tools
	}
	raw, err := Encode(body)
	return []byte(jsonEscapes.Replace(string(raw))), err
}

func float32Of(f *float64) *float32 {
	if f == nil {
		return nil
	}
	return new(float32(*f))
}

// input is the messages as items. A system message at the beginning is the instructions.
func (r Request) input() (instructions string, items []any) {
	items = make([]any, 0, len(r.Messages))
	for i, m := range r.Messages {
		switch {
		case i == 0 && m.Role == message.System:
			instructions = text(m)
		case m.Role == message.Tool:
			items = append(items, openai.ResponseFunctionCallOutput{
				Type: "function_call_output", CallID: m.ToolCallID, Output: text(m),
			})
		case m.Role == message.Assistant:
			items = append(items, answerItems(m)...)
		default:
			items = append(items, openai.ResponseInputMessage{
				Type: "message", Role: string(m.Role), Content: inputParts(m),
			})
		}
	}
	return instructions, items
}

func inputParts(m message.Message) []any {
	var list []any
	for _, p := range parts(m) {
		if isImage(p) {
			list = append(list, openai.ResponseInputImage{Type: "input_image", ImageURL: dataURL(p)})
		} else {
			list = append(list, openai.ResponseInputText{Type: "input_text", Text: p.Text})
		}
	}
	return list
}

// answerItems are what a model said and called. Each item of its reasoning stands in front of the item that it led
// to: servers refuse one that nothing follows.
func answerItems(m message.Message) []any {
	items, phase := replayed(m.Replay)
	if said := text(m); !message.IsBlank(said) || len(m.ToolCalls) == 0 {
		items = append(items, openai.ResponseInputMessage{
			Type:    "message",
			Role:    string(m.Role),
			Content: []any{openai.ResponseInputText{Type: "output_text", Text: said}},
			Phase:   phase,
		})
	}
	for _, call := range m.ToolCalls {
		reasoning, _ := replayed(call.Replay)
		items = append(items, reasoning...)
		items = append(items, openai.ResponseOutputItem{
			Type: "function_call", CallID: call.ID, Name: call.Name, Arguments: call.Arguments,
		})
	}
	return items
}

// The keys under which an answer keeps what its server wants back. No other format sends them.
const (
	keptReasoning = "responses_reasoning"
	keptPhase     = "responses_phase"
)

// replayed is what of an answer or of a call goes back to its server beside its text and its arguments.
func replayed(replay string) (items []any, phase string) {
	var back struct {
		Reasoning []json.RawMessage `json:"responses_reasoning"`
		Phase     string            `json:"responses_phase"`
	}
	_ = json.Unmarshal([]byte(replay), &back) // "" and what another format kept hold none.
	for _, raw := range back.Reasoning {
		items = append(items, raw)
	}
	return items, back.Phase
}

// responsesEvent is one event. go-openai's ResponseStreamEvent reads a missing output_index as 0, and drops the
// encrypted reasoning, the phase and what a server says of its cache.
type responsesEvent struct {
	envelope
	Delta       string          `json:"delta"`
	OutputIndex json.RawMessage `json:"output_index"` // a number
	ItemID      string          `json:"item_id"`
	Item        json.RawMessage `json:"item"`
	Response    json.RawMessage `json:"response"`
}

// responsesItems are the items of the output so far.
type responsesItems struct {
	byKey map[string]*responsesItem // the newest is under "" too
	held  []json.RawMessage         // reasoning that waits for the item it led to

	spoke, thought bool // text or reasoning came
	calls          int  // how many calls began
}

type responsesItem struct {
	streamed bool // text, reasoning or arguments came in pieces
	call     int  // of a call: its place among the calls, -1 before it began
}

// responsesOutput is an item as a server writes it.
type responsesOutput struct {
	openai.ResponseOutputItem
	Phase     string `json:"phase"`
	Encrypted string `json:"encrypted_content"`
}

func outputOf(raw json.RawMessage) (o responsesOutput) {
	_ = json.Unmarshal(raw, &o) // A value of another type than expected is left out.
	return o
}

// readResponses takes one event, or an answer in one piece.
func (a *Answer) readResponses(data []byte) error {
	var e responsesEvent
	ofResponse := func() bool { return e.Object == "response" || strings.HasPrefix(e.Type, "response.") }
	if err := a.decode(data, &e, &e.envelope, ofResponse); err != nil {
		return err
	}
	a.Began = a.Began || ofResponse()
	if e.Object == "response" {
		return a.endResponse(data)
	}
	switch e.Type {
	case "response.failed", "response.cancelled", "response.completed", "response.incomplete":
		return a.endResponse(e.Response)
	case "response.output_item.added":
		if it, o := a.item(e), outputOf(e.Item); o.Type == "function_call" {
			a.callPiece(it, fragment{id: cmp.Or(o.CallID, o.ID), name: o.Name})
		}
	case "response.output_item.done":
		a.complete(a.item(e), e.Item)
	case "response.output_text.delta":
		a.sayPiece(a.item(e), e.Delta, "")
	case "response.refusal.delta":
		a.sayPiece(a.item(e), "", e.Delta)
	case "response.function_call_arguments.delta":
		a.callPiece(a.item(e), fragment{arguments: e.Delta})
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta", "response.reasoning.delta":
		a.reasonPiece(a.item(e), e.Delta)
	case "response.reasoning_summary_part.added":
		if it := a.item(e); it.streamed {
			a.reasonPiece(it, "\n\n")
		}
	}
	return nil
}

// item finds the item that an event is about: by its place, else by its id, else it is the newest. One that is not
// known begins.
func (a *Answer) item(e responsesEvent) *responsesItem {
	key := cmp.Or(e.ItemID, outputOf(e.Item).ID)
	if !isBlank(e.OutputIndex) {
		key = string(e.OutputIndex)
	}
	items := a.responses.byKey
	if items[key] == nil {
		items[key] = &responsesItem{call: -1}
		items[""] = items[key]
	}
	return items[key]
}

// complete takes an item as a whole: what of it did not come in pieces comes now.
func (a *Answer) complete(it *responsesItem, raw json.RawMessage) {
	switch o := outputOf(raw); o.Type {
	case "function_call":
		f := fragment{id: cmp.Or(o.CallID, o.ID), name: o.Name}
		if !it.streamed {
			f.arguments = o.Arguments
		}
		a.callPiece(it, f)
	case "message":
		if !it.streamed {
			for _, p := range o.Content {
				a.sayPiece(it, p.Text, p.Refusal)
			}
		}
		if it.streamed && o.Phase != "" {
			phase, _ := Encode(o.Phase) // A text always encodes.
			a.kept = a.kept.with(keptPhase, phase)
		}
	case "reasoning":
		// An item that holds only an id means nothing to a server that stores nothing.
		if o.Encrypted != "" || len(o.Content) > 0 {
			a.responses.held = append(a.responses.held, raw)
		}
		if !it.streamed {
			thought := ""
			for _, p := range o.Summary {
				thought += "\n\n" + p.Text
			}
			for _, p := range o.Content {
				thought += "\n\n" + p.Text
			}
			a.reasonPiece(it, strings.TrimSpace(thought))
		}
	}
}

// heldReasoning is the reasoning that led to the item that begins, nil for none.
func (a *Answer) heldReasoning() json.RawMessage {
	if len(a.responses.held) == 0 {
		return nil
	}
	raw, _ := Encode(a.responses.held) // Only values that were read from JSON are in it.
	a.responses.held = nil
	return raw
}

// sayPiece adds a piece of what the model says, or says in refusing. Messages of one answer are paragraphs of one
// text.
func (a *Answer) sayPiece(it *responsesItem, piece, refusal string) {
	if piece+refusal == "" {
		return
	}
	if !it.streamed {
		if a.responses.spoke {
			a.content("\n\n", false)
		}
		a.kept = a.kept.with(keptReasoning, a.heldReasoning())
	}
	it.streamed, a.responses.spoke = true, true
	a.content(piece, false)
	a.add(Text, refusal)
}

func (a *Answer) reasonPiece(it *responsesItem, piece string) {
	if piece == "" {
		return
	}
	if !it.streamed && a.responses.thought {
		piece = "\n\n" + piece
	}
	it.streamed, a.responses.thought = true, true
	a.add(Reasoning, piece)
}

// callPiece adds a piece of a call. With the first one comes the reasoning that led to it.
func (a *Answer) callPiece(it *responsesItem, f fragment) {
	it.streamed = it.streamed || f.arguments != ""
	begins := it.call < 0
	if begins {
		it.call = a.responses.calls
		a.responses.calls++
	}
	f.index = it.call
	at := a.call(f)
	if begins && a.responses.held != nil {
		a.keptCalls[at] = kept{keptReasoning: a.heldReasoning()}
	}
}

// endResponse takes the answer as a whole. If nothing was streamed its items come now.
func (a *Answer) endResponse(data json.RawMessage) error {
	var r struct {
		ID         json.RawMessage                  `json:"id"`
		Status     string                           `json:"status"`
		Error      json.RawMessage                  `json:"error"`
		Incomplete openai.ResponseIncompleteDetails `json:"incomplete_details"`
		Output     []json.RawMessage                `json:"output"`
		Usage      json.RawMessage                  `json:"usage"`
		Missed     json.RawMessage                  `json:"prompt_cache_diagnostics"`
	}
	_ = json.Unmarshal(data, &r) // A value of another type than expected is left out.
	if r.Status == "failed" || r.Status == "cancelled" {
		if isBlank(r.Error) {
			return Refusal(`{"message":"the server ended the response without a reason"}`)
		}
		return Refusal(r.Error)
	}
	if !a.responses.spoke && !a.responses.thought && a.responses.calls == 0 {
		for _, raw := range r.Output {
			a.complete(&responsesItem{call: -1}, raw)
		}
	}
	a.Done = true
	// How it ended, in the words of Chat Completions.
	switch {
	case r.Incomplete.Reason == "max_output_tokens", r.Incomplete.Reason == "" && r.Status == "incomplete":
		a.Finish = "length"
	case r.Incomplete.Reason == "" && a.responses.calls > 0:
		a.Finish = "tool_calls"
	default:
		a.Finish = cmp.Or(r.Incomplete.Reason, "stop")
	}
	a.about(r.ID, r.Missed)
	a.counted(r.Usage)
	return nil
}
