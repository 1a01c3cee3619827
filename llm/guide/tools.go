package guide

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// offered is a function that the request offers.
type offered struct {
	Name       string
	Parameters struct{ Required []string }
}

// tool finds an offered tool; "" finds the first.
func (r request) tool(name string) (offered, bool) {
	for _, raw := range r.Tools {
		var t struct{ Function offered }
		if json.Unmarshal(raw, &t) == nil && t.Function.Name != "" && (name == "" || t.Function.Name == name) {
			return t.Function, true
		}
	}
	return offered{}, false
}

// arguments are the least that the tool's schema wants: each of its required properties is the question.
func (t offered) arguments(question string) string {
	values := map[string]string{}
	for _, name := range t.Parameters.Required {
		values[name] = question
	}
	text, _ := json.Marshal(values) // texts always encode
	return string(text)
}

// useTool calls a tool because the user asked for it: "/guide tool [NAME] [arguments]".
func (q *question) useTool(wanted string) *http.Response {
	name, rest, _ := strings.Cut(wanted, " ")
	t, ok := q.req.tool(name)
	if !ok && name != "" {
		t, ok = q.req.tool("")
		rest = wanted
	}
	if !ok {
		return q.reply(Signature + " This request offers me no tools, so there is nothing to call.")
	}
	arguments := strings.TrimSpace(rest)
	if arguments == "" {
		arguments = "context panel"
	}
	if !strings.HasPrefix(arguments, "{") || !json.Valid([]byte(arguments)) {
		arguments = t.arguments(arguments)
	}
	return q.stream(func(w *writer) {
		w.begin()
		w.call(0, q.callID(0), t.Name, arguments)
		w.end(openai.FinishReasonToolCalls)
	})
}

// callID is an id that no other answer of the conversation has: it comes from the request, and no
// two requests of one conversation are the same.
func (q *question) callID(n int) string { return fmt.Sprintf("call_%s%02d", q.id[:14], n) }

// longestResult is the most code points quoted of a tool's result.
const longestResult = 1500

// toolAnswer answers from the results of the newest tool calls.
func toolAnswer(messages []openai.ChatCompletionMessage) string {
	calls := len(messages) - 1
	for calls > 0 && messages[calls].Role == openai.ChatMessageRoleTool {
		calls--
	}
	var b strings.Builder
	b.WriteString(Signature)
	for _, result := range messages[calls+1:] {
		name := "the tool"
		if i := slices.IndexFunc(messages[calls].ToolCalls, func(c openai.ToolCall) bool { return c.ID == result.ToolCallID }); i >= 0 {
			name = messages[calls].ToolCalls[i].Function.Name
		}
		text := strings.TrimSpace(textOf(result))
		more := ""
		if runes := []rune(text); len(runes) > longestResult {
			text = string(runes[:longestResult])
			more = fmt.Sprintf("\n\n(The first %d of %d characters.)", longestResult, len(runes))
		}
		fmt.Fprintf(&b, "\n\n**%s** answered:\n\n> %s%s", name, strings.ReplaceAll(text, "\n", "\n> "), more)
	}
	return b.String()
}
