package guide

import (
	"encoding/json"
	"strings"
	"testing"
)

func searchTool() map[string]any {
	return map[string]any{"type": "function", "function": map[string]any{
		"name": "search_docs", "description": "Searches the documentation.",
		"parameters": map[string]any{"type": "object", "properties": map[string]any{"query": map[string]any{"type": "string"}, "page": map[string]any{"type": "string"}}, "required": []string{"query"}},
	}}
}

func otherTool() map[string]any {
	return map[string]any{"type": "function", "function": map[string]any{
		"name": "set_lamp",
		"parameters": map[string]any{"type": "object", "properties": map[string]any{
			"room": map[string]any{"type": "string"},
			"hue":  map[string]any{"type": "string"},
		}, "required": []string{"room", "hue"}},
	}}
}

func TestGuideCallsTheOfferedSearchAndAnswersFromItsResult(t *testing.T) {
	g := newGuide()
	offer := map[string]any{"tools": []any{otherTool(), searchTool()}}
	messages := []map[string]any{user("/guide tool search_docs what is the panel?")}
	asked := ask(t, g, messages, offer)
	if asked.finish != "tool_calls" || len(asked.calls) != 1 || asked.text != "" {
		t.Fatalf("finish %q, calls %+v, text %q; want one call", asked.finish, asked.calls, asked.text)
	}
	call := asked.calls[0]
	if call.Function.Name != "search_docs" || call.Function.Arguments != `{"query":"what is the panel?"}` || call.Type != "function" || !goodID(call.ID) {
		t.Fatalf("call is %+v", call)
	}
	call.Index = nil
	messages = append(messages,
		map[string]any{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{"id": call.ID, "type": "function", "function": call.Function}}},
		map[string]any{"role": "tool", "tool_call_id": call.ID, "content": "It shows the next request.\nLine two."})
	answer := ask(t, g, messages, offer)
	if want := Signature + "\n\n**search_docs** answered:\n\n> It shows the next request.\n> Line two."; answer.text != want || answer.finish != "stop" {
		t.Errorf("finish %q, got %q, want %q", answer.finish, answer.text, want)
	}
	messages = append(messages, assistant(answer.text), user("/guide tool search_docs what are presets?"))
	if again := ask(t, g, messages, offer); len(again.calls) != 1 || again.calls[0].ID == call.ID {
		t.Errorf("the second call is %+v, want one with another id than %s", again.calls, call.ID)
	}
}

func TestToolsAreLeftAloneWhereTheyDoNotFit(t *testing.T) {
	cases := []struct {
		name, text string
		more       map[string]any
	}{
		{"greeting", "hello", map[string]any{"tools": []any{searchTool()}}},
		{"a plain question", "what is the panel?", map[string]any{"tools": []any{otherTool(), searchTool()}}},
		{"none offered", "/guide tool", nil},
	}
	for _, c := range cases {
		if got := ask(t, newGuide(), []map[string]any{user(c.text)}, c.more); len(got.calls) != 0 || got.text == "" {
			t.Errorf("%s: calls %+v, text %q; want text", c.name, got.calls, got.text)
		}
	}
}

func TestGuideToolCallsWhatIsAsked(t *testing.T) {
	cases := []struct{ text, name, arguments string }{
		{"/guide tool", "set_lamp", `{"hue":"context panel","room":"context panel"}`},
		{"/guide tool the kitchen", "set_lamp", `{"hue":"the kitchen","room":"the kitchen"}`},
		{"/guide tool search_docs", "search_docs", `{"query":"context panel"}`},
		{"/guide tool search_docs pins", "search_docs", `{"query":"pins"}`},
		{`/guide tool search_docs {"query":"pins","page":"chat.md"}`, "search_docs", `{"query":"pins","page":"chat.md"}`},
	}
	for _, c := range cases {
		got := ask(t, newGuide(), []map[string]any{user(c.text)}, map[string]any{"tools": []any{otherTool(), searchTool()}})
		if len(got.calls) != 1 || got.calls[0].Function.Name != c.name || got.calls[0].Function.Arguments != c.arguments || got.finish != "tool_calls" {
			t.Errorf("%q: calls %+v, finish %q; want %s %s", c.text, got.calls, got.finish, c.name, c.arguments)
		}
	}
}

func TestLongToolResultIsQuotedInPart(t *testing.T) {
	messages := toolRound(strings.Repeat("ж", 2*longestResult))
	got := ask(t, newGuide(), messages, nil).text
	if !strings.Contains(got, "> "+strings.Repeat("ж", longestResult)+"\n\n(The first 1500 of 3000 characters.)") {
		t.Errorf("got %.200q… of %d bytes, want the first 1500 characters and a note", got, len(got))
	}
}

// toolRound is a conversation that ends in a tool's result.
func toolRound(result string) []map[string]any {
	return []map[string]any{
		user("search"),
		{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{"id": "call_1", "type": "function", "function": map[string]any{"name": "search_docs", "arguments": "{}"}}}},
		{"role": "tool", "tool_call_id": "call_1", "content": result},
	}
}

func TestGuideRefusesWhatStrictServersRefuse(t *testing.T) {
	call := func(id, name, arguments string) map[string]any {
		return map[string]any{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{"id": id, "type": "function", "function": map[string]any{"name": name, "arguments": arguments}}}}
	}
	result := func(id, text string) map[string]any {
		return map[string]any{"role": "tool", "tool_call_id": id, "content": text}
	}
	cases := []struct {
		name     string
		messages []map[string]any
		want     string
	}{
		{"no messages", []map[string]any{}, "empty array"},
		{"missing result", []map[string]any{user("a"), call("c1", "f", "{}"), user("b")}, "did not have response messages: c1"},
		{"missing result at the end", []map[string]any{user("a"), call("c1", "f", "{}")}, "did not have response messages: c1"},
		{"orphan result", []map[string]any{user("a"), result("c1", "x")}, "must be a response to a preceeding message"},
		{"result of another call", []map[string]any{user("a"), call("c1", "f", "{}"), result("c2", "x")}, "must be a response to a preceeding message"},
		{"doubled result", []map[string]any{user("a"), call("c1", "f", "{}"), result("c1", "x"), result("c1", "x")}, "must be a response to a preceeding message"},
		{"doubled id", []map[string]any{user("a"), call("c1", "f", "{}"), result("c1", "x"), call("c1", "f", "{}"), result("c1", "x")}, "ids must be unique"},
		{"bad id", []map[string]any{user("a"), call("c 1", "f", "{}"), result("c 1", "x")}, "should match pattern"},
		{"no name", []map[string]any{user("a"), call("c1", "", "{}"), result("c1", "x")}, "Missing tool call name"},
		{"broken arguments", []map[string]any{user("a"), call("c1", "f", `{"a":`), result("c1", "x")}, "invalid tool call arguments"},
		{"arguments no object", []map[string]any{user("a"), call("c1", "f", `null`), result("c1", "x")}, "invalid tool call arguments"},
		{"empty arguments", []map[string]any{user("a"), call("c1", "f", ``), result("c1", "x")}, "invalid tool call arguments"},
		{"blank answer", []map[string]any{user("a"), assistant(" "), user("b")}, "must have non-empty content"},
		{"blank result", []map[string]any{user("a"), call("c1", "f", "{}"), result("c1", "")}, "non-empty content"},
		{"no content", []map[string]any{{"role": "user"}}, "missing field `content`"},
		{"answer first", []map[string]any{assistant("a"), user("b")}, "immediately after a user turn"},
		{"answer last", []map[string]any{user("a"), assistant("b")}, "Expected last role User or Tool"},
		{"late system", []map[string]any{user("a"), {"role": "system", "content": "b"}, user("c")}, "System message must be at the beginning"},
		{"unknown key", []map[string]any{user("a"), {"role": "assistant", "content": "b", "reasoning_content": "c"}, user("d")}, "Unknown parameter: 'messages[1].reasoning_content'"},
		{"name that no function has", []map[string]any{user("a"), call("c1", "functions.read", "{}"), result("c1", "x")}, "does not match pattern"},
		{"unknown role", []map[string]any{{"role": "orchestrator", "content": "a"}}, "Invalid value: 'orchestrator'"},
	}
	for _, c := range cases {
		got, _ := wantRefusal(t, newGuide(), body(t, c.messages, nil), 400)
		if !strings.Contains(got.Message, c.want) {
			b, _ := json.Marshal(c.messages)
			t.Errorf("%s: %s\n got %q\nwant %q", c.name, b, got.Message, c.want)
		}
	}
	good := []map[string]any{{"role": "system", "content": "s"}, {"role": "developer", "content": "d"}, user("a"), user("b"), call("c1", "f", `{"a":1}`), result("c1", "x"), assistant("done"), user("hello")}
	if got := ask(t, newGuide(), good, nil); got.text == "" {
		t.Error("a valid conversation got no answer")
	}
}
