package llm

import (
	"encoding/json"
	"strconv"
)

// What the known keys of an answer are. All others are kept raw: some servers want theirs back.
var (
	chunkKeys = map[string]bool{
		"id": true, "object": true, "created": true, "model": true, "choices": true, "usage": true, "error": true,
	}
	messageKeys = map[string]bool{
		"role": true, "content": true, "reasoning_content": true, "reasoning": true, "refusal": true, "tool_calls": true,
		"tool_call_id": true, "name": true, // not an answer's, but a message's: see withReplay
	}
	callKeys = map[string]bool{"index": true, "id": true, "type": true, "function": true}
)

// extra holds the unknown keys of an answer in three places: "chunk" for the keys beside the
// choices, "message" for those beside the content, "tool_calls" for those of the calls by slot.
type extra struct {
	places map[string]pieces
	calls  map[string]pieces
}

// pieces are the values of keys in the order in which they came.
type pieces map[string][]json.RawMessage

// keep takes the keys of an object that are not known.
func (x *extra) keep(where string, object map[string]json.RawMessage, known map[string]bool) {
	x.places = keep(x.places, where, object, known)
}

// grows says that keeping the unknown keys of a chunk and its delta once more would add to them:
// lists and objects are collected, of anything else the last one counts.
func (x *extra) grows(chunk, delta map[string]json.RawMessage) bool {
	collected := func(object map[string]json.RawMessage, known map[string]bool) bool {
		for key, value := range object {
			if !known[key] && len(value) > 0 && (value[0] == '[' || value[0] == '{') {
				return true
			}
		}
		return false
	}
	return collected(chunk, chunkKeys) || collected(delta, messageKeys)
}

// keepCall takes the keys of a tool call that are not known.
func (x *extra) keepCall(slot int, object map[string]json.RawMessage) {
	x.calls = keep(x.calls, strconv.Itoa(slot), object, callKeys)
}

func keep(places map[string]pieces, where string, object map[string]json.RawMessage, known map[string]bool) map[string]pieces {
	for key, value := range object {
		if known[key] || len(value) == 0 || string(value) == "null" {
			continue
		}
		if places == nil {
			places = make(map[string]pieces)
		}
		if places[where] == nil {
			places[where] = make(pieces)
		}
		if value[0] != '[' && value[0] != '{' {
			places[where][key] = []json.RawMessage{value} // Some servers send a new one with every chunk.
			continue
		}
		places[where][key] = append(places[where][key], value)
	}
	return places
}

// json is all of it as one object with its keys in order, nil for nothing.
func (x *extra) json() json.RawMessage {
	if len(x.places) == 0 && len(x.calls) == 0 {
		return nil
	}
	all := make(map[string]any, len(x.places)+1)
	for where, p := range x.places {
		all[where] = p.merged()
	}
	if len(x.calls) > 0 {
		calls := make(map[string]any, len(x.calls))
		for slot, p := range x.calls {
			calls[slot] = p.merged()
		}
		all["tool_calls"] = calls
	}
	raw, err := encode(all)
	if err != nil {
		return nil // Only values that were read from JSON are in it.
	}
	return raw
}

// merged joins what belongs to one key: lists are joined, objects merged key by key, and of
// anything else the last one counts.
func (p pieces) merged() map[string]any {
	all := make(map[string]any, len(p))
	for key, values := range p {
		all[key] = merge(values)
	}
	return all
}

func merge(values []json.RawMessage) any {
	last := values[len(values)-1]
	if len(values) == 1 {
		return last
	}
	var list []json.RawMessage
	keys := make(pieces)
	for _, value := range values {
		var more []json.RawMessage
		if value[0] != last[0] {
			return last
		}
		if value[0] == '{' {
			for key, v := range members(value) {
				keys[key] = append(keys[key], v)
			}
			continue
		}
		if json.Unmarshal(value, &more) != nil {
			return last
		}
		list = append(list, more...)
	}
	switch last[0] {
	case '[':
		return list
	case '{':
		return keys.merged()
	}
	return last
}
