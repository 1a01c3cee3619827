package openai

import (
	"winnow/history/message"
	"winnow/session/transfer/rawjson"
)

// toolCalls takes the calls as they are: blank ids, doubled ids and broken arguments are repaired when
// a request is planned, and never here.
func (m *messageReader) toolCalls(raw []byte) {
	if raw[0] != '[' {
		m.leave("tool_calls", raw, "is "+rawjson.Kind(raw)+", not a list")
		return
	}
	for call := range rawjson.Items(raw) {
		if call[0] != '{' {
			m.leave("tool_calls", raw, "holds "+rawjson.Kind(call)+" among its calls")
			break
		}
	}
	for call := range rawjson.Items(raw) {
		if call[0] == '{' {
			m.call(call)
		}
	}
}

// call takes one call, with a function inside it or, as some programs write it, flat.
func (m *messageReader) call(raw []byte) {
	var c message.ToolCall
	var extra, function rawjson.Object
	for name, value := range rawjson.Members(raw) {
		ok := false
		switch key := rawjson.Unquote(name); key {
		case "id":
			c.ID, ok = rawjson.Scalar(value)
		case "type":
			ok = string(value) == `"function"`
		case "function":
			if ok = value[0] == '{'; ok {
				callFunction(&c, &function, value)
			}
		case "name", "arguments":
			ok = callField(&c, key, value)
		}
		if !ok {
			extra.Add(name, value)
		}
	}
	if len(function) > 0 {
		extra.Set("function", function)
	}
	m.extra.calls = append(m.extra.calls, slotExtra{len(m.ToolCalls), extra})
	m.ToolCalls = append(m.ToolCalls, c)
}

// functionCall takes a call in the form that was there before tool_calls: without an id, one a
// message.
func (m *messageReader) functionCall(raw []byte) {
	if raw[0] != '{' {
		m.leave("function_call", raw, "is "+rawjson.Kind(raw)+", not an object")
		return
	}
	var c message.ToolCall
	var extra rawjson.Object
	callFunction(&c, &extra, raw)
	m.extra.calls = append(m.extra.calls, slotExtra{len(m.ToolCalls), extra})
	m.ToolCalls = append(m.ToolCalls, c)
}

func callFunction(c *message.ToolCall, extra *rawjson.Object, raw []byte) {
	for name, value := range rawjson.Members(raw) {
		if !callField(c, rawjson.Unquote(name), value) {
			extra.Add(name, value)
		}
	}
}

// callField takes a call's name or arguments. Arguments that are not a text are taken as the JSON
// that is in the file.
func callField(c *message.ToolCall, key string, raw []byte) bool {
	switch {
	case key == "arguments" && raw[0] == '"':
		c.Arguments = rawjson.Unquote(raw)
	case key == "arguments":
		c.Arguments = string(raw)
	case key == "name" && raw[0] == '"':
		c.Name = rawjson.Unquote(raw)
	default:
		return false
	}
	return true
}
