package llm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"winnow/llm/keys"
)

// cause is a reason for which servers refuse a request, or fail.
type cause struct {
	statuses string                // numbers, classes such as 5xx, 0 for none; "" is any
	text     func() *regexp.Regexp // what they say; nil is anything
	kind     ErrorKind
	say      sentence // "" is the sentence of the kind
}

// causes are in the order in which they are looked for: the first that fits counts, because servers disagree about
// statuses.
var causes = []cause{
	{statuses: "402", kind: Payment},
	{text: says(`insufficient_(?:quota|balance)`), kind: Payment},
	{statuses: "403", kind: Auth, say: sentence{failed: "{who} denied access{status}"}},
	{statuses: "407", kind: Auth, say: sentence{failed: "{who} is behind a proxy that requires a password{status}"}},
	{statuses: "401", kind: Auth},
	{text: says(`invalid_api_key|API_KEY_INVALID`), kind: Auth},

	// Some limits of a rate name tokens like an overflow; cutting the request would not help.
	{statuses: "429", kind: RateLimit},
	{kind: RateLimit, text: says(`rate[-_ ]?limit|quota exceeded|exceeded [^.\n]{0,40}quota|throttl|` +
		`too many (?:requests|tokens)|tokens per (?:minute|hour|day)`)},

	{text: overflowTexts, kind: Overflow},
	{statuses: "413", kind: Overflow},
	{statuses: "400", text: says(`^ $`), kind: Overflow}, // Cerebras says nothing at all.

	{statuses: "4xx", text: namesResponses, kind: BadRequest}, // With 404 too: the model is there, for another API,
	{statuses: "4xx", text: refusesKept, kind: BadRequest},    // or what is not there is a part of the request.
	{statuses: "0 4xx", text: modelUnknown, kind: NotFound, say: noModel},
	{statuses: "404 405", text: says(`model`), kind: NotFound, say: noModel},
	{statuses: "404 405", kind: NotFound},
	{statuses: "408", kind: TimedOut, say: sentence{failed: "{who} timed out{status}"}},
	{statuses: "0 4xx 5xx", text: parserTexts, kind: BadRequest, say: sentence{
		"{who} could not parse the request{status}",
		"what winnow sent is valid JSON: look for a proxy that changes it, or try another model",
	}},
	{statuses: "0 5xx", text: templateTexts, kind: BadRequest},
	{statuses: "0 500", text: toolTexts, kind: BadRequest},
	{statuses: "0", text: says(`invalid_|image_`), kind: BadRequest},
	{statuses: "0 2xx 5xx", kind: Server},
	{kind: BadRequest},
}

var noModel = sentence{failed: "{who} does not have the model {model}{status}"}

// fits says that a refusal with a status and a text is one for this reason.
func (c cause) fits(status int, text string) bool {
	of, number := strings.Fields(c.statuses), strconv.Itoa(status)
	if len(of) > 0 && !slices.Contains(of, number) && !slices.Contains(of, number[:1]+"xx") {
		return false
	}
	return c.text == nil || c.text().MatchString(text)
}

// lazyRegexp compiles a regular expression when it is first used. Most of those for refusals never are, and
// compiling all of them takes a tenth of the program's start.
func lazyRegexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// says is lazyRegexp for words of any case.
func says(words string) func() *regexp.Regexp { return lazyRegexp(`(?i)` + words) }

// overflowTexts are what servers say about a request that is longer than the window.
var overflowTexts = says(`maximum (?:context|prompt) length|reached context length|context_length_exceeded|` +
	`exceed_context_size_error|context shift is disabled|length of only \d+ tokens|>= n_ctx|` +
	`max_(?:completion_)?tokens must be at least 1, got -\d+|longer than (?:the|the model'?s) context length|` +
	`context (?:window|size|length) (?:exceeds limit|has been exceeded|exceeded)|` +
	`exceeds? (?:the |available |model'?s |maximum ){1,3}(?:context|number of tokens)|` +
	`exceeded (?:max(?:imum)? context length|model token limit)|token count of \d+ exceeds|` +
	`prompt (?:is )?too long|prompt exceeds max length|reduce the length of (?:the|your) (?:messages|prompt|input)`)

// The numbers of such a text: the window, the tokens of the request and those of tools beside them, those that it has
// at least because the server counted no further, those of the reply, and the sum of request and reply.
var (
	limitNumber = says(`length (?:is|of)(?: only)? (\d+)|with (\d+) maximum|context (?:size|length) \((\d+) tokens|` +
		`n_ctx \((\d+)\)|> (\d+) maximum|allowed \((\d+)\)|token limit: (\d+)|limit of (\d+)`)
	promptNumber = says(`(\d+) (?:in the messages|of text input)|(?:messages|prompt|input) ` +
		`(?:resulted in|has|contains?) (\d+) tokens|request contains (\d+)|(?:request|input) \((\d+) tokens|` +
		`first (\d+) tokens|n_keep \((\d+)\)|too long: (\d+) tokens|token count (?:of )?\(?(\d+)|requested: (\d+)`)
	toolsNumber = says(`(\d+) of tool input`)
	leastNumber = says(`at least (\d+) input tokens`)
	replyNumber = says(`(\d+) (?:in the (?:completion|output)|output tokens)`)
	totalNumber = says(`requested (?:about )?(\d+) tokens`)
)

// readNumbers reads the numbers of a text about length.
func (e *Error) readNumbers(text string) {
	number := func(pattern func() *regexp.Regexp) int {
		for _, group := range pattern().FindStringSubmatch(text) {
			if n, err := strconv.Atoi(group); err == nil {
				return n
			}
		}
		return 0
	}
	e.Limit, e.Prompt, e.Output = number(limitNumber), number(promptNumber)+number(toolsNumber), number(replyNumber)
	if least := number(leastNumber); least > 0 {
		e.Prompt, e.AtLeast = least, true
	}
	if e.Prompt == 0 {
		e.Prompt = max(0, number(totalNumber)-e.Output)
	}
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

// toolTexts are what servers say about tool calls and their results, in general and in what they say of such that they
// cannot read or whose order they do not take. They say something only about a request that holds tool calls.
var toolTexts = says(`\btool[ _-]?(?:calls?|calling|results?|responses?|messages?|outputs?|call_ids?|blocks?)\b|` +
	`\bfunction[ _-]?(?:calls?|calling|responses?|results?|outputs?)\b|\brole\W{0,4}tool\b|\btool\W{0,4}role|` +
	`cannot unmarshal [^\n]{0,80}(?:toolcall|arguments)|can only get item pairs from a mapping|` + // templates
	`only user(?:,| and) [^\n]{0,40}roles are supported|` +
	`did not have response messages|without its required '(?:reasoning|function_call)' item|` + // the Responses API
	`\btool_?use(?:_id)?\b|\btoolconfig\b|\btooluse blocks?\b|` + // Anthropic and Bedrock
	`unexpected role '(?:tool|function)'|unexpected role '\w+' after role '(?:tool|function)'|` + // Mistral
	`expected last role user or tool|messages\W{0,3}\d+\W{0,3}tool_call|thought_signature`)

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
	failed := e.Kind == BadRequest || e.Kind == Server
	denied := e.Kind == NotFound || e.Kind == BadStream || e.Kind == Auth && e.Status == 403
	switch {
	case !r.holdsToolCalls() || !failed && !denied:
		return NotTools
	case toolTexts().MatchString(e.Message), parserTexts().MatchString(e.Message):
		return TheTools
	case failed:
		return MaybeTools
	}
	return NotTools
}

// bodyMax is how much of a failed answer is kept, in bytes.
const bodyMax = 64 << 10

// refusal is what an error body says, however the server writes it.
type refusal struct {
	message string
	codes   string        // type, code, status and reasons, with blanks between
	status  int           // an HTTP status that the body names
	prompt  int           // llama.cpp's n_prompt_tokens
	limit   int           // llama.cpp's n_ctx
	retry   time.Duration // google.rpc.RetryInfo
	headers http.Header   // OpenRouter's copy of those of the provider
	page    bool          // a web page; message is its title
	object  bool          // a JSON value that says something
}

var title = lazyRegexp(`(?is)<title[^>]*>(.*?)</title>`)

// parseRefusal reads an error body: a JSON value, a text or a web page.
func parseRefusal(body []byte) refusal {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	r := refusal{headers: make(http.Header)}
	switch {
	case bytes.HasPrefix(body, []byte{'<'}):
		r.page = true
		if m := title().FindSubmatch(body); m != nil {
			r.message = html.UnescapeString(string(m[1]))
		}
	case json.Valid(body):
		r.object = true
		r.read(decoded(body), 0)
	default:
		r.message = string(body)
	}
	return r
}

// read takes what a JSON value says: a text, a list, or an object with the keys that some server uses, in any nesting.
// Depth ends what a hostile server nests.
func (r *refusal) read(v any, depth int) {
	if depth > 6 {
		return
	}
	switch v := v.(type) {
	case string:
		// Ollama hands on the errors of its runner, and OpenRouter those of providers, which are JSON, as a text.
		if inner := object(decoded([]byte(v))); inner != nil {
			r.read(inner, depth+1)
		} else if v = strings.TrimSpace(v); v != "" && !strings.Contains(r.message, v) {
			if r.message != "" {
				r.message = strings.TrimRight(r.message, ".:; ") + ": "
			}
			r.message += v
		}
	case []any:
		for _, item := range v {
			r.read(item, depth+1)
		}
	case map[string]any:
		r.fields(v)
		before := len(r.message)
		for _, key := range []string{"error", "message", "msg", "detail", "errors", "metadata", "raw", "details"} {
			r.read(v[key], depth+1)
		}
		if list, _ := v["loc"].([]any); len(list) > 0 && len(r.message) > before {
			words := make([]string, len(list)) // FastAPI's ["body", "stream_options"] is body.stream_options.
			for i, item := range list {
				words[i] = scalar(item)
			}
			r.message += " (" + strings.Join(words, ".") + ")"
		}
	}
}

// fields takes what is beside the words of an object.
func (r *refusal) fields(of map[string]any) {
	for _, key := range []string{"type", "code", "status", "reason"} {
		if s := scalar(of[key]); s != "" && s != "error" {
			r.codes += " " + s
		}
	}
	if n := number(of["code"]); n >= 400 && n < 600 {
		r.status = n
	}
	r.prompt = max(r.prompt, number(of["n_prompt_tokens"]))
	r.limit = max(r.limit, number(of["n_ctx"]))
	if wait, ok := duration(scalar(of["retryDelay"])); ok && wait > 0 {
		r.retry = wait
	}
	for name, value := range object(of["headers"]) {
		r.headers.Set(name, scalar(value))
	}
}

// failure makes the error of an answer that says no: by status, or inside a stream with the stream's status 200.
func (c *Client) failure(status int, h http.Header, body []byte, model string) *Error {
	words := parseRefusal(body)
	e := c.blank(model)
	e.Status = status
	if status < 300 && !words.page {
		e.Status = words.status // Inside a stream the status was sent before the failure.
	}
	e.Message = c.redactor.Text(strings.ToValidUTF8(words.message, "\uFFFD"))
	if e.Message == "" {
		e.Message = c.redactor.Text(strings.TrimSpace(words.codes))
	}
	e.Body = c.keep(body)
	e.Wait = waitFrom(h, words, time.Now())
	text := strings.TrimSpace(words.codes) + " " + words.message
	if words.page || words.object {
		text += "\n" // Only a refusal without anything is empty.
	}
	found := causes[slices.IndexFunc(causes, func(c cause) bool { return c.fits(e.Status, text) })]
	e.Kind, e.say = found.kind, found.say
	if e.say == noModel && model == "" {
		e.say = sentence{} // A list of models was asked for.
	}
	switch {
	case e.Kind != RateLimit && words.limit > 0 && words.prompt > 0:
		e.Kind, e.Limit, e.Prompt = Overflow, words.limit, words.prompt
	case e.Kind == Overflow:
		e.readNumbers(text)
	case e.Kind == Auth && e.say == sentence{}:
		e.say = c.endpoint.keySentence()
	case e.Kind == NotFound && e.say == sentence{} && c.Wire(model) == ResponsesWire:
		e.say.failed = "{where} has no Responses API{status}"
	}
	// A page with another failure is a proxy's; its title says what failed.
	if words.page && (status < 300 || status == 404 || status == 405) {
		e.say = sentence{"{where} answered with a web page{title} instead of an API{status}", checkURL}
	}
	return e
}

// keySentence says what is wrong with the key, and what to do where winnow keys set stores one for the endpoint.
func (e Endpoint) keySentence() (say sentence) {
	say.advice = "run winnow keys set {endpoint} to store one"
	switch none := e.key() == "" && len(e.Secrets()) == 0; {
	case none && e.KeyFrom.Kind == keys.Variable:
		say.failed = "{who} requires an API key, and " + e.KeyFrom.Name + " is not set{status}"
	case none:
		say.failed = "{who} requires an API key and none is set{status}"
	case e.KeyFrom == keys.Origin{}:
		return sentence{}
	default:
		say.failed = "{who} rejected the API key from " + e.KeyFrom.String() + "{status}"
		say.advice = "run winnow keys set {endpoint} to replace it"
	}
	if e.Stored == nil {
		say.advice = ""
	}
	return say
}

// strange is the error of an answer with a good status that is not what was asked for: a web page, nothing at
// all, or JSON of something else.
func (c *Client) strange(resp *http.Response, body []byte, model string) *Error {
	e := c.failure(resp.StatusCode, resp.Header, body, model)
	page := strings.Contains(e.say.failed, "{title}")
	e.Kind, e.Status, e.final = BadStream, resp.StatusCode, true
	e.Limit, e.Prompt, e.Output = 0, 0, 0
	if !page {
		e.say = sentence{}
		e.Message = cmp.Or(e.Message, strings.TrimSpace(e.Body), "the answer is empty")
	}
	return e
}

// blank is an error that knows who was asked what.
func (c *Client) blank(model string) *Error {
	return &Error{Endpoint: c.endpoint.Name, Address: shownURL(c.endpoint.BaseURL), Model: model}
}

// keep is what of a body an error keeps.
func (c *Client) keep(body []byte) string {
	// A key could be cut in two by the limit and then not be found.
	text := c.redactor.Text(strings.ToValidUTF8(string(body), "\uFFFD"))
	if len(text) > bodyMax {
		text = strings.ToValidUTF8(text[:bodyMax], "")
	}
	return text
}
