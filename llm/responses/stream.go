package responses

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Stream translates the events of one answer. Its zero value is ready.
type Stream struct {
	items []*item           // those that are open or complete, in the order in which they began
	found map[string]*item  // by output index and by id
	held  []json.RawMessage // reasoning that waits for the item it led to

	spoke, thought bool // text or reasoning came
	calls          int  // how many calls began

	chunks [][]byte // of the event at hand
}

// item is one item of the output.
type item struct {
	streamed bool // text, reasoning or arguments came in pieces
	slot     int  // of a function call: its place among the calls
	named    bool // of a function call: its id and its name came
}

// event is any event, or an answer in one piece.
type event struct {
	Type    string          `json:"type"`
	Object  string          `json:"object"` // "response" in an answer in one piece
	Index   json.RawMessage `json:"output_index"`
	ItemID  string          `json:"item_id"`
	Delta   string          `json:"delta"`
	Whole   string          `json:"arguments"`
	Item    json.RawMessage `json:"item"`
	Respond json.RawMessage `json:"response"`
	Error   json.RawMessage `json:"error"`
}

// output is an item as a server writes it.
type output struct {
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	CallID    string  `json:"call_id"`
	Name      string  `json:"name"`
	Arguments string  `json:"arguments"`
	Phase     string  `json:"phase"`
	Content   []piece `json:"content"`
	Summary   []piece `json:"summary"`
}

type piece struct {
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

// response is the answer as a whole.
type response struct {
	Status     string            `json:"status"`
	Output     []json.RawMessage `json:"output"`
	Usage      json.RawMessage   `json:"usage"`
	Error      json.RawMessage   `json:"error"`
	ID         string            `json:"id"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`

	CacheDiagnostics json.RawMessage `json:"prompt_cache_diagnostics"`
}

// Chunks takes the data of one event, which is valid JSON, or an answer in one piece. What is no event of this
// format is handed on as it is: an error, most likely. Done says that the answer is complete.
func (s *Stream) Chunks(data []byte) (chunks [][]byte, done bool) {
	s.chunks = nil
	var e event
	// A value of another type than expected is left out, and the others are read.
	_ = json.Unmarshal(data, &e)
	kind, known := strings.CutPrefix(e.Type, "response.")
	switch {
	case e.Object == "response":
		e.Respond = data
		return s.end(e)
	case !known, kind == "error":
		return [][]byte{data}, false
	}
	switch kind {
	case "created":
		s.say(chunk{}) // An answer has begun.
	case "completed", "incomplete", "failed", "cancelled":
		return s.end(e)
	case "output_item.added":
		if it, o := s.item(e), decode(e.Item); o.Type == "function_call" {
			s.name(it, o)
		}
	case "output_item.done":
		s.complete(s.item(e), e.Item)
	case "output_text.delta":
		s.text(s.item(e), e.Delta, delta{Content: e.Delta})
	case "refusal.delta":
		s.text(s.item(e), e.Delta, delta{Refusal: e.Delta})
	case "function_call_arguments.delta":
		s.arguments(s.item(e), e.Delta)
	case "function_call_arguments.done":
		if it := s.item(e); !it.streamed {
			s.arguments(it, e.Whole)
		}
	case "reasoning_summary_text.delta", "reasoning_text.delta", "reasoning.delta":
		s.think(s.item(e), e.Delta)
	case "reasoning_summary_part.added":
		if it := s.item(e); it.streamed {
			s.think(it, "\n\n")
		}
	}
	return s.chunks, false
}

// item finds the item that an event is about, by its place or its id; without both it is the newest. One that is
// not known begins.
func (s *Stream) item(e event) *item {
	var keys []string
	if len(e.Index) > 0 && string(e.Index) != "null" {
		keys = append(keys, "at "+string(e.Index))
	}
	if id := e.ItemID + decode(e.Item).ID; id != "" {
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
	it := &item{slot: -1}
	s.items = append(s.items, it)
	if s.found == nil {
		s.found = make(map[string]*item)
	}
	for _, key := range keys {
		s.found[key] = it
	}
	return it
}

func decode(raw json.RawMessage) output {
	var o output
	_ = json.Unmarshal(raw, &o) // As in Chunks.
	return o
}

// complete takes an item as a whole: what of it did not come in pieces comes now.
func (s *Stream) complete(it *item, raw json.RawMessage) {
	switch o := decode(raw); o.Type {
	case "function_call":
		s.name(it, o)
		if !it.streamed {
			s.arguments(it, o.Arguments)
		}
	case "message":
		s.message(it, o)
	case "reasoning":
		if s.held = append(s.held, slices.Clone(raw)); !it.streamed {
			s.think(it, strings.Join(append(texts(o.Summary), texts(o.Content)...), "\n\n"))
		}
	}
}

func (s *Stream) message(it *item, o output) {
	if !it.streamed {
		for _, p := range o.Content {
			s.text(it, p.Text, delta{Content: p.Text})
			s.text(it, p.Refusal, delta{Refusal: p.Refusal})
		}
	}
	if it.streamed && o.Phase != "" {
		s.add(delta{Phase: o.Phase})
	}
}

func texts(pieces []piece) []string {
	var list []string
	for _, p := range pieces {
		if p.Text != "" {
			list = append(list, p.Text)
		}
	}
	return list
}

// text adds a piece of what the model says. Messages of one answer are paragraphs of one text.
func (s *Stream) text(it *item, piece string, d delta) {
	if piece == "" {
		return
	}
	if !it.streamed {
		if s.spoke {
			s.add(delta{Content: "\n\n"})
		}
		d.Reasoning, s.held = s.held, nil
	}
	it.streamed, s.spoke = true, true
	s.add(d)
}

func (s *Stream) think(it *item, piece string) {
	if piece != "" {
		if !it.streamed && s.thought {
			piece = "\n\n" + piece
		}
		it.streamed, s.thought = true, true
		s.add(delta{ReasoningContent: piece})
	}
}

// name says once which function an item calls. An id is the one that the call's result has to name.
func (s *Stream) name(it *item, o output) {
	if it.named {
		return
	}
	it.named = true
	if o.CallID == "" {
		o.CallID = o.ID
	}
	c := s.call(it)
	c.ID, c.Function.Name = o.CallID, o.Name
	s.add(delta{ToolCalls: []call{c}})
}

func (s *Stream) arguments(it *item, piece string) {
	if piece == "" {
		return
	}
	it.streamed = true
	c := s.call(it)
	c.Function.Arguments = piece
	s.add(delta{ToolCalls: []call{c}})
}

// call is a piece of a call. The first one carries the reasoning that led to it.
func (s *Stream) call(it *item) call {
	var c call
	if it.slot < 0 {
		it.slot = s.calls
		s.calls++
		c.Reasoning, s.held = s.held, nil
	}
	c.Index = it.slot
	return c
}

// end takes the answer as a whole. Of a kind of which nothing was streamed its items come now.
func (s *Stream) end(e event) (chunks [][]byte, done bool) {
	var r response
	_ = json.Unmarshal(e.Respond, &r) // As in Chunks.
	if failed := e.Type == "response.failed" || e.Type == "response.cancelled"; failed || r.Status == "failed" || r.Status == "cancelled" {
		for _, reason := range []json.RawMessage{r.Error, e.Error, json.RawMessage(`{"message":"the server ended the response without a reason"}`)} {
			if len(reason) > 0 && string(reason) != "null" {
				return [][]byte{slices.Concat([]byte(`{"error":`), reason, []byte(`}`))}, false
			}
		}
	}
	came := map[string]bool{"message": s.spoke, "function_call": s.calls > 0, "reasoning": s.thought || s.spoke || s.calls > 0}
	for _, raw := range r.Output {
		if o := decode(raw); !came[o.Type] {
			s.complete(&item{slot: -1}, raw)
		}
	}
	s.say(chunk{ID: r.ID, Choices: []choice{{FinishReason: s.finish(r)}}, Usage: r.Usage, CacheDiagnostics: r.CacheDiagnostics})
	return s.chunks, true
}

// finish is how the answer ended, in the words of Chat Completions.
func (s *Stream) finish(r response) string {
	switch {
	case r.Incomplete.Reason == "max_output_tokens":
		return "length"
	case r.Incomplete.Reason != "":
		return r.Incomplete.Reason
	case r.Status == "incomplete":
		return "length"
	case s.calls > 0:
		return "tool_calls"
	}
	return "stop"
}

// chunk is one of Chat Completions, as far as it is needed.
type chunk struct {
	ID      string          `json:"id,omitempty"`
	Choices []choice        `json:"choices"`
	Usage   json.RawMessage `json:"usage,omitempty"`

	CacheDiagnostics json.RawMessage `json:"prompt_cache_diagnostics,omitempty"`
}

type choice struct {
	Delta        delta  `json:"delta,omitzero"`
	FinishReason string `json:"finish_reason,omitempty"`
}

type delta struct {
	Content          string            `json:"content,omitempty"`
	ReasoningContent string            `json:"reasoning_content,omitempty"`
	Refusal          string            `json:"refusal,omitempty"`
	ToolCalls        []call            `json:"tool_calls,omitempty"`
	Reasoning        []json.RawMessage `json:"responses_reasoning,omitempty"`
	Phase            string            `json:"responses_phase,omitempty"`
}

type call struct {
	Index     int               `json:"index"`
	ID        string            `json:"id,omitempty"`
	Function  function          `json:"function"`
	Reasoning []json.RawMessage `json:"responses_reasoning,omitempty"`
}

type function struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
}

func (s *Stream) add(d delta) { s.say(chunk{Choices: []choice{{Delta: d}}}) }

func (s *Stream) say(c chunk) {
	if c.Choices == nil {
		c.Choices = []choice{}
	}
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false) // Reasoning keeps its bytes.
	_ = enc.Encode(c)        // Only strings and values that were read from JSON are in it.
	s.chunks = append(s.chunks, bytes.TrimSpace(raw.Bytes()))
}
