package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"winnow/llm/pricing"
)

// answer reads the chunks of one answer and turns them into events.
type answer struct {
	think  thinkSplitter
	slots  slots
	usage  pricing.Usage
	told   bool // usage came
	finish string
	extra  extra
	shape  shape // of the newest chunk
}

// add takes one chunk. It is an error where the chunk is not an object.
func (a *answer) add(raw []byte) ([]Event, error) {
	if said, ok := a.shape.text(raw); ok {
		return a.think.add(said), nil
	}
	a.shape.forget()
	var chunk map[string]json.RawMessage
	if err := json.Unmarshal(raw, &chunk); err != nil {
		return nil, fmt.Errorf("read a part of the answer: %w", err)
	}
	a.extra.keep("chunk", chunk, chunkKeys)
	var events []Event
	// The last chunk of a stream holds the usage and no choice.
	var choices []map[string]json.RawMessage
	if json.Unmarshal(chunk["choices"], &choices) == nil && len(choices) > 0 {
		events = a.choice(choices[0])
		delta := members(choices[0]["delta"])
		a.shape.learn(raw, delta, len(choices) == 1 && onlySays(delta) && !a.extra.grows(chunk, delta))
	}
	if u, ok := usageOf(chunk); ok && (!a.told || u != a.usage) {
		a.usage, a.told = u, true
		events = append(events, UsageReport{u})
	}
	return events, nil
}

// onlySays says that a delta adds nothing but text.
func onlySays(delta map[string]json.RawMessage) bool {
	for key, value := range delta {
		switch key {
		case "role", "content":
		case "tool_calls", "reasoning_content", "reasoning", "refusal":
			if string(value) != "null" && string(value) != `""` && string(value) != "[]" {
				return false
			}
		}
	}
	return true
}

// end closes the answer: what was held back comes out, then how it ended.
func (a *answer) end(whole bool) ([]Event, Finished) {
	f := Finished{Reason: a.finish, End: NoDone, Extra: a.extra.json()}
	if whole {
		f.End = Done
	}
	return a.think.end(), f
}

// choice takes a delta, or the message of an answer in one piece.
func (a *answer) choice(choice map[string]json.RawMessage) []Event {
	if s := scalar(choice["finish_reason"]); s != "" {
		a.finish = s
	}
	delta := members(choice["delta"])
	if delta == nil {
		delta = members(choice["message"])
	}
	if delta == nil {
		return nil
	}
	a.extra.keep("message", delta, messageKeys)
	var events []Event
	reasoning := text(delta["reasoning_content"])
	if reasoning == "" {
		reasoning = text(delta["reasoning"])
	}
	said, thought := parts(delta["content"])
	if reasoning += thought; reasoning != "" {
		events = append(events, ReasoningDelta{reasoning})
	}
	events = append(events, a.think.add(said)...)
	if refusal := text(delta["refusal"]); refusal != "" {
		events = append(events, TextDelta{refusal})
	}
	return append(events, a.calls(delta["tool_calls"])...)
}

func (a *answer) calls(raw json.RawMessage) []Event {
	var calls []map[string]json.RawMessage
	if json.Unmarshal(raw, &calls) != nil {
		return nil
	}
	var events []Event
	for _, call := range calls {
		f := fragment{index: -1, id: text(call["id"])}
		if n, ok := whole(call["index"]); ok {
			f.index = n
		}
		function := members(call["function"])
		f.name = text(function["name"])
		f.arguments = arguments(function["arguments"])
		at, deltas := a.slots.add(f)
		for _, d := range deltas {
			events = append(events, d)
		}
		a.extra.keepCall(at, call)
	}
	return events
}

// members is a JSON object's, nil for anything else.
func members(raw json.RawMessage) map[string]json.RawMessage {
	var object map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &object) != nil {
		return nil
	}
	return object
}

// text is a JSON string, "" for anything else.
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// whole is a JSON number that is whole and not negative.
func whole(raw json.RawMessage) (int, bool) {
	var n *int
	if len(raw) == 0 || json.Unmarshal(raw, &n) != nil || n == nil || *n < 0 {
		return 0, false
	}
	return *n, true
}

// arguments are a piece of text, or, from servers that do not stream them, an object.
func arguments(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '{' {
		return string(raw)
	}
	return text(raw)
}

// parts is a content as text: a string, or a list of parts of which some are thought.
func parts(raw json.RawMessage) (said, thought string) {
	if len(raw) == 0 {
		return "", ""
	}
	if raw[0] != '[' {
		return text(raw), ""
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return "", ""
	}
	var s, t strings.Builder
	for _, item := range list {
		part := members(item)
		if part == nil {
			s.WriteString(text(item))
			continue
		}
		s.WriteString(text(part["text"]))
		if thinking, ok := part["thinking"]; ok {
			inner, _ := parts(thinking)
			t.WriteString(inner)
		}
	}
	return s.String(), t.String()
}
