package ollama

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Answer turns the lines of one streamed answer into chunks of Chat Completions. The zero value is ready.
type Answer struct {
	calls int // that came so far
}

// lineKeys are the keys of a line that are translated, or say nothing.
var lineKeys = map[string]bool{
	"message": true, "done": true, "done_reason": true, "prompt_eval_count": true, "eval_count": true,
	"model": true, "created_at": true,
}

// Chunks takes one line, which is valid JSON. Done says that the answer is complete. What is no part of an answer,
// such as an error, is handed on as it is.
func (a *Answer) Chunks(data []byte) (chunks [][]byte, done bool) {
	var line, message map[string]json.RawMessage
	if json.Unmarshal(data, &line) != nil || line["error"] != nil {
		return [][]byte{data}, false
	}
	done = string(line["done"]) == "true"
	if raw := line["message"]; raw != nil && json.Unmarshal(raw, &message) != nil || message == nil && !done {
		return [][]byte{data}, false
	}
	var b, choice object
	for _, key := range slices.Sorted(maps.Keys(line)) {
		if !lineKeys[key] {
			b.add(key, line[key])
		}
	}
	choice.add("delta", a.delta(message))
	if reason := line["done_reason"]; reason != nil {
		choice.add("finish_reason", reason)
	}
	b.add("choices", list(choice.json()))
	chunks = [][]byte{b.json()}
	if done {
		chunks = append(chunks, usage(line))
	}
	return chunks, done
}

// usage is the chunk with the counts. A count that is missing stays so: old servers leave out the prompt's where
// they had it in their cache.
func usage(line map[string]json.RawMessage) []byte {
	var counts, b object
	for _, count := range []struct{ theirs, ours string }{{"prompt_eval_count", "prompt_tokens"}, {"eval_count", "completion_tokens"}} {
		if n := line[count.theirs]; n != nil {
			counts.add(count.ours, n)
		}
	}
	b.add("choices", []byte("[]"))
	b.add("usage", counts.json())
	return b.json()
}

// delta is a message of a line as a delta.
func (a *Answer) delta(message map[string]json.RawMessage) []byte {
	var b object
	for _, key := range slices.Sorted(maps.Keys(message)) {
		switch value := message[key]; key {
		case "thinking":
			b.add("reasoning", value)
		case "tool_calls":
			b.add(key, a.toolCalls(value))
		default:
			b.add(key, value)
		}
	}
	return b.json()
}

// toolCalls numbers calls: each comes whole, and old servers give every one the index 0. One without an id gets one.
// Its arguments keep their bytes.
func (a *Answer) toolCalls(raw json.RawMessage) []byte {
	var calls []map[string]json.RawMessage
	if json.Unmarshal(raw, &calls) != nil {
		return raw
	}
	var written [][]byte
	for _, call := range calls {
		var b object
		for _, key := range slices.Sorted(maps.Keys(call)) {
			if key != "index" && key != "id" {
				b.add(key, call[key])
			}
		}
		id := call["id"]
		if id == nil || string(id) == `""` || string(id) == "null" {
			id = []byte(`"` + newID() + `"`)
		}
		b.add("id", id)
		b.add("index", strconv.AppendInt(nil, int64(a.calls), 10))
		a.calls++
		written = append(written, b.json())
	}
	return list(written...)
}

// newID is an id as newer servers make them.
func newID() string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	id := []byte("call_")
	for range 8 {
		id = append(id, letters[rand.IntN(len(letters))])
	}
	return string(id)
}

// object writes a JSON object whose values keep their bytes, which json.Marshal would not.
type object struct{ bytes.Buffer }

func (o *object) add(key string, value []byte) {
	quoted, _ := json.Marshal(key) // A string always encodes.
	if o.Len() > 0 {
		o.WriteByte(',')
	}
	o.Write(quoted)
	o.WriteByte(':')
	o.Write(value)
}

func (o *object) json() []byte { return []byte("{" + o.String() + "}") }

func list(values ...[]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(values, []byte{','})...), ']')
}
