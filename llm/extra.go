package llm

import "encoding/json"

// The keys that winnow writes itself or reads by itself. All others of an answer are kept raw: some servers
// require theirs in later requests.
var (
	messageKeys = map[string]bool{
		"role": true, "content": true, "reasoning_content": true, "reasoning": true, "refusal": true, "tool_calls": true,
		"tool_call_id": true, "name": true, "cache_control": true,
	}
	callKeys = map[string]bool{"index": true, "id": true, "type": true, "function": true}
)

// extra holds the unknown keys of an answer: those beside the choices, those beside the content, and those of
// the calls.
type extra struct {
	chunk, message pieces
	calls          map[int]*pieces
}

// pieces are the values of keys in the order in which they came.
type pieces map[string][]json.RawMessage

// keepUnknown takes the values of an object that have keys which are not known.
func (p *pieces) keepUnknown(object fields, known map[string]bool) {
	for key, value := range object {
		if !known[key] {
			p.keep(key, value)
		}
	}
}

// keep takes a value. Lists and objects are collected; of anything else the last one counts, for some servers
// send a new one with every chunk.
func (p *pieces) keep(key string, value json.RawMessage) {
	if len(value) == 0 || string(value) == "null" {
		return
	}
	if *p == nil {
		*p = make(pieces)
	}
	if value[0] != '[' && value[0] != '{' {
		(*p)[key] = nil
	}
	(*p)[key] = append((*p)[key], value)
}

// call has the keys of a tool call.
func (x *extra) call(index int) *pieces {
	if x.calls == nil {
		x.calls = make(map[int]*pieces)
	}
	if x.calls[index] == nil {
		x.calls[index] = new(pieces)
	}
	return x.calls[index]
}

// json is all of it as one object with its keys in order, nil for nothing.
func (x *extra) json() json.RawMessage {
	all := make(map[string]any)
	if x.chunk != nil {
		all["chunk"] = x.chunk.merged()
	}
	if x.message != nil {
		all["message"] = x.message.merged()
	}
	calls := make(map[int]any)
	for index, p := range x.calls {
		if *p != nil {
			calls[index] = p.merged()
		}
	}
	if len(calls) > 0 {
		all["tool_calls"] = calls
	}
	if len(all) == 0 {
		return nil
	}
	raw, err := encode(all)
	if err != nil {
		return nil // Only values that were read from JSON are in it.
	}
	return raw
}

func (p pieces) merged() map[string]any {
	all := make(map[string]any, len(p))
	for key, values := range p {
		all[key] = merge(values)
	}
	return all
}

// merge joins what came for one key: lists are joined, objects merged key by key. Where the values are of
// several kinds, the last one counts.
func merge(values []json.RawMessage) any {
	last := values[len(values)-1]
	if len(values) == 1 {
		return last
	}
	var list []json.RawMessage
	keys := make(pieces)
	for _, value := range values {
		if value[0] != last[0] {
			return last
		}
		var items []json.RawMessage
		_ = json.Unmarshal(value, &items) // An object has none,
		list = append(list, items...)
		var object fields
		_ = json.Unmarshal(value, &object) // and a list has no keys.
		for key, v := range object {
			keys[key] = append(keys[key], v)
		}
	}
	if list != nil {
		return list
	}
	return keys.merged()
}
