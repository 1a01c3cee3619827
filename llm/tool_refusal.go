package llm

import (
	"regexp"
	"slices"

	"winnow/history"
)

// toolHistoryTexts are what servers say about tool calls in a request's history that they cannot read
// or whose order they do not take, whatever the status. The same request would fail the same way.
var toolHistoryTexts = regexp.MustCompile(`(?i)` +
	// Parsers of the arguments: Python, nlohmann's in llama.cpp, Go, Rust.
	`expecting (?:value|property name|'.' delimiter)[^\n]{0,60}line \d+ column \d+|(?:extra data|unterminated string starting at|invalid control character at|invalid \\+(?:u?[a-z]* )?escape)[^\n]{0,20}: line \d+ column \d+` +
	`|jsondecodeerror|json\.exception\.parse_error|failed to parse tool call|unexpected end of json input|looking for beginning of (?:value|object key)|after (?:object key|array element|top-level value)\b` +
	`|(?:eof while parsing[^\n]{0,20}|trailing characters|key must be a string|expected value|expected .{1,20}|invalid escape|control character [^\n]{0,60}) at line \d+ column \d+|value looks like object, but` +
	`|invalid tool call|missing tool call|cannot unmarshal [^\n]{0,80}(?:toolcall|arguments)` +
	// Templates.
	`|can only get item pairs from a mapping|only supports? single tool-calls|no previous assistant message with a tool call|only user(?:,| and) [^\n]{0,40}roles are supported` +
	// OpenAI, DeepSeek, Azure, the Responses API.
	`|tool_calls?'?"? must be followed by|insufficient tool messages|did not have response messages|must be a response to a pre[ce]+eding message with|messages\W{0,3}\d+\W{0,3}tool_call` +
	`|no tool output found for function call|no tool call found for function call output|without its required '(?:reasoning|function_call)' item` +
	// Anthropic and Bedrock.
	`|\btool_(?:use|result|use_id)\b|\btool(?:use|result) blocks?\b|\btoolconfig\b` +
	// Mistral and Gemini.
	`|same number of function calls and responses|unexpected role '(?:tool|function)'|unexpected role '\w+' after role '(?:tool|function)'|expected last role user or tool|\btool call id\b` +
	`|function (?:call|response) turn comes immediately after|function[ _]response parts?\b|\bfunction_(?:call|response)\b\.|thought_signature`)

// toolWords are words for tool calls and their results. They say something only about a request that
// holds tool calls.
var toolWords = regexp.MustCompile(`(?i)\btool[ _-]?(?:calls?|calling|results?|responses?|messages?|outputs?|call_ids?)\b|\bfunction[ _-]?(?:calls?|calling|responses?|results?|outputs?)\b|\brole\W{0,4}tool\b|\btool\W{0,4}role`)

// ToolCause says whether tool calls in a request are why it failed.
type ToolCause string

// How sure it is that tool calls in a request are why it failed.
const (
	NotTools   ToolCause = ""          // it held none, or something else is the reason
	MaybeTools ToolCause = "suspected" // the server refused it or failed without a reason that tells
	TheTools   ToolCause = "named"     // the server says so
)

// toolCause says whether the tool calls in a request are why it failed.
func (e *Error) toolCause(r Request) ToolCause {
	if !r.holdsToolCalls() {
		return NotTools
	}
	switch {
	case e.Kind == BadRequest, e.Kind == Server, e.Kind == NotFound, e.Kind == BadStream, e.Kind == Auth && e.Status == 403:
		if e.namesTools() || toolWords.MatchString(e.Message) {
			return TheTools
		}
	}
	if e.Kind == BadRequest || e.Kind == Server {
		return MaybeTools
	}
	return NotTools
}

// namesTools says that a refusal has the text of a server that cannot read tool calls in a history.
func (e *Error) namesTools() bool { return toolHistoryTexts.MatchString(e.Message) }

// holdsToolCalls says that a request holds tool calls or their results.
func (r Request) holdsToolCalls() bool {
	return slices.ContainsFunc(r.Messages, func(m history.Message) bool {
		return m.Role == history.Tool || len(m.ToolCalls) > 0
	})
}
