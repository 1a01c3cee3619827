package llm

import (
	"cmp"
	"encoding/json"
	"strings"

	"winnow/llm/responses"
)

// responsesReader reads the events of one answer of the Responses API. Its zero value is ready.
type responsesReader struct {
	answer *answer
	items  []*responsesItem          // those that are open or complete, in the order in which they began
	found  map[string]*responsesItem // by output index and by id
	held   []json.RawMessage         // reasoning that waits for the item it led to

	spoke, thought bool // text or reasoning came
	calls          int  // how many calls began
}

// responsesItem is one item of the output.
type responsesItem struct {
	streamed bool // text, reasoning or arguments came in pieces
	slot     int  // of a function call: its place among the calls, -1 before it began
	named    bool // of a function call: its id and its name came
}

// responsesOutput is an item as a server writes it.
type responsesOutput struct {
	Type      string           `json:"type"`
	ID        string           `json:"id"`
	CallID    string           `json:"call_id"`
	Name      string           `json:"name"`
	Arguments string           `json:"arguments"`
	Phase     string           `json:"phase"`
	Content   []responsesPiece `json:"content"`
	Summary   []responsesPiece `json:"summary"`
}

type responsesPiece struct {
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

// read takes one event, or an answer in one piece. A value of another type than expected is left out, and the others
// are read.
func (s *responsesReader) read(a *answer, event fields) (reason []byte, failed bool) {
	s.answer = a
	if event.text("object") == "response" {
		return s.end(event)
	}
	kind, known := strings.CutPrefix(event.text("type"), "response.")
	if !known {
		return nil, event.complains()
	}
	switch delta := event.text("delta"); kind {
	case "error":
		return nil, true
	case "failed", "cancelled":
		return failure(event.object("response")), true
	case "completed", "incomplete":
		return s.end(event.object("response"))
	case "output_item.added":
		if it, o := s.item(event), output(event["item"]); o.Type == "function_call" {
			s.name(it, o)
		}
	case "output_item.done":
		s.complete(s.item(event), event["item"])
	case "output_text.delta":
		s.text(s.item(event), responsesPiece{Text: delta})
	case "refusal.delta":
		s.text(s.item(event), responsesPiece{Refusal: delta})
	case "function_call_arguments.delta":
		s.arguments(s.item(event), delta)
	case "function_call_arguments.done":
		if it := s.item(event); !it.streamed {
			s.arguments(it, event.text("arguments"))
		}
	case "reasoning_summary_text.delta", "reasoning_text.delta", "reasoning.delta":
		s.think(s.item(event), delta)
	case "reasoning_summary_part.added":
		if it := s.item(event); it.streamed {
			s.think(it, "\n\n")
		}
	}
	a.began = a.began || kind == "created" || len(a.events) > 0
	return nil, false
}

// item finds the item that an event is about, by its place or its id; without both it is the newest. One that is
// not known begins.
func (s *responsesReader) item(event fields) *responsesItem {
	var keys []string
	if index := event["output_index"]; !isBlank(index) {
		keys = append(keys, "at "+string(index))
	}
	if id := event.text("item_id") + output(event["item"]).ID; id != "" {
		keys = append(keys, "id "+id)
	}
	for _, key := range keys {
		if it := s.found[key]; it != nil {
			return it
		}
	}
	if len(keys) == 0 && len(s.items) > 0 {
		return s.items[len(s.items)-1]
	}
	it := &responsesItem{slot: -1}
	s.items = append(s.items, it)
	if s.found == nil {
		s.found = make(map[string]*responsesItem)
	}
	for _, key := range keys {
		s.found[key] = it
	}
	return it
}

func output(raw json.RawMessage) (o responsesOutput) {
	_ = json.Unmarshal(raw, &o) // As in read.
	return o
}

// complete takes an item as a whole: what of it did not come in pieces comes now.
func (s *responsesReader) complete(it *responsesItem, raw json.RawMessage) {
	switch o := output(raw); o.Type {
	case "function_call":
		s.name(it, o)
		if !it.streamed {
			s.arguments(it, o.Arguments)
		}
	case "message":
		if !it.streamed {
			for _, p := range o.Content {
				s.text(it, p)
			}
		}
		if it.streamed && o.Phase != "" {
			s.keep(&s.answer.extra.message, responses.KeptPhase, o.Phase)
		}
	case "reasoning":
		s.held = append(s.held, raw)
		if !it.streamed {
			s.think(it, paragraphs(append(o.Summary, o.Content...)))
		}
	}
}

// keep keeps a value that its server wants back.
func (s *responsesReader) keep(in *pieces, key string, value any) {
	raw, _ := encode(value) // Only strings and values that were read from JSON are in it.
	in.keep(key, raw)
}

// led keeps the reasoning that led to an item.
func (s *responsesReader) led(to *pieces) {
	if len(s.held) > 0 {
		s.keep(to, responses.KeptReasoning, s.held)
		s.held = nil
	}
}

func paragraphs(pieces []responsesPiece) string {
	var list []string
	for _, p := range pieces {
		if p.Text != "" {
			list = append(list, p.Text)
		}
	}
	return strings.Join(list, "\n\n")
}

// text adds a piece of what the model says. Messages of one answer are paragraphs of one text.
func (s *responsesReader) text(it *responsesItem, piece responsesPiece) {
	if piece == (responsesPiece{}) {
		return
	}
	if !it.streamed {
		if s.spoke {
			s.answer.text("\n\n")
		}
		s.led(&s.answer.extra.message)
	}
	it.streamed, s.spoke = true, true
	s.answer.text(piece.Text)
	s.answer.refusal(piece.Refusal)
}

func (s *responsesReader) think(it *responsesItem, piece string) {
	if piece == "" {
		return
	}
	if !it.streamed && s.thought {
		piece = "\n\n" + piece
	}
	it.streamed, s.thought = true, true
	s.answer.reasoning(piece)
}

// name says once which function an item calls. An id is the one that the call's result has to name.
func (s *responsesReader) name(it *responsesItem, o responsesOutput) {
	if !it.named {
		it.named = true
		s.call(it, fragment{id: cmp.Or(o.CallID, o.ID), name: o.Name})
	}
}

func (s *responsesReader) arguments(it *responsesItem, piece string) {
	if piece != "" {
		it.streamed = true
		s.call(it, fragment{arguments: piece})
	}
}

// call adds a piece of a call. With the first one comes the reasoning that led to it.
func (s *responsesReader) call(it *responsesItem, f fragment) {
	begins := it.slot < 0
	if begins {
		it.slot = s.calls
		s.calls++
	}
	f.index = it.slot
	at := s.answer.call(f)
	if begins {
		s.led(s.answer.extra.call(at))
	}
}

// end takes the answer as a whole. Of a kind of which nothing was streamed its items come now.
func (s *responsesReader) end(response fields) (reason []byte, failed bool) {
	status := response.text("status")
	if status == "failed" || status == "cancelled" {
		return failure(response), true
	}
	came := map[string]bool{
		"message":       s.spoke,
		"function_call": s.calls > 0,
		"reasoning":     s.thought || s.spoke || s.calls > 0,
	}
	var items []json.RawMessage
	_ = json.Unmarshal(response["output"], &items) // As in read.
	for _, raw := range items {
		if !came[output(raw).Type] {
			s.complete(&responsesItem{slot: -1}, raw)
		}
	}
	a := s.answer
	a.began, a.done = true, true
	a.finish = s.finish(status, response.object("incomplete_details").text("reason"))
	a.id(response["id"])
	const diagnostics = "prompt_cache_diagnostics"
	a.extra.chunk.keep(diagnostics, response[diagnostics])
	a.report(response.value("usage"))
	return nil, false
}

// failure is why the server ended a response.
func failure(response fields) []byte {
	if err := response["error"]; !isBlank(err) {
		return err
	}
	return []byte(`{"message":"the server ended the response without a reason"}`)
}

// finish is how the answer ended, in the words of Chat Completions.
func (s *responsesReader) finish(status, incomplete string) string {
	switch {
	case incomplete == "max_output_tokens", incomplete == "" && status == "incomplete":
		return "length"
	case incomplete != "":
		return incomplete
	case s.calls > 0:
		return "tool_calls"
	}
	return "stop"
}
