package llm

import (
	"encoding/json"

	"winnow/llm/pricing"
)

// answerReader reads the answer to one request as a server streams it.
type answerReader interface {
	// read adds an event to the answer. failed says that the event is an error of the server's, in another form than
	// those of fields.isError; reason is the JSON in it that says why, nil for all of it.
	read(a *answer, event fields) (reason []byte, failed bool)
}

// answer is one answer as far as it came, in the form that all formats have in common.
type answer struct {
	events []Event // not given yet
	think  thinkSplitter
	calls  toolCalls
	usage  *pricing.Usage // as it was reported last, nil before
	finish string         // the reason of its end
	whole  bool           // it came in one piece
	began  bool           // a part of it came
	done   bool           // the server said that it is complete: nothing that follows counts
	keepID bool           // the id that the server gives it is kept among its unknown keys
	extra  extra
}

// take gives the events that were not given yet.
func (a *answer) take() []Event {
	events := a.events
	a.events = nil
	return events
}

// end closes the answer: what was held back comes out, then how it ended.
func (a *answer) end(done bool) ([]Event, Finished) {
	f := Finished{Reason: a.finish, End: NoDone, Extra: a.extra.json()}
	if done || a.done || a.whole || a.finish != "" {
		f.End = Done
	}
	return append(a.take(), a.think.end()...), f
}

// text adds a piece of the text, which may hold reasoning.
func (a *answer) text(piece string) { a.events = append(a.events, a.think.add(piece)...) }

// refusal adds a piece of the text in which the model says that it does not answer.
func (a *answer) refusal(piece string) {
	if piece != "" {
		a.events = append(a.events, TextDelta{piece})
	}
}

func (a *answer) reasoning(piece string) {
	if piece != "" {
		a.events = append(a.events, ReasoningDelta{piece})
	}
}

// call adds a piece of a tool call and gives the number of the call in the answer.
func (a *answer) call(f fragment) int {
	at, deltas := a.calls.add(f)
	for _, d := range deltas {
		a.events = append(a.events, d)
	}
	return at
}

// report adds what the server says of the usage, unless it said the same before.
func (a *answer) report(usage any) {
	if u, ok := usageOf(usage); ok && (a.usage == nil || u != *a.usage) {
		a.usage = new(u)
		a.events = append(a.events, UsageReport{u})
	}
}

// id keeps the id of the answer where a later request names it.
func (a *answer) id(raw json.RawMessage) {
	if a.keepID {
		a.extra.chunk.keep("id", raw)
	}
}

// message adds a message, or a piece of one, as Chat Completions and Ollama send it.
func (a *answer) message(message fields) {
	visible, thought := texts(message.value("content"))
	reasoning := message.text("reasoning")
	if s := message.text("reasoning_content"); s != "" {
		reasoning = s // Where both are there they are the same.
	}
	a.reasoning(reasoning + thought)
	a.text(visible)
	a.refusal(message.text("refusal"))
	var calls []fields
	_ = json.Unmarshal(message["tool_calls"], &calls) // What is no call stays nil.
	for _, call := range calls {
		a.messageCall(call)
	}
	a.extra.message.keepUnknown(message, messageKeys)
}

func (a *answer) messageCall(call fields) {
	f := fragment{index: -1, id: call.text("id")}
	if n, ok := whole(call.value("index")); ok {
		f.index = n
	}
	function := call.object("function")
	f.name = function.text("name")
	if f.arguments = function.text("arguments"); isObject(function["arguments"]) {
		f.arguments = string(function["arguments"]) // from a server that does not stream them
	}
	a.extra.call(a.call(f)).keepUnknown(call, callKeys)
}

// texts is a content as text: a string, or a list of parts of which some are thought.
func texts(content any) (visible, thought string) {
	if s, ok := content.(string); ok {
		return s, ""
	}
	list, _ := content.([]any)
	for _, item := range list {
		part := object(item)
		for _, piece := range []any{item, part["text"]} {
			s, _ := piece.(string)
			visible += s
		}
		inner, _ := texts(part["thinking"])
		thought += inner
	}
	return visible, thought
}

// chunkKeys are the keys of a chunk of Chat Completions that are read, or say nothing.
var chunkKeys = map[string]bool{
	"id": true, "created": true, "model": true, "object": true, "choices": true, "usage": true, "error": true,
}

// read takes a chunk, or an answer in one piece.
func (chatWire) read(a *answer, chunk fields) (reason []byte, failed bool) {
	usage, known := chunk["usage"]
	if known = known || chunk["choices"] != nil; !known && chunk.complains() {
		return nil, true
	}
	if !isObject(usage) {
		usage = chunk.object("x_groq")["usage"]
	}
	var choices []choice // The last chunk of a stream holds the usage and no choice.
	_ = json.Unmarshal(chunk["choices"], &choices)
	if len(choices) > 0 {
		if choices[0].fails() {
			return nil, true
		}
		a.choice(choices[0])
	}
	a.began = a.began || known
	a.id(chunk["id"])
	a.extra.chunk.keepUnknown(chunk, chunkKeys)
	a.report(decoded(usage))
	return nil, false
}

// choice is a delta, or the message of an answer in one piece.
type choice struct {
	FinishReason any             `json:"finish_reason"`
	Error        json.RawMessage `json:"error"`
	Delta        fields          `json:"delta"`
	Message      fields          `json:"message"`
}

// fails says that the choice is an error of which the server may say nothing else.
func (c choice) fails() bool { return !isBlank(c.Error) || scalar(c.FinishReason) == "error" }

func (a *answer) choice(c choice) {
	if reason := scalar(c.FinishReason); reason != "" {
		a.finish = reason
	}
	if len(c.Delta) == 0 && c.Message != nil {
		c.Delta, a.whole = c.Message, true
	}
	a.message(c.Delta)
}
