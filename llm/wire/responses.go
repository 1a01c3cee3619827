package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"winnow/history/message"
)

// leastReply is the smallest max_output_tokens that the Responses API accepts.
const leastReply = 16

// responses encodes a request for the Responses API. Nothing is stored at the server, so each request contains the
// whole conversation. go-openai's CreateResponseRequest omits "store": false, which makes the server store it.
func (r Request) responses() ([]byte, error) {
	instructions, input := r.input()
	body := object{"model": r.Model, "input": input, "store": false, "stream": true}
	if instructions != "" {
		body["instructions"] = instructions
	}
	if r.Temperature != nil {
		body["temperature"] = *r.Temperature
	}
	if r.TopP != nil {
		body["top_p"] = *r.TopP
	}
	if r.MaxTokens > 0 {
		body["max_output_tokens"] = max(r.MaxTokens, leastReply)
	}
	if r.Effort != "" {
		body["reasoning"] = openai.ResponseReasoning{Effort: r.Effort}
	}
	if !r.NoEncryptedReasoning {
		body["include"] = []openai.ResponseInclude{openai.ResponseIncludeReasoningEncryptedContent}
	}
	var tools []object
	for _, f := range r.Tools {
		// "strict" defaults to true, which refuses most schemas.
		tool := object{"type": "function", "name": f.Name, "parameters": f.Parameters, "strict": false}
		if f.Description != "" {
			tool["description"] = f.Description
		}
		tools = append(tools, tool)
	}
	if tools != nil {
		body["tools"] = tools
	}
	return EncodeJSON(body)
}

// object is a JSON object, encoded with sorted keys.
type object = map[string]any

// input converts the messages to items. A system message at the beginning becomes the instructions.
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
			list = append(list, openai.ResponseInputImage{
				Type: "input_image", ImageURL: dataURL(p),
			})
		} else {
			list = append(list, openai.ResponseInputText{
				Type: "input_text", Text: p.Text,
			})
		}
	}
	return list
}

// answerItems converts an assistant message to items. Reasoning items precede the item that they led to, because
// servers refuse one without a successor.
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

// The keys that hold provider data of the Responses API. Other formats do not send them.
const (
	keptReasoning = "responses_reasoning"
	keptPhase     = "responses_phase"
)

// replayed returns the provider data of an answer or a call that is sent back: reasoning items and the phase.
func replayed(replay string) (items []any, phase string) {
	var back struct {
		Reasoning []json.RawMessage `json:"responses_reasoning"`
		Phase     string            `json:"responses_phase"`
	}
	_ = json.Unmarshal([]byte(replay), &back) // "" and the data of other formats have neither.
	for _, raw := range back.Reasoning {
		items = append(items, raw)
	}
	return items, back.Phase
}

// responsesEvent is one event. go-openai's ResponseStreamEvent reads a missing output_index as 0, and drops encrypted
// reasoning and the phase.
type responsesEvent struct {
	Object  string          `json:"object"`
	Type    string          `json:"type"`
	Delta   string          `json:"delta"`
	Place   json.RawMessage `json:"output_index"` // a number
	Summary int             `json:"summary_index"`
	ItemID  string          `json:"item_id"`
	Item    json.RawMessage `json:"item"`
	Whole   json.RawMessage `json:"response"`
}

// responsesOutput is an output item.
type responsesOutput struct {
	openai.ResponseOutputItem
	Phase     json.RawMessage `json:"phase"`
	Encrypted string          `json:"encrypted_content"`
}

// responsesItems tracks the output items of an answer.
type responsesItems struct {
	byKey map[string]*responsesItem // the newest is also under ""
	held  replayKeys                // reasoning that precedes the next item
	ends  map[Channel]paragraph     // the last paragraph of each channel
	calls int                       // number of calls so far
}

type responsesItem struct {
	streamed bool // text, reasoning or arguments were streamed
	call     int  // the index of a call, -1 before it began
}

// paragraph identifies a part of a text: an output item, or one part of a reasoning item.
type paragraph struct {
	item *responsesItem
	part int
}

// readResponses reads one event, or an answer that is not streamed.
func (a *Answer) readResponses(data []byte) (part bool, err error) {
	var e responsesEvent
	_ = json.Unmarshal(data, &e) // Values of unexpected types are skipped.
	if e.Object == "response" {
		return true, a.endResponse(data)
	}
	switch e.Type {
	case "response.failed", "response.cancelled", "response.completed", "response.incomplete":
		return true, a.endResponse(e.Whole)
	case "response.output_item.added":
		if it, o := a.item(e), outputOf(e.Item); o.Type == "function_call" {
			a.callPiece(it, fragment{
				id: cmp.Or(o.CallID, o.ID), name: o.Name,
			})
		}
	case "response.output_item.done":
		a.complete(a.item(e), e.Item)
	case "response.output_text.delta", "response.refusal.delta":
		a.itemPiece(TextChannel, paragraph{item: a.item(e)}, e.Delta)
	case "response.function_call_arguments.delta":
		a.callPiece(a.item(e), fragment{arguments: e.Delta})
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta", "response.reasoning.delta":
		a.itemPiece(ReasoningChannel, paragraph{a.item(e), e.Summary}, e.Delta)
	}
	return strings.HasPrefix(e.Type, "response."), nil
}

func outputOf(raw json.RawMessage) (o responsesOutput) {
	_ = json.Unmarshal(raw, &o) // A value of another type than expected is left out.
	return o
}

// item returns the item that an event refers to by its index or its ID, else the newest one. An unknown item is added.
func (a *Answer) item(e responsesEvent) *responsesItem {
	key := cmp.Or(e.ItemID, outputOf(e.Item).ID)
	if !isBlank(e.Place) {
		key = string(e.Place)
	}
	items := a.responses.byKey
	if items[key] == nil {
		items[key] = &responsesItem{call: -1}
		items[""] = items[key]
	}
	return items[key]
}

// complete reads a complete item, and adds the parts of it that were not streamed.
func (a *Answer) complete(it *responsesItem, raw json.RawMessage) {
	o, streamed := outputOf(raw), it.streamed
	switch {
	case o.Type == "function_call" && streamed:
		a.callPiece(it, fragment{
			id: cmp.Or(o.CallID, o.ID), name: o.Name,
		})
	case o.Type == "function_call":
		a.callPiece(it, fragment{
			id: cmp.Or(o.CallID, o.ID), name: o.Name, arguments: o.Arguments,
		})
	case o.Type == "message":
		a.kept = a.kept.with(keptPhase, o.Phase)
	case o.Type == "reasoning" && (o.Encrypted != "" || len(o.Content) > 0):
		// Without stored data, an item with nothing but an ID is useless.
		a.responses.held = a.responses.held.with(
			keptReasoning, fmt.Appendf(nil, "[%s]", raw),
		)
	}
	if streamed {
		return
	}
	to := map[string]Channel{"message": TextChannel}[o.Type] // else ReasoningChannel, which is 0
	for i, p := range o.Summary {
		a.itemPiece(to, paragraph{it, i}, p.Text)
	}
	for _, p := range o.Content {
		a.itemPiece(to, paragraph{item: it}, p.Text+p.Refusal)
	}
}

// itemPiece adds a piece of text or reasoning. A blank line separates paragraphs.
func (a *Answer) itemPiece(to Channel, of paragraph, piece string) {
	if piece == "" {
		return
	}
	if to == TextChannel && !of.item.streamed {
		a.kept = a.kept.with(keptReasoning, a.responses.held[keptReasoning])
		a.responses.held = nil
	}
	of.item.streamed = true
	if last, any := a.responses.ends[to]; any && last != of {
		piece = "\n\n" + piece
	}
	a.responses.ends[to] = of
	if to == TextChannel {
		a.addContent(piece, false)
	} else {
		a.add(to, piece)
	}
}

// callPiece adds a piece of a call. The reasoning that led to the call is kept with it.
func (a *Answer) callPiece(it *responsesItem, f fragment) {
	it.streamed = it.streamed || f.arguments != ""
	begins := it.call < 0
	if begins {
		it.call = a.responses.calls
		a.responses.calls++
	}
	f.index = it.call
	at := a.addCall(f)
	if begins && a.responses.held != nil {
		a.keptCalls[at], a.responses.held = a.responses.held, nil
	}
}

// endResponse reads the complete response. If nothing was streamed, its items are added.
func (a *Answer) endResponse(data json.RawMessage) error {
	var r struct {
		Status     string                           `json:"status"`
		Error      json.RawMessage                  `json:"error"`
		Incomplete openai.ResponseIncompleteDetails `json:"incomplete_details"`
		Output     []json.RawMessage                `json:"output"`
		Usage      json.RawMessage                  `json:"usage"`
	}
	_ = json.Unmarshal(data, &r) // A value of another type than expected is left out.
	if r.Status == "failed" || r.Status == "cancelled" {
		if isBlank(r.Error) {
			return Refusal(`{"message":"the server ended the response without a reason"}`)
		}
		return Refusal(r.Error)
	}
	if len(a.responses.ends) == 0 && a.responses.calls == 0 {
		for _, raw := range r.Output {
			a.complete(&responsesItem{call: -1}, raw)
		}
	}
	a.Done = true
	// Translate the reason to a finish_reason of Chat Completions.
	switch {
	case r.Incomplete.Reason == "max_output_tokens", r.Incomplete.Reason == "" && r.Status == "incomplete":
		a.FinishReason = "length"
	case r.Incomplete.Reason == "" && a.responses.calls > 0:
		a.FinishReason = "tool_calls"
	default:
		a.FinishReason = cmp.Or(r.Incomplete.Reason, "stop")
	}
	a.addUsage(r.Usage)
	return nil
}
