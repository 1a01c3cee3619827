package llm

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"winnow/llm/keys"
	"winnow/llm/wire"
)

// ErrorKind classifies an Error by what a caller can do about it. It implements error as a target for errors.Is.
type ErrorKind string

// The kinds of an Error.
const (
	ErrAuth              ErrorKind = "auth"        // the key was rejected or is missing
	ErrPayment           ErrorKind = "payment"     // no credit left
	ErrNotFound          ErrorKind = "not-found"   // unknown model, or an address that is not this API
	ErrRateLimit         ErrorKind = "rate-limit"  // too many requests or tokens at the moment
	ErrTooLong           ErrorKind = "overflow"    // the request exceeds the model's context window
	ErrBadRequest        ErrorKind = "bad-request" // the server does not accept this request
	ErrServer            ErrorKind = "server"      // the server failed
	ErrConnectionRefused ErrorKind = "refused"     // nothing listens at the address
	ErrNetwork           ErrorKind = "network"     // the server cannot be reached
	ErrTimeout           ErrorKind = "timed-out"   // no data for too long
	ErrBadResponse       ErrorKind = "bad-stream"  // the response is not that of a chat API
	ErrEmptyAnswer       ErrorKind = "empty"       // the answer has no content
	ErrConnectionLost    ErrorKind = "broken"      // the connection was lost during the answer
	ErrAnswerTooLong     ErrorKind = "endless"     // the answer exceeded MaxAnswerBytes
	ErrStopped           ErrorKind = "stopped"     // the caller's context ended; not a failure
)

// Error returns the kind, so that errors.Is(err, llm.ErrTooLong) works.
func (k ErrorKind) Error() string { return string(k) }

// Error describes a failed request. Its text is one sentence for the user. No field contains the endpoint's key, even
// if the server sent it back.
type Error struct {
	Kind      ErrorKind
	Status    int           // the HTTP status, 0 for none
	Message   string        // the server's message, "" for none
	Body      string        // the response, at most 64 KiB
	Wait      time.Duration // how long the server asked to wait, 0 if it did not
	Limit     int           // ErrTooLong: the window in tokens, 0 if unknown
	Prompt    int           // ErrTooLong: tokens of the request, 0 if unknown
	AtLeast   bool          // ErrTooLong: the request has at least Prompt tokens
	Output    int           // ErrTooLong: requested tokens of the reply, 0 if unknown
	Endpoint  string        // the endpoint's name
	Address   string        // its URL, to be shown
	Model     string
	Unsent    bool      // ErrStopped: the next attempt was not sent
	Replan    bool      // Profile changed: a new plan of the history may be accepted
	ToolCause ToolCause // whether tool calls in the request caused it
	Err       error     // the underlying error; may be nil

	say       string // what failed, with {placeholders}; "" is the sentence of the kind
	advice    string // what to do about it; may be ""
	permanent bool   // another attempt cannot help, whatever the status
}

// Is reports whether target is the kind of the error.
func (e *Error) Is(target error) bool { return target == e.Kind }

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same request may succeed later because the server was busy, failing or unreachable.
func (e *Error) Retryable() bool {
	if e.permanent {
		return false
	}
	switch e.Kind {
	case ErrConnectionRefused, ErrNetwork, ErrConnectionLost:
		return true
	case ErrRateLimit, ErrServer, ErrTimeout:
		return e.Status == 0 || e.Status == 408 || e.Status == 409 || e.Status == 429 || e.Status >= 500
	case ErrBadRequest:
		return e.Status == 408 || e.Status == 409
	}
	return false
}

// Unavailable reports whether the server could not be used at all: it did not answer or rejected the key.
func (e *Error) Unavailable() bool {
	switch e.Kind {
	case ErrConnectionRefused, ErrNetwork, ErrTimeout, ErrAuth, ErrPayment:
		return true
	}
	return false
}

// stopped is the error of a caller's context that ended.
func stopped(ctx context.Context) *Error {
	return &Error{Kind: ErrStopped, Err: ctx.Err()}
}

// sentences tell what failed, by kind.
var sentences = map[ErrorKind]string{
	ErrAuth:              "{who} rejected the API key{status}",
	ErrPayment:           "{who} requires payment{status}",
	ErrNotFound:          "{where} does not provide this API{status}",
	ErrRateLimit:         "{who} reports a rate limit{status}{wait}",
	ErrTooLong:           "the request is too long for {model}{status}",
	ErrBadRequest:        "{who} refused the request{status}",
	ErrServer:            "{who} failed{status}{wait}",
	ErrConnectionRefused: "nothing answers at {where} (connection refused); is the server running?",
	ErrNetwork:           "{where} cannot be reached",
	ErrTimeout:           "{where} did not answer in time",
	ErrBadResponse:       "{who} sent a response that is not a chat completion{status}",
	ErrEmptyAnswer:       "the model sent an empty answer{status}",
	ErrConnectionLost:    "the connection to {who} was lost before the answer was complete",
	ErrAnswerTooLong:     "the answer of {who} exceeded 16 MiB and was cut off",
	ErrStopped:           "stopped",
	"":                   "{who} did not answer{status}",
}

// what tells what failed.
func (e *Error) what() string {
	say := cmp.Or(e.say, sentences[e.Kind])
	switch {
	case e.ToolCause == ToolsNamed:
		say = "{who} does not accept the tool calls in this conversation{status}"
	case e.Kind == ErrTooLong && e.Limit > 0:
		say = "the request is too long for {model}: {tokens}the window holds {limit}"
	}
	where := cmp.Or(e.Address, e.Endpoint, "the server")
	status, wait, tokens := "", "", ""
	if e.Status != 0 {
		status = " (" + strconv.Itoa(e.Status) + ")"
	}
	if e.Wait > 0 {
		wait = " and asks to wait " + e.Wait.Round(time.Millisecond).String()
	}
	switch {
	case e.Output > 0 && e.Prompt > 0 && e.Prompt <= e.Limit:
		tokens = comma(e.Prompt) + " tokens and " + comma(e.Output) + " for the reply, and "
	case e.Prompt > 0:
		tokens = comma(e.Prompt) + " tokens, and "
	}
	return strings.NewReplacer(
		"{who}", cmp.Or(e.Endpoint, where), "{where}", where, "{model}", cmp.Or(oneLine(e.Model, 80), "the model"),
		"{status}", status, "{wait}", wait, "{tokens}", tokens, "{limit}", comma(e.Limit),
	).Replace(say)
}

// Error tells what failed, then the server's message, then what to do.
func (e *Error) Error() string {
	words := e.ServerWords()
	switch {
	case words == "":
		return e.WithoutServerWords()
	case e.advice == "":
		return e.what() + ": " + words
	}
	return e.what() + ": " + strings.TrimSuffix(words, ".") + ". " + strings.ToUpper(e.advice[:1]) + e.advice[1:]
}

// WithoutServerWords is the text of the error without the server's message.
func (e *Error) WithoutServerWords() string {
	if e.advice == "" {
		return e.what()
	}
	return e.what() + "; " + e.advice
}

// ServerWords is the server's message as quoted in the text of the error; "" if there is none or if the text already
// says the same.
func (e *Error) ServerWords() string {
	if e.Kind == ErrConnectionRefused || e.Kind == ErrStopped || e.Kind == ErrTooLong && e.Limit > 0 {
		return ""
	}
	return oneLine(e.Message, sentenceMax)
}

// sentenceMax is the maximum length in code points of a server's message within a sentence. Error.Message has all of
// it.
const sentenceMax = 300

// oneLine makes text of a server safe to quote in a sentence. It collapses white space, removes control and format
// characters, which could move the cursor, and cuts a long text.
func oneLine(text string, limit int) string {
	text = strings.ToValidUTF8(text[:min(len(text), limit*8)], "\uFFFD")
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.C, r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:limit])) + " …"
}

func comma(n int) string { return humanize.Comma(int64(n)) }

// errorPattern recognizes the cause of a failed request by the response of the server or by the error of net/http.
type errorPattern struct {
	statuses  string                // numbers, classes such as 5xx, 0 for no status; "" matches any
	text      func() *regexp.Regexp // matches the message; nil matches any
	kind      ErrorKind
	say       string // what failed; "" is the sentence of the kind
	permanent bool   // another attempt will fail in the same way
}

// refusals are tried in order, and the first match counts, because servers use different statuses for the same cause.
var refusals = []errorPattern{
	{statuses: "402", kind: ErrPayment},
	{text: fold(`insufficient_(?:quota|balance)`), kind: ErrPayment},
	{statuses: "403", kind: ErrAuth, say: "{who} denied access{status}"},
	{statuses: "407", kind: ErrAuth, say: "{who} is behind a proxy that requires a password{status}"},
	{statuses: "401", kind: ErrAuth},
	{text: fold(`invalid_api_key|API_KEY_INVALID`), kind: ErrAuth},

	// Some rate limits mention tokens like a context limit, but a shorter request would not help.
	{statuses: "429", kind: ErrRateLimit},
	{kind: ErrRateLimit, text: fold(`rate[-_ ]?limit|quota exceeded|exceeded [^.\n]{0,40}quota|throttl|` +
		`too many (?:requests|tokens)|tokens per (?:minute|hour|day)`)},

	{text: overflowText, kind: ErrTooLong},
	{statuses: "413", kind: ErrTooLong},

	{statuses: "4xx", text: namesResponses, kind: ErrBadRequest}, // With 404 too: the model exists, for another API,
	{statuses: "4xx", text: refusesKept, kind: ErrBadRequest},    // or a part of the request is missing at the server.
	{statuses: "0 4xx", text: modelUnknown, kind: ErrNotFound, say: noModel},
	{statuses: "404 405", text: fold(`model`), kind: ErrNotFound, say: noModel},
	{statuses: "404 405", kind: ErrNotFound},
	{statuses: "408", kind: ErrTimeout, say: "{who} timed out{status}"},
	{statuses: "0 5xx", text: parserText, kind: ErrBadRequest},
	{statuses: "0 5xx", text: templateText, kind: ErrBadRequest},
	{statuses: "0 500", text: toolText, kind: ErrBadRequest},
	{statuses: "0", text: fold(`invalid_|image_`), kind: ErrBadRequest},
	{statuses: "0 2xx 5xx", kind: ErrServer},
	{kind: ErrBadRequest},
}

// connectionFaults recognizes errors of net and net/http. Without a sentence of its own, the text of the error is used.
var connectionFaults = []errorPattern{
	{text: fold(`network is unreachable|no route to host|\blookup `), say: "there is no network"},
	{text: fold(`certificate|x509`), say: "its certificate cannot be verified", permanent: true},
	{text: fold(`to HTTPS client|tls: `), say: "the TLS connection failed; " + checkURL, permanent: true},
	{text: fold(`unsupported protocol|invalid header`), permanent: true},
	// net/http returns the second one if a server sends data before the request.
	{text: fold(`malformed HTTP|readLoopPeekFailLocked`), say: "it does not use HTTP; " + checkURL, permanent: true},
	{
		text: fold(`\bEOF$|connection reset|broken pipe|forcibly closed|closed idle|malformed MIME`),
		say:  "the connection was closed before a response",
	},
	{},
}

const (
	noModel  = "{who} does not have the model {model}{status}"
	checkURL = "check the base URL"
)

// findPattern returns the first pattern that matches a status and a text.
func findPattern(causes []errorPattern, status int, text string) errorPattern {
	number := strconv.Itoa(status)
	for _, c := range causes {
		of := strings.Fields(c.statuses)
		if len(of) > 0 && !slices.Contains(of, number) && !slices.Contains(of, number[:1]+"xx") {
			continue
		}
		if c.text == nil || c.text().MatchString(text) {
			return c
		}
	}
	return errorPattern{}
}

// lazyRegexp compiles a regular expression when it is first used. Most of them never are, and compiling all would take
// a tenth of the program's start-up time.
func lazyRegexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// fold is lazyRegexp ignoring case.
func fold(words string) func() *regexp.Regexp { return lazyRegexp(`(?i)` + words) }

var (
	modelUnknown = fold(`model_not_found|model_not_exist|(?:unknown|invalid|no such) model|not a valid model|` +
		`model .{0,120}(?:not found|does ?n[o']t exist|not exist|unknown|is not available)`)

	// overflowText matches messages about a request that exceeds the context window.
	overflowText = fold(`maximum (?:context|prompt) length|reached context length|context_length_exceeded|` +
		`exceed_context_size_error|context shift is disabled|length of only \d+ tokens|>= n_ctx|` +
		`max_(?:completion_)?tokens must be at least 1, got -\d+|longer than (?:the|the model'?s) context length|` +
		`context (?:window|size|length) (?:exceeds limit|has been exceeded|exceeded)|` +
		`exceeds? (?:the |available |model'?s |maximum ){1,3}(?:context|number of tokens)|` +
		`exceeded (?:max(?:imum)? context length|model token limit)|token count of \d+ exceeds|` +
		`prompt (?:is )?too long|prompt exceeds max length|reduce the length of (?:the|your) (?:messages|prompt|input)`)

	// templateText matches what llama.cpp and similar servers report with status 500 for a request that they will
	// never accept: a message order that their chat template refuses, or a tool call that they cannot parse.
	templateText = fold(`\bjinja\b|chat template|raise_exception|roles must alternate|` +
		`system message must be|after the optional system|prefill|assistant messages at the end|` +
		`must contain 'content'|` +
		`invalid message content|unexpected role|does not support tools|failed to parse (?:messages|input)|` +
		`no user query found|is not iterable|image input is not supported`)

	// parserText matches errors of JSON parsers: Python's, nlohmann's in llama.cpp, Go's, Rust's. winnow's requests are
	// valid JSON, so they must be about the arguments of a tool call.
	parserText = fold(`(?:at |: )line \d+,? column \d+|jsondecodeerror|json\.exception|value looks like object, but|` +
		`unexpected end of json input|looking for beginning of (?:value|object key)|` +
		`after (?:object key|array element|top-level value)\b`)

	// toolText matches messages about tool calls and their results, including that they cannot be parsed or are in the
	// wrong order. It is meaningful only if the request contains tool calls.
	toolText = fold(`\btool[ _-]?(?:calls?|calling|results?|responses?|messages?|outputs?|call_ids?|blocks?)\b|` +
		`\bfunction[ _-]?(?:calls?|calling|responses?|results?|outputs?)\b|\brole\W{0,4}tool\b|\btool\W{0,4}role|` +
		`cannot unmarshal [^\n]{0,80}(?:toolcall|arguments)|can only get item pairs from a mapping|` + // templates
		`only user(?:,| and) [^\n]{0,40}roles are supported|` +
		`did not have response messages|without its required '(?:reasoning|function_call)' item|` + // the Responses API
		`\btool_?use(?:_id)?\b|\btoolconfig\b|\btooluse blocks?\b|` + // Anthropic and Bedrock
		`unexpected role '(?:tool|function)'|unexpected role '\w+' after role '(?:tool|function)'|` + // Mistral
		`expected last role user or tool|messages\W{0,3}\d+\W{0,3}tool_call|thought_signature`)
)

// The numbers in messages about the context window: the window; the tokens of the request, and those of its tools if
// they are separate; the minimum if the server stopped counting; the tokens of the reply; the sum of request
// and reply.
var (
	limitNumber = fold(`length (?:is|of)(?: only)? (\d+)|with (\d+) maximum|context (?:size|length) \((\d+) tokens|` +
		`n_ctx \((\d+)\)|> (\d+) maximum|allowed \((\d+)\)|token limit: (\d+)|limit of (\d+)`)
	promptNumber = fold(`(\d+) (?:in the messages|of text input)|(?:messages|prompt|input) ` +
		`(?:resulted in|has|contains?) (\d+) tokens|request contains (\d+)|(?:request|input) \((\d+) tokens|` +
		`first (\d+) tokens|n_keep \((\d+)\)|too long: (\d+) tokens|token count (?:of )?\(?(\d+)|requested: (\d+)`)
	toolsNumber = fold(`(\d+) of tool input`)
	leastNumber = fold(`at least (\d+) input tokens`)
	replyNumber = fold(`(\d+) (?:in the (?:completion|output)|output tokens)`)
	totalNumber = fold(`requested (?:about )?(\d+) tokens`)
)

// readNumbers reads the token counts of a message about the context window.
func (e *Error) readNumbers(text string) {
	number := func(pattern func() *regexp.Regexp) int {
		groups := pattern().FindStringSubmatch(text)
		if groups == nil {
			return 0
		}
		n, _ := strconv.Atoi(strings.Join(groups[1:], "")) // Exactly one group matched.
		return n
	}
	e.Limit, e.Prompt, e.Output = number(limitNumber), number(promptNumber)+number(toolsNumber), number(replyNumber)
	if least := number(leastNumber); least > 0 {
		e.Prompt, e.AtLeast = least, true
	}
	if e.Prompt == 0 {
		e.Prompt = max(0, number(totalNumber)-e.Output)
	}
}

// ToolCause tells whether tool calls in a request caused its failure.
type ToolCause string

// The degrees of suspicion.
const (
	NotTools       ToolCause = ""          // there are none, or the cause is another one
	ToolsSuspected ToolCause = "suspected" // the server refused or failed without a clear reason
	ToolsNamed     ToolCause = "named"     // the server's message is about tool calls
)

// toolCause decides whether the tool calls in a request caused its failure.
func (e *Error) toolCause(r Request) ToolCause {
	failed := e.Kind == ErrBadRequest || e.Kind == ErrServer
	denied := e.Kind == ErrNotFound || e.Kind == ErrBadResponse || e.Kind == ErrAuth && e.Status == 403
	switch {
	case !r.holdsToolCalls() || !failed && !denied:
		return NotTools
	case toolText().MatchString(e.Message), parserText().MatchString(e.Message):
		return ToolsNamed
	case failed:
		return ToolsSuspected
	}
	return NotTools
}

// bodyMax is how much of a failed response is kept, in bytes.
const bodyMax = 64 << 10

// refusalError returns the error of a refusal, as a response of its own or inside a stream that began with status 200.
func (c *Client) refusalError(status int, h http.Header, body []byte, model string) *Error {
	words := wire.Refusal(body).Details()
	e := c.newError(model)
	e.Status = status
	if status < 300 && !words.Page {
		e.Status = words.Status // The status of a stream was sent before the failure.
	}
	e.Message = c.redacted(cmp.Or(words.Message, words.Codes))
	e.Body = c.redacted(string(body)) // Redact first: the limit could cut a key in two.
	e.Body = strings.ToValidUTF8(e.Body[:min(len(e.Body), bodyMax)], "")
	e.Wait = waitFrom(h, words.Message, time.Now())
	text := words.Codes + " " + words.Message
	found := findPattern(refusals, e.Status, text)
	e.Kind, e.say = found.kind, found.say
	switch {
	case e.Kind != ErrRateLimit && words.Limit > 0 && words.Prompt > 0:
		e.Kind, e.Limit, e.Prompt = ErrTooLong, words.Limit, words.Prompt
	case e.Status == 400 && words.Empty:
		e.Kind = ErrTooLong // Cerebras sends no body.
	case e.Kind == ErrTooLong:
		e.readNumbers(text)
	case e.Kind == ErrAuth && e.say == "":
		e.say, e.advice = c.endpoint.keySentence()
	case e.Kind == ErrNotFound && (e.say == "" || model == ""): // Without a model, the list was requested.
		e.say, e.advice = "", checkURL
	}
	// A web page with another status comes from a proxy, and its title tells what failed.
	if words.Page && (status < 300 || status == 404 || status == 405) {
		e.say, e.advice = "{where} answered with a web page instead of an API{status}", checkURL
	}
	return e
}

// keySentence tells what is wrong with the key, and advises winnow keys set if that can store a key for the endpoint.
func (e Endpoint) keySentence() (say, advice string) {
	from, sent := e.KeyOrigin.String(), e.key() != "" || len(e.Secrets()) > 0
	switch {
	case sent && from != "":
		say = "{who} rejected the API key from " + from + "{status}"
	case e.KeyOrigin.Kind == keys.Variable:
		say = "{who} requires an API key, and " + from + " is not set{status}"
	case !sent:
		say = "{who} requires an API key and none is set{status}"
	}
	if e.StoredKey != nil {
		advice = "run winnow keys set " + e.Name + " to store one"
	}
	return say, advice
}

// readRefusal reads a response with a failure status. The status alone is enough, so it does not wait long for the
// body.
func (c *Client) readRefusal(resp *http.Response, model string) *Error {
	resp.Body.(*watchedBody).answerComplete = true
	body, _ := io.ReadAll(io.LimitReader(resp.Body, bodyMax+1<<10)) // Use whatever arrived.
	e := c.refusalError(resp.StatusCode, resp.Header, body, model)
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		e.Kind, e.permanent = ErrNotFound, true
		e.say, e.advice = "{where} redirects, and winnow does not follow redirects{status}", checkURL
		e.Message = c.redacted(resp.Header.Get("Location"))
	}
	return e
}

// unexpectedBody is the error of a successful response that is not what was requested: a web page, an empty body, or
// JSON of another kind.
func (c *Client) unexpectedBody(resp *http.Response, body []byte, model string) *Error {
	e := c.refusalError(resp.StatusCode, resp.Header, body, model)
	if !wire.Refusal(body).Details().Page {
		e.say, e.advice = "", ""
		e.Message = cmp.Or(e.Message, strings.TrimSpace(e.Body), "the answer is empty")
	}
	e.Kind, e.Status, e.permanent = ErrBadResponse, resp.StatusCode, true
	e.Limit, e.Prompt, e.Output = 0, 0, 0
	return e
}

// connectionError is the error of a request without a response.
func (c *Client) connectionError(err error, model string) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if address := new(url.Error); errors.As(err, &address) {
		err = address.Err // Its text repeats the method and the URL.
	}
	e := c.newError(model)
	found := findPattern(connectionFaults, 0, err.Error())
	e.Kind, e.Message, e.permanent = ErrNetwork, cmp.Or(found.say, c.redacted(err.Error())), found.permanent
	var timeout net.Error
	var dns *net.DNSError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Kind, e.Address = ErrConnectionRefused, c.endpoint.rootURL()
	case errors.As(err, &dns):
		if dns.IsNotFound {
			e.Message = "the host name " + dns.Name + " cannot be resolved; is the network up?"
		}
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Kind, e.Message = ErrTimeout, ""
	}
	return e
}

// permanentError is an error that every further attempt would return. reason may be nil.
func (c *Client) permanentError(kind ErrorKind, model string, reason error) *Error {
	e := c.newError(model)
	if e.Kind, e.permanent, e.Err = kind, true, reason; reason != nil {
		e.Message = reason.Error()
	}
	return e
}

// newError returns an error with the endpoint and the model filled in.
func (c *Client) newError(model string) *Error {
	return &Error{Endpoint: c.endpoint.Name, Address: c.endpoint.DisplayURL(), Model: model}
}

// redacted is text of a server without secrets.
func (c *Client) redacted(text string) string {
	return c.redactor.Redact(strings.ToValidUTF8(text, "\uFFFD"))
}

// waitFrom is how long a failed response asks to wait, 0 if it does not. Dedicated headers take precedence over rate
// limit headers, and these over the message.
func waitFrom(h http.Header, message string, now time.Time) time.Duration {
	ms, _ := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64)
	inText := duration(strings.ToLower(waitText().FindString(message)))
	return cmp.Or(seconds(ms/1000), waitUntil(h.Get("Retry-After"), now), resetWait(h, now), inText)
}

// resetWait reads the headers that tell when a rate limit is renewed. Servers send one for each kind of limit on every
// response, so those with nothing remaining count. If none is used up, the limit of tokens counts, because the request
// may need more than what remains.
func resetWait(h http.Header, now time.Time) time.Duration {
	var used, tokens, longest time.Duration
	for name := range h {
		low := strings.ToLower(name)
		if !strings.Contains(low, "ratelimit") || !strings.Contains(low, "reset") {
			continue
		}
		wait := waitUntil(h.Get(name), now)
		longest = max(longest, wait)
		if strings.Contains(low, "token") {
			tokens = max(tokens, wait)
		}
		if h.Get(strings.Replace(low, "reset", "remaining", 1)) == "0" {
			used = max(used, wait)
		}
	}
	return cmp.Or(used, tokens, longest)
}

// waitUntil is the time until the moment that a header names: in seconds, as epoch seconds or milliseconds, as an HTTP
// date, in RFC 3339, or as a duration such as 6m0s or 1d2h.
func waitUntil(value string, now time.Time) time.Duration {
	if n, err := strconv.ParseFloat(value, 64); err == nil {
		switch {
		case n > 1e11:
			return max(0, time.UnixMilli(int64(n)).Sub(now))
		case n > 1e9:
			return max(0, time.Unix(int64(n), 0).Sub(now))
		}
		return seconds(n)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		at, err = time.Parse(time.RFC3339, value)
	}
	if err != nil {
		return duration(value)
	}
	return max(0, at.Sub(now))
}

var (
	waitText = fold(`(?:again|retry|wait|available)(?: in| after| for)?:?\s+(?:[0-9.]+\s*[a-z]+\s*)+`)
	timeUnit = lazyRegexp(`([0-9.]+)\s*(ms|milli|[dhms])`)
)

// duration adds up the days, hours, minutes, seconds and milliseconds in a text.
func duration(text string) (d time.Duration) {
	units := map[string]float64{"ms": 0.001, "milli": 0.001, "s": 1, "m": 60, "h": 60 * 60, "d": 24 * 60 * 60}
	for _, part := range timeUnit().FindAllStringSubmatch(text, -1) {
		n, _ := strconv.ParseFloat(part[1], 64)
		d += seconds(n * units[part[2]])
	}
	return d
}

// seconds converts to a Duration between 0 and a year.
func seconds(n float64) time.Duration {
	const year = 365 * 24 * 60 * 60
	if !(n > 0) { // also for NaN
		return 0
	}
	return time.Duration(min(n, year) * float64(time.Second))
}
