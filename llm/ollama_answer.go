package llm

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
)

// ollamaKeys are the keys of a line of Ollama's own format that are read, or say nothing.
var ollamaKeys = map[string]bool{
	"message": true, "done": true, "done_reason": true, "prompt_eval_count": true, "eval_count": true,
	"model": true, "created_at": true, "error": true,
}

// read takes one line.
func (ollamaWire) read(a *answer, line fields) (reason []byte, failed bool) {
	message := line.object("message")
	a.done = string(line["done"]) == "true"
	if message == nil && !a.done {
		return nil, line.complains()
	}
	a.began = true
	a.extra.chunk.keepUnknown(line, ollamaKeys)
	a.ollamaMessage(message)
	a.finish = scalar(line.value("done_reason"))
	if a.done {
		// A count that is missing stays so: old servers leave out the prompt's where they had it in their cache.
		a.report(map[string]any{
			"prompt_tokens":     line.value("prompt_eval_count"),
			"completion_tokens": line.value("eval_count"),
		})
	}
	return nil, false
}

// ollamaMessage adds a piece of a message. Each call in it comes whole: they are numbered here, since old servers give
// every one the index 0, and one without an id gets one.
func (a *answer) ollamaMessage(message fields) {
	var calls []fields
	_ = json.Unmarshal(message["tool_calls"], &calls) // What is no call stays nil.
	if thinking := message["thinking"]; thinking != nil {
		message["reasoning"] = thinking
	}
	delete(message, "thinking")
	delete(message, "tool_calls")
	a.message(message)
	for _, call := range calls {
		if call == nil {
			continue
		}
		if call.text("id") == "" {
			call["id"] = json.RawMessage(`"` + newCallID() + `"`)
		}
		call["index"] = strconv.AppendInt(nil, int64(len(a.calls.calls)), 10)
		a.messageCall(call)
	}
}

// newCallID is an id as newer servers of Ollama make them.
func newCallID() string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	id := []byte("call_")
	for range 8 {
		id = append(id, letters[rand.IntN(len(letters))])
	}
	return string(id)
}
