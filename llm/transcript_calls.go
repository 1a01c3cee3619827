package llm

import "winnow/history"

// toolCalls takes the calls as they are: blank ids, doubled ids and broken arguments are mended when
// a request is planned, and never here.
func (m *saying) toolCalls(raw []byte) {
	if raw[0] != '[' {
		m.leave("tool_calls", raw, "is "+kindOf(raw)+", not a list")
		return
	}
	for call := range items(raw) {
		if call[0] != '{' {
			m.leave("tool_calls", raw, "holds "+kindOf(call)+" among its calls")
			break
		}
	}
	for call := range items(raw) {
		if call[0] == '{' {
			m.call(call)
		}
	}
}

// call takes one call, with a function inside it or, as some programs write it, flat.
func (m *saying) call(raw []byte) {
	var c history.ToolCall
	var extra, function rawObject
	for name, value := range pairs(raw) {
		ok := false
		switch key := unquote(name); key {
		case "id":
			c.ID, ok = scalarText(value)
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
			extra.add(name, value)
		}
	}
	if len(function) > 0 {
		extra.keep("function", function)
	}
	m.extra.calls = append(m.extra.calls, slotExtra{len(m.ToolCalls), extra})
	m.ToolCalls = append(m.ToolCalls, c)
}

// functionCall takes a call in the form that was there before tool_calls: without an id, one a
// message.
func (m *saying) functionCall(raw []byte) {
	if raw[0] != '{' {
		m.leave("function_call", raw, "is "+kindOf(raw)+", not an object")
		return
	}
	var c history.ToolCall
	var extra rawObject
	callFunction(&c, &extra, raw)
	m.extra.calls = append(m.extra.calls, slotExtra{len(m.ToolCalls), extra})
	m.ToolCalls = append(m.ToolCalls, c)
}

func callFunction(c *history.ToolCall, extra *rawObject, raw []byte) {
	for name, value := range pairs(raw) {
		if !callField(c, unquote(name), value) {
			extra.add(name, value)
		}
	}
}

// callField takes a call's name or arguments. Arguments that are not a text are taken as their JSON
// stands in the file.
func callField(c *history.ToolCall, key string, raw []byte) bool {
	switch {
	case key == "arguments" && raw[0] == '"':
		c.Arguments = unquote(raw)
	case key == "arguments":
		c.Arguments = string(raw)
	case key == "name" && raw[0] == '"':
		c.Name = unquote(raw)
	default:
		return false
	}
	return true
}

// scalarText is a text or a number as text.
func scalarText(raw []byte) (string, bool) {
	switch {
	case raw[0] == '"':
		return unquote(raw), true
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return string(raw), true
	}
	return "", false
}
