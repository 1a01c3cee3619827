package guide

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// tool is a function that the request offers.
type tool struct {
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters"`
}

// offered are the tools that the request allows to call.
func (r request) offered() []tool {
	if string(r.ToolChoice) == `"none"` {
		return nil
	}
	var all []tool
	for _, raw := range r.Tools {
		var t struct {
			Function tool `json:"function"`
		}
		if json.Unmarshal(raw, &t) == nil && t.Function.Name != "" {
			all = append(all, t.Function)
		}
	}
	return all
}

// tool finds an offered tool; "" finds the first.
func (r request) tool(name string) (tool, bool) {
	for _, t := range r.offered() {
		if name == "" || t.Name == name {
			return t, true
		}
	}
	return tool{}, false
}

// arguments are the least that the tool's schema wants: its required properties, the first text
// among them being the question.
func (t tool) arguments(question string) string {
	var schema struct {
		Properties map[string]struct {
			Type string            `json:"type"`
			Enum []json.RawMessage `json:"enum"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	_ = json.Unmarshal(t.Parameters, &schema) // a schema that says nothing wants nothing
	values := map[string]any{}
	for _, name := range schema.Required {
		p := schema.Properties[name]
		switch {
		case len(p.Enum) > 0:
			values[name] = p.Enum[0]
		case p.Type == "integer" || p.Type == "number":
			values[name] = 1
		case p.Type == "boolean":
			values[name] = true
		case p.Type == "array":
			values[name] = []any{}
		case p.Type == "object":
			values[name] = map[string]any{}
		default:
			values[name] = question
		}
	}
	b, err := json.Marshal(values)
	if err != nil {
		return "{}"
	}
	return string(b)
}

// useTool calls a tool because the user asked for it: "/guide tool [NAME] [arguments]".
func (x *exchange) useTool(wanted string) {
	name, rest, _ := strings.Cut(wanted, " ")
	t, ok := x.req.tool(name)
	if !ok && name != "" {
		t, ok = x.req.tool("")
		rest = wanted
	}
	if !ok {
		x.reply(Signature + " This request offers me no tools, so there is nothing to call.")
		return
	}
	rest = strings.TrimSpace(rest)
	if isObject(rest) {
		x.callTool(t, rest)
		return
	}
	if rest == "" {
		rest = "context panel"
	}
	x.callTool(t, t.arguments(rest))
}

func (x *exchange) callTool(t tool, arguments string) {
	x.begin()
	x.call(0, x.callID(0), t.Name, arguments)
	x.end("tool_calls")
}

// callID is an id that no other answer of the conversation has: it comes from the request, and no
// two requests of one conversation are the same.
func (x *exchange) callID(n int) string { return fmt.Sprintf("call_%s%02d", x.id[:14], n) }

// longestResult is the most code points quoted of a tool's result.
const longestResult = 1500

// toolAnswer answers from the results of the newest tool calls.
func toolAnswer(messages []message) string {
	calls := len(messages) - 1
	for calls > 0 && messages[calls].Role == "tool" {
		calls--
	}
	var b strings.Builder
	b.WriteString(Signature)
	for _, result := range messages[calls+1:] {
		name := "the tool"
		if i := slices.IndexFunc(messages[calls].ToolCalls, func(c toolCall) bool { return c.ID == result.ToolCallID }); i >= 0 {
			name = messages[calls].ToolCalls[i].Function.Name
		}
		text := strings.TrimSpace(result.text())
		more := ""
		if runes := []rune(text); len(runes) > longestResult {
			text = string(runes[:longestResult])
			more = fmt.Sprintf("\n\n(The first %d of %d characters.)", longestResult, len(runes))
		}
		fmt.Fprintf(&b, "\n\n**%s** answered:\n\n%s%s", name, quoted(text), more)
	}
	return b.String()
}

// quoted is text as a Markdown quotation.
func quoted(text string) string {
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}

func isObject(arguments string) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal([]byte(arguments), &object) == nil && object != nil
}
