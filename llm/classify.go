package llm

import (
	"bytes"
	"net/http"
	"strings"
	"time"
)

// bodyMax is how much of a failed answer is kept, in bytes.
const bodyMax = 64 << 10

// templateTexts are what llama.cpp and its kin say with status 500 about a request that they will
// never take: a message order their chat template refuses, a tool call they cannot parse.
var templateTexts = lazyRegexp(`(?i)failed to parse tool call arguments|json\.exception|\bjinja\b|chat template|raise_exception|roles must alternate|` +
	`system message must be|after the optional system|prefill|assistant messages at the end|must contain 'content'|missing tool call name|` +
	`invalid tool call|invalid message content|unexpected role|does not support tools|failed to parse messages|failed to parse input|` +
	`no user query found|is not iterable|image input is not supported`)

var modelUnknown = lazyRegexp(`(?i)model_not_found|model_not_exist|(?:unknown|invalid|no such) model|model .{0,120}(?:not found|does ?n[o']t exist|not exist|unknown|is not available|not a valid model)|not a valid model`)

// failure makes the error of an answer that says no: by status, or inside a stream with the
// stream's status 200.
func (c *Client) failure(status int, h http.Header, body []byte, model string) *Error {
	words := parseRefusal(body)
	e := c.blank(model)
	e.Status = status
	if status < 300 && !words.page {
		e.Status = words.status // Inside a stream the status was sent before the failure.
	}
	// A page with another failure is a proxy's; its title says what failed.
	e.page = words.page && (status < 300 || status == 404 || status == 405)
	e.Message = c.endpoint.redact(strings.ToValidUTF8(words.message, "\uFFFD"))
	if e.Message == "" {
		e.Message = c.endpoint.redact(words.kind)
	}
	e.Body = c.keep(body)
	e.Header = c.kept(h)
	e.Wait = waitFrom(h, words, time.Now())
	e.Kind, e.final = words.classify(e.Status)
	if o, is := words.overflow(e.Status); is {
		e.Kind, e.Limit, e.Prompt, e.AtLeast, e.Output = Overflow, o.limit, o.prompt, o.atLeast, o.output
	}
	return e
}

// strange is the error of an answer with a good status that is not what was asked for: a web page, nothing at
// all, or JSON of something else.
func (c *Client) strange(resp *http.Response, body []byte, model string) *Error {
	e := c.failure(resp.StatusCode, resp.Header, body, model)
	e.Kind, e.Status, e.final = BadStream, resp.StatusCode, true
	e.Limit, e.Prompt, e.Output = 0, 0, 0
	if !e.page && e.Message == "" {
		e.Message = e.Body
		if len(bytes.TrimSpace(body)) == 0 {
			e.Message = "the answer is empty"
		}
	}
	return e
}

// classify sorts a refusal by status and, where servers disagree about statuses, by its text.
// Final is a refusal that comes again whatever its status promises.
func (r refusal) classify(status int) (kind ErrorKind, final bool) {
	text := r.text()
	switch {
	case strings.Contains(text, "insufficient_quota"), status == 402, strings.Contains(text, "insufficient_balance"):
		return Payment, true
	case status == 401, status == 403, status == 407, strings.Contains(text, "invalid_api_key"), strings.Contains(text, "API_KEY_INVALID"):
		return Auth, true
	case status == 429:
		return RateLimit, false
	case status >= 400 && status < 500 && (namesResponses().MatchString(text) || refusesKept().MatchString(text)):
		return BadRequest, true // With 404 too: the model is there, for another API, or what is not there is a part of the request.
	case status == 404, status == 405, modelUnknown().MatchString(text) && status < 500:
		return NotFound, true
	case status == 408:
		return TimedOut, false
	case (status >= 500 || status == 0) && (templateTexts().MatchString(text) || toolHistoryTexts().MatchString(text)):
		return BadRequest, true
	case status == 0 && (strings.Contains(text, "invalid_") || strings.Contains(text, "image_")):
		return BadRequest, true
	case status >= 500, status < 300:
		if rateTexts().MatchString(text) {
			return RateLimit, false
		}
		return Server, false
	case rateTexts().MatchString(text):
		return RateLimit, status != 409
	}
	return BadRequest, status != 409
}

// blank is an error that knows who was asked what.
func (c *Client) blank(model string) *Error {
	return &Error{
		Endpoint: c.endpoint.Name,
		Address:  shownURL(c.endpoint.BaseURL),
		KeyFrom:  c.endpoint.KeyFrom,
		Model:    model,
		wire:     c.Wire(model),
		noKey:    c.endpoint.key() == "" && len(c.endpoint.Secrets()) == 0,
		taker:    c.endpoint.Stored != nil,
	}
}

// keep is what of a body an error keeps.
func (c *Client) keep(body []byte) string {
	// A key could be cut in two by the limit and then not be found.
	text := c.endpoint.redact(strings.ToValidUTF8(string(body), "\uFFFD"))
	if len(text) > bodyMax {
		text = strings.ToValidUTF8(text[:bodyMax], "")
	}
	return text
}

// kept are the headers that say something about a failure: limits, waits, the request's id.
func (c *Client) kept(h http.Header) map[string]string {
	kept := make(map[string]string)
	for name, values := range h {
		low := strings.ToLower(name)
		if len(values) == 0 || secretHeader(name) && !strings.Contains(low, "ratelimit") {
			continue
		}
		if strings.HasPrefix(low, "x-") || strings.HasPrefix(low, "retry-") || strings.Contains(low, "ratelimit") ||
			strings.Contains(low, "request-id") || low == "content-type" || low == "server" || low == "location" || low == "date" {
			kept[name] = c.endpoint.redact(values[0])
		}
	}
	return kept
}

// toolHistoryTexts are what servers say about tool calls in a request's history that they cannot read
// or whose order they do not take, whatever the status. The same request would fail the same way.
var toolHistoryTexts = lazyRegexp(`(?i)` +
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
var toolWords = lazyRegexp(`(?i)\btool[ _-]?(?:calls?|calling|results?|responses?|messages?|outputs?|call_ids?)\b|\bfunction[ _-]?(?:calls?|calling|responses?|results?|outputs?)\b|\brole\W{0,4}tool\b|\btool\W{0,4}role`)

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
		if e.namesTools() || toolWords().MatchString(e.Message) {
			return TheTools
		}
	}
	if e.Kind == BadRequest || e.Kind == Server {
		return MaybeTools
	}
	return NotTools
}

// namesTools says that a refusal has the text of a server that cannot read tool calls in a history.
func (e *Error) namesTools() bool { return toolHistoryTexts().MatchString(e.Message) }
