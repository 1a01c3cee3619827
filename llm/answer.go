package llm

import (
	"encoding/json"

	"winnow/llm/pricing"
)

// answer decodes the chunks of one answer and turns them into events.
type answer struct {
	think  thinkSplitter
	calls  toolCalls
	usage  *pricing.Usage // as it was reported last, nil before
	finish string
	whole  bool // it came in one piece
	began  bool // a part of it came
	keepID bool // the id that the server gives it is kept among its unknown keys
	extra  extra
}

// add takes one chunk, which is valid JSON. Refused says that it is an error and not a part of an answer. What
// is no object carries nothing, but a list may hold an error, as Gemini's does.
func (a *answer) add(raw json.RawMessage) (events []Event, refused bool) {
	for first := range elements(raw) {
		if first[0] == '{' {
			_, refused = new(answer).add(first)
		}
		return nil, refused
	}
	if raw[0] != '{' {
		return nil, false
	}
	var choice, usage json.RawMessage
	answers, complains := false, false
	for key, value := range members(raw) {
		switch key {
		case "id":
			if a.keepID {
				a.extra.chunk.keep(key, value)
			}
		case "created", "model":
		case "choices":
			answers = true
			for first := range elements(value) {
				choice = first
				break // The last chunk of a stream holds the usage and no choice.
			}
		case "usage":
			answers = true
			if value[0] == '{' {
				usage = value
			}
		case "x_groq":
			a.extra.chunk.keep(key, value)
			for key, value := range members(value) {
				if key == "usage" && usage == nil {
					usage = value
				}
			}
		case "object":
			refused = refused || text(value) == "error"
		case "error":
			refused = refused || !isBlank(value)
		default:
			a.extra.chunk.keep(key, value)
			refused = refused || key == "type" && text(value) == "error"
			complains = complains || key == "message" || key == "detail" || key == "errors"
		}
	}
	if refused || complains && !answers {
		return nil, true
	}
	if events, refused = a.choice(choice); refused {
		return nil, true
	}
	a.began = a.began || answers
	if u, ok := usageOf(decoded(usage)); ok && (a.usage == nil || u != *a.usage) {
		a.usage = new(u)
		events = append(events, UsageReport{u})
	}
	return events, false
}

// isBlank says that a value is none: some servers send an error with each chunk.
func isBlank(raw json.RawMessage) bool {
	switch string(raw) {
	case "null", `""`, "false", "{}":
		return true
	}
	return false
}

// end closes the answer: what was held back comes out, then how it ended.
func (a *answer) end(done bool) ([]Event, Finished) {
	f := Finished{Reason: a.finish, End: NoDone, Extra: a.extra.json()}
	if done || a.whole || a.finish != "" {
		f.End = Done
	}
	return a.think.end(), f
}

// choice takes a delta, or the message of an answer in one piece. A choice may hold or be an error of which the
// server says nothing else.
func (a *answer) choice(raw json.RawMessage) (events []Event, refused bool) {
	var message json.RawMessage
	for key, value := range members(raw) {
		switch key {
		case "finish_reason":
			switch s := scalar(decoded(value)); s {
			case "":
			case "error":
				refused = true
			default:
				a.finish = s
			}
		case "error":
			refused = refused || !isBlank(value)
		case "delta":
			if !isBlank(value) {
				message = value
			}
		case "message":
			if message == nil {
				message, a.whole = value, true
			}
		}
	}
	return a.message(message), refused
}

func (a *answer) message(raw json.RawMessage) (events []Event) {
	var visible, thought, reasoning, refusal string
	var calls json.RawMessage
	for key, value := range members(raw) {
		switch key {
		case "role", "name", "tool_call_id":
		case "content":
			visible, thought = parts(value)
		case "reasoning_content", "reasoning":
			if s := text(value); s != "" {
				reasoning = s // Where both are there they are the same.
			}
		case "refusal":
			refusal = text(value)
		case "tool_calls":
			calls = value
		default:
			a.extra.message.keep(key, value)
		}
	}
	if reasoning += thought; reasoning != "" {
		events = append(events, ReasoningDelta{reasoning})
	}
	events = append(events, a.think.add(visible)...)
	if refusal != "" {
		events = append(events, TextDelta{refusal})
	}
	for call := range elements(calls) {
		events = append(events, a.call(call)...)
	}
	return events
}

func (a *answer) call(raw json.RawMessage) (events []Event) {
	f := fragment{index: -1}
	for key, value := range members(raw) {
		switch key {
		case "index":
			if n, ok := whole(decoded(value)); ok {
				f.index = n
			}
		case "id":
			f.id = text(value)
		case "function":
			for key, value := range members(value) {
				switch {
				case key == "name":
					f.name = text(value)
				case key == "arguments" && value[0] == '{':
					f.arguments = string(value) // from a server that does not stream them
				case key == "arguments":
					f.arguments = text(value)
				}
			}
		}
	}
	at, deltas := a.calls.add(f)
	for _, d := range deltas {
		events = append(events, d)
	}
	for key, value := range members(raw) {
		if !callKeys[key] {
			a.extra.call(at).keep(key, value)
		}
	}
	return events
}

// parts is a content as text: a string, or a list of parts of which some are thought.
func parts(raw json.RawMessage) (visible, thought string) {
	if raw[0] == '"' {
		return text(raw), ""
	}
	return joined(decoded(raw))
}

func joined(v any) (visible, thought string) {
	list, _ := v.([]any)
	for _, item := range list {
		part := object(item)
		for _, piece := range []any{item, part["text"]} {
			s, _ := piece.(string)
			visible += s
		}
		inner, _ := joined(part["thinking"])
		s, _ := part["thinking"].(string)
		thought += inner + s
	}
	return visible, thought
}
