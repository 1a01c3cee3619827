package llm

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// cause is a reason for which servers refuse a request, or fail.
type cause struct {
	statuses string                // numbers, classes such as 5xx, 0 for none; "" is any
	text     func() *regexp.Regexp // what they say; nil is anything
	kind     ErrorKind
}

func says(words string) func() *regexp.Regexp { return lazyRegexp(`(?i)` + words) }

// causes are in the order in which they are looked for: the first that fits counts, because servers disagree about
// statuses. In the texts about length L is the window, P the request's tokens (P2 is added to it), M what the request
// has at least, C the reply's tokens that were asked for, N the sum of request and reply.
var causes = []cause{
	{"402", nil, Payment},
	{"", says(`insufficient_(?:quota|balance)`), Payment},
	{"401 403 407", nil, Auth},
	{"", says(`invalid_api_key|API_KEY_INVALID`), Auth},

	// Some limits of a rate name tokens like an overflow; cutting the request would not help.
	{"429", nil, RateLimit},
	{"", says(`rate[-_ ]?limit|quota exceeded|exceeded [^.\n]{0,40}quota|throttl|` +
		`too many (?:requests|tokens)|tokens per (?:minute|hour|day)`), RateLimit},

	// vLLM and OpenRouter, with what was asked for in parts; newer vLLM counts only until the request is too long.
	{"", says(`maximum context length is (?P<L>\d+) tokens.*?requested (?:about )?(?P<N>\d+) tokens ` +
		`\((?P<P>\d+) (?:in the messages|of text input)(?:, (?P<P2>\d+) of tool input)?` +
		`(?:, (?P<C>\d+) in the (?:completion|output))?`), Overflow},
	{"", says(`maximum context length is (?P<L>\d+).*?requested (?P<C>\d+) output tokens ` +
		`and your (?:prompt|request) contains at least (?P<M>\d+) input tokens`), Overflow},
	// OpenAI.
	{"", says(`maximum context length is (?P<L>\d+) tokens.*?` +
		`(?:messages|prompt|input) (?:resulted in|has|contains?) (?P<P>\d+) tokens`), Overflow},
	{"", says(`maximum context length is (?P<L>\d+) tokens.*?requested (?:about )?(?P<N>\d+) tokens`), Overflow},
	{"", says(`maximum context length (?:is|of) (?P<L>\d+)`), Overflow},
	// llama.cpp.
	{"", says(`request \((?P<P>\d+) tokens\) exceeds the available context size \((?P<L>\d+) tokens`), Overflow},
	// LM Studio.
	{"", says(`keep the first (?P<P>\d+) tokens when context the overflows.*?` +
		`context length of only (?P<L>\d+) tokens`), Overflow},
	{"", says(`n_keep \((?P<P>\d+)\) >= n_ctx \((?P<L>\d+)\)`), Overflow},
	{"", says(`reached context length of (?P<L>\d+) tokens`), Overflow},
	// Anthropic, Gemini, xAI.
	{"", says(`prompt is too long: (?P<P>\d+) tokens > (?P<L>\d+) maximum`), Overflow},
	{"", says(`input token count \((?P<P>\d+)\) exceeds the maximum number of tokens allowed ` +
		`\((?P<L>\d+)\)`), Overflow},
	{"", says(`maximum prompt length is (?P<L>\d+) but the request contains (?P<P>\d+) tokens`), Overflow},
	// Mistral, Together, Kimi, Copilot.
	{"", says(`prompt contains (?P<P>\d+) tokens.*?` +
		`too large for model with (?P<L>\d+) maximum context length`), Overflow},
	{"", says(`input \((?P<P>\d+) tokens\) is longer than the model'?s context length \((?P<L>\d+) tokens`), Overflow},
	{"", says(`exceeded model token limit: (?P<L>\d+) \(requested: (?P<P>\d+)\)`), Overflow},
	{"", says(`prompt token count of (?P<P>\d+) exceeds the limit of (?P<L>\d+)`), Overflow},
	// Without a number.
	{"", says(`context_length_exceeded|exceed_context_size_error|context shift is disabled|` +
		`max_(?:completion_)?tokens must be at least 1, got -\d+|` +
		`context (?:window|size|length) (?:exceeds limit|has been exceeded|exceeded)|` +
		`exceeds? (?:the |available |model'?s |maximum ){1,3}context|exceeded max(?:imum)? context length|` +
		`prompt is longer than the context length|prompt (?:is )?too long|prompt exceeds max length|` +
		`maximum context length|reduce the length of (?:the|your) (?:messages|prompt|input)`), Overflow},
	{"413", nil, Overflow},
	{"400", says(`^ $`), Overflow}, // Cerebras says nothing at all.

	{"4xx", namesResponses, BadRequest}, // With 404 too: the model is there, for another API,
	{"4xx", refusesKept, BadRequest},    // or what is not there is a part of the request.
	{"404 405", nil, NotFound},
	{"0 4xx", modelUnknown, NotFound},
	{"408", nil, TimedOut},
	{"0 5xx", templateTexts, BadRequest},
	{"0 5xx", toolTexts, BadRequest},
	{"0 5xx", parserTexts, BadRequest},
	{"0", says(`invalid_|image_`), BadRequest},
	{"0 2xx 5xx", nil, Server},
	{"", nil, BadRequest},
}

// fits says that a refusal with a status and a text is one for this reason, and gives the match of the text.
func (c cause) fits(status int, text string) (match []string, ok bool) {
	number := strconv.Itoa(status)
	of := strings.Fields(c.statuses)
	if len(of) > 0 && !slices.Contains(of, number) && !slices.Contains(of, number[:1]+"xx") {
		return nil, false
	}
	if c.text == nil {
		return nil, true
	}
	match = c.text().FindStringSubmatch(text)
	return match, match != nil
}

var modelUnknown = says(`model_not_found|model_not_exist|(?:unknown|invalid|no such) model|not a valid model|` +
	`model .{0,120}(?:not found|does ?n[o']t exist|not exist|unknown|is not available)`)

// templateTexts are what llama.cpp and its kin say with status 500 about a request that they will
// never take: a message order their chat template refuses, a tool call they cannot parse.
var templateTexts = says(`json\.exception|\bjinja\b|chat template|raise_exception|roles must alternate|` +
	`system message must be|after the optional system|prefill|assistant messages at the end|must contain 'content'|` +
	`invalid message content|unexpected role|does not support tools|failed to parse (?:messages|input)|` +
	`no user query found|is not iterable|image input is not supported`)

// parserTexts are what parsers of JSON say: Python's, nlohmann's in llama.cpp, Go's, Rust's.
var parserTexts = says(
	`expecting (?:value|property name|'.' delimiter)[^\n]{0,60}line \d+ column \d+|` +
		`(?:extra data|unterminated string starting at|invalid control character at|` +
		`invalid \\+(?:u?[a-z]* )?escape)[^\n]{0,20}: line \d+ column \d+|jsondecodeerror|` +
		`json\.exception\.parse_error|value looks like object, but|unexpected end of json input|` +
		`looking for beginning of (?:value|object key)|after (?:object key|array element|top-level value)\b|` +
		`(?:eof while parsing[^\n]{0,20}|trailing characters|key must be a string|expected value|expected .{1,20}|` +
		`invalid escape|control character [^\n]{0,60}) at line \d+ column \d+`)

// toolTexts are what servers say about tool calls in a request's history that they cannot read or whose order they do
// not take, whatever the status. The same request would fail the same way.
var toolTexts = says(`failed to parse tool call|(?:invalid|missing) tool call|` +
	`cannot unmarshal [^\n]{0,80}(?:toolcall|arguments)|` +
	// Templates.
	`can only get item pairs from a mapping|only supports? single tool-calls|` +
	`no previous assistant message with a tool call|only user(?:,| and) [^\n]{0,40}roles are supported|` +
	// OpenAI, DeepSeek, Azure, the Responses API.
	`tool_calls?'?"? must be followed by|insufficient tool messages|did not have response messages|` +
	`must be a response to a pre[ce]+eding message with|messages\W{0,3}\d+\W{0,3}tool_call|` +
	`no tool (?:output found for function call|call found for function call output)|` +
	`without its required '(?:reasoning|function_call)' item|` +
	// Anthropic and Bedrock.
	`\btool_(?:use|result|use_id)\b|\btool(?:use|result) blocks?\b|\btoolconfig\b|` +
	// Mistral and Gemini.
	`same number of function calls and responses|unexpected role '(?:tool|function)'|` +
	`unexpected role '\w+' after role '(?:tool|function)'|expected last role user or tool|\btool call id\b|` +
	`function (?:call|response) turn comes immediately after|function[ _]response parts?\b|` +
	`\bfunction_(?:call|response)\b\.|thought_signature`)

// toolWords are words for tool calls and their results. They say something only about a request that
// holds tool calls.
var toolWords = says(`\btool[ _-]?(?:calls?|calling|results?|responses?|messages?|outputs?|call_ids?)\b|` +
	`\bfunction[ _-]?(?:calls?|calling|responses?|results?|outputs?)\b|\brole\W{0,4}tool\b|\btool\W{0,4}role`)

// classify finds the cause of a refusal, and reads the numbers of one that says how long the request is.
func (e *Error) classify(words refusal) {
	text := words.text()
	if words.page || words.object {
		text += "\n" // Only a refusal without anything is empty.
	}
	for _, c := range causes {
		match, ok := c.fits(e.Status, text)
		if !ok {
			continue
		}
		e.Kind = c.kind
		if e.Kind == Overflow && match != nil {
			e.readNumbers(c.text().SubexpNames(), match)
		}
		break
	}
	limited := words.limit > 0 && words.prompt > 0 // llama.cpp says its numbers in fields of their own.
	if limited && e.Kind != RateLimit {
		e.Kind, e.Limit, e.Prompt, e.AtLeast = Overflow, words.limit, words.prompt, false
	}
}

// readNumbers reads the numbers of a match of a text about length.
func (e *Error) readNumbers(names, match []string) {
	numbers := make(map[string]int)
	for i, name := range names {
		numbers[name], _ = strconv.Atoi(match[i]) // A group that took no part is no number.
	}
	e.Limit, e.Prompt, e.Output = numbers["L"], numbers["P"]+numbers["P2"], numbers["C"]
	if least := numbers["M"]; least > 0 {
		e.Prompt, e.AtLeast = least, true
	}
	if e.Prompt == 0 {
		e.Prompt = max(0, numbers["N"]-e.Output)
	}
}

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
	failed := e.Kind == BadRequest || e.Kind == Server
	if failed || e.Kind == NotFound || e.Kind == BadStream || e.Kind == Auth && e.Status == 403 {
		for _, text := range []func() *regexp.Regexp{toolTexts, parserTexts, toolWords} {
			if text().MatchString(e.Message) {
				return TheTools
			}
		}
	}
	if failed {
		return MaybeTools
	}
	return NotTools
}
