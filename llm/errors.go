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

// ErrorKind says what went wrong, as far as a caller acts on it. It is an error so that errors.Is finds it.
type ErrorKind string

// The kinds of an Error.
const (
	ErrAuth              ErrorKind = "auth"        // the key was refused, or none was sent
	ErrPayment           ErrorKind = "payment"     // no credit left
	ErrNotFound          ErrorKind = "not-found"   // the model is not known, or the address does not provide this API
	ErrRateLimit         ErrorKind = "rate-limit"  // too many requests or tokens for now
	ErrContextLength     ErrorKind = "overflow"    // the request is longer than the model's window
	ErrBadRequest        ErrorKind = "bad-request" // the server does not take this request
	ErrServer            ErrorKind = "server"      // the server failed
	ErrConnectionRefused ErrorKind = "refused"     // nothing listens at the address
	ErrNetwork           ErrorKind = "network"     // the server cannot be reached
	ErrTimeout           ErrorKind = "timed-out"   // the server was silent for too long
	ErrBadResponse       ErrorKind = "bad-stream"  // the answer is not one of a chat API
	ErrEmptyAnswer       ErrorKind = "empty"       // the answer has nothing in it
	ErrConnectionLost    ErrorKind = "broken"      // the connection broke while the answer arrived
	ErrAnswerTooLong     ErrorKind = "endless"     // the answer grew beyond LargestAnswer
	ErrStopped           ErrorKind = "stopped"     // the caller's context ended: not a failure
)

// Error makes a kind a target for errors.Is: errors.Is(err, llm.ErrContextLength).
func (k ErrorKind) Error() string { return string(k) }

// Error is everything that is known about a request that failed. Its text is one sentence for
// the user. No field holds the endpoint's key, even where the server sent it back.
type Error struct {
	Kind      ErrorKind
	Status    int           // the HTTP status, 0 for none
	Message   string        // the server's own words, "" for none
	Body      string        // as received, at most 64 KiB
	Wait      time.Duration // what the server asked for, 0 for nothing
	Limit     int           // overflow: the window in tokens, 0 where not said
	Prompt    int           // overflow: the request's tokens, 0 where not said
	AtLeast   bool          // overflow: the request has Prompt tokens or more
	Output    int           // overflow: the reply's tokens that were asked for, 0 where not said
	Endpoint  string        // the endpoint's name
	Address   string        // where it is, for people
	Model     string
	Unsent    bool      // stopped: the try that was waited for did not leave
	Replan    bool      // the refusal taught how the model wants its history: planned again, the request may pass
	ToolCause ToolCause // whether tool calls in the request are the reason
	Err       error     // what lies beneath, nil for none

	say       string // what failed, with {words} to be filled in; "" is the sentence of the kind
	advice    string // what to do about it, "" for nothing
	permanent bool   // trying again cannot help, whatever the status says
}

// Is reports whether target is the kind of the error.
func (e *Error) Is(target error) bool { return target == e.Kind }

// Unwrap gives what lies beneath.
func (e *Error) Unwrap() error { return e.Err }

// Retryable says that the same request may succeed later: the server was busy, failing or
// not reached. It is false where the same request would fail the same way.
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

// Unreached says that the server could not be talked to at all: nothing listens, it did not answer, or it
// refused the key.
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

// sentences say what failed, by kind.
var sentences = map[ErrorKind]string{
	ErrAuth:              "{who} rejected the API key{status}",
	ErrPayment:           "{who} requires payment{status}",
	ErrNotFound:          "{where} does not provide this API{status}",
	ErrRateLimit:         "{who} reports a rate limit{status}{wait}",
	ErrContextLength:     "the request is too long for {model}{status}",
	ErrBadRequest:        "{who} refused the request{status}",
	ErrServer:            "{who} failed{status}{wait}",
	ErrConnectionRefused: "nothing answers at {where} (connection refused); is the server running?",
	ErrNetwork:           "{where} cannot be reached",
	ErrTimeout:           "{where} did not answer in time",
	ErrBadResponse:       "{who} sent a response that is not a chat completion{status}",
	ErrEmptyAnswer:       "the model answered nothing{status}",
	ErrConnectionLost:    "the connection to {who} was lost before the answer was complete",
	ErrAnswerTooLong:     "the answer of {who} exceeded 16 MiB and was cut off",
	ErrStopped:           "stopped",
	"":                   "{who} did not answer{status}",
}

// what says what failed.
func (e *Error) what() string {
	say := cmp.Or(e.say, sentences[e.Kind])
	switch {
	case e.ToolCause == ToolsNamed:
		say = "{who} does not accept the tool calls in this conversation{status}"
	case e.Kind == ErrContextLength && e.Limit > 0:
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

// Error says to the user what failed, then what the server wrote, then what to do.
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

// WithoutWords is the text of the error without the server's own words.
func (e *Error) WithoutServerWords() string {
	if e.advice == "" {
		return e.what()
	}
	return e.what() + "; " + e.advice
}

// Words are the server's own words that the error's text quotes: "" for none, and where winnow says the same.
func (e *Error) ServerWords() string {
	if e.Kind == ErrConnectionRefused || e.Kind == ErrStopped || e.Kind == ErrContextLength && e.Limit > 0 {
		return ""
	}
	return oneLine(e.Message, sentenceMax)
}

// sentenceMax is how much of a server's own words goes into a sentence, in code points. All of
// them stay in Error.Message.
const sentenceMax = 300

// oneLine makes foreign text fit for a sentence: white space becomes single spaces, control and
// format characters, with which a server could move the cursor, go, and a long text is cut.
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

// cause is a reason for which a request fails: by what a server answers, or by what net/http says.
type errorPattern struct {
	statuses  string                // numbers, classes such as 5xx, 0 for none; "" is any
	text      func() *regexp.Regexp // what is said; nil is anything
	kind      ErrorKind
	say       string // what failed; "" is the sentence of the kind
	permanent bool   // it comes again the next time
}

// refusals are in the order in which they are looked for: the first that fits counts, because servers disagree about
// statuses.
var refusals = []errorPattern{
	{statuses: "402", kind: ErrPayment},
	{text: caseless(`insufficient_(?:quota|balance)`), kind: ErrPayment},
	{statuses: "403", kind: ErrAuth, say: "{who} denied access{status}"},
	{statuses: "407", kind: ErrAuth, say: "{who} is behind a proxy that requires a password{status}"},
	{statuses: "401", kind: ErrAuth},
	{text: caseless(`invalid_api_key|API_KEY_INVALID`), kind: ErrAuth},

	// Some limits of a rate name tokens like an overflow; cutting the request would not help.
	{statuses: "429", kind: ErrRateLimit},
	{kind: ErrRateLimit, text: caseless(`rate[-_ ]?limit|quota exceeded|exceeded [^.\n]{0,40}quota|throttl|` +
		`too many (?:requests|tokens)|tokens per (?:minute|hour|day)`)},

	{text: overflowText, kind: ErrContextLength},
	{statuses: "413", kind: ErrContextLength},

	{statuses: "4xx", text: namesResponses, kind: ErrBadRequest}, // With 404 too: the model is there, for another API,
	{statuses: "4xx", text: refusesKept, kind: ErrBadRequest},    // or what is not there is a part of the request.
	{statuses: "0 4xx", text: modelUnknown, kind: ErrNotFound, say: noModel},
	{statuses: "404 405", text: caseless(`model`), kind: ErrNotFound, say: noModel},
	{statuses: "404 405", kind: ErrNotFound},
	{statuses: "408", kind: ErrTimeout, say: "{who} timed out{status}"},
	{statuses: "0 5xx", text: parserText, kind: ErrBadRequest},
	{statuses: "0 5xx", text: templateText, kind: ErrBadRequest},
	{statuses: "0 500", text: toolText, kind: ErrBadRequest},
	{statuses: "0", text: caseless(`invalid_|image_`), kind: ErrBadRequest},
	{statuses: "0 2xx 5xx", kind: ErrServer},
	{kind: ErrBadRequest},
}

// connectionFaults are what net and net/http say of a connection that brings no answer, and what winnow says then.
// Where it says nothing, the text of the error has to do.
var connectionFaults = []errorPattern{
	{text: caseless(`network is unreachable|no route to host|\blookup `), say: "there is no network"},
	{text: caseless(`certificate|x509`), say: "its certificate cannot be verified", permanent: true},
	{text: caseless(`to HTTPS client|tls: `), say: "there is no encrypted connection; " + checkURL, permanent: true},
	{text: caseless(`unsupported protocol|invalid header`), permanent: true},
	// The second is said of a server that speaks before it was asked.
	{text: caseless(`malformed HTTP|readLoopPeekFailLocked`), say: "it does not use HTTP; " + checkURL, permanent: true},
	{
		text: caseless(`\bEOF$|connection reset|broken pipe|forcibly closed|closed idle|malformed MIME`),
		say:  "the connection was closed before an answer",
	},
	{},
}

const (
	noModel  = "{who} does not have the model {model}{status}"
	checkURL = "check the base URL"
)

// find is the first of the causes that fits a status and a text.
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

// lazyRegexp compiles a regular expression when it is first used. Most of those for refusals never are, and
// compiling all of them takes a tenth of the program's start.
func lazyRegexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// says is lazyRegexp for words of any case.
func caseless(words string) func() *regexp.Regexp { return lazyRegexp(`(?i)` + words) }

var (
	modelUnknown = caseless(`model_not_found|model_not_exist|(?:unknown|invalid|no such) model|not a valid model|` +
		`model .{0,120}(?:not found|does ?n[o']t exist|not exist|unknown|is not available)`)

	// overflowText is what servers say about a request that is longer than the window.
	overflowText = caseless(`maximum (?:context|prompt) length|reached context length|context_length_exceeded|` +
		`exceed_context_size_error|context shift is disabled|length of only \d+ tokens|>= n_ctx|` +
		`max_(?:completion_)?tokens must be at least 1, got -\d+|longer than (?:the|the model'?s) context length|` +
		`context (?:window|size|length) (?:exceeds limit|has been exceeded|exceeded)|` +
		`exceeds? (?:the |available |model'?s |maximum ){1,3}(?:context|number of tokens)|` +
		`exceeded (?:max(?:imum)? context length|model token limit)|token count of \d+ exceeds|` +
		`prompt (?:is )?too long|prompt exceeds max length|reduce the length of (?:the|your) (?:messages|prompt|input)`)

	// templateText is what llama.cpp and its kin say with status 500 about a request that they will never take: a
	// message order their chat template refuses, a tool call they cannot parse.
	templateText = caseless(`\bjinja\b|chat template|raise_exception|roles must alternate|` +
		`system message must be|after the optional system|prefill|assistant messages at the end|` +
		`must contain 'content'|` +
		`invalid message content|unexpected role|does not support tools|failed to parse (?:messages|input)|` +
		`no user query found|is not iterable|image input is not supported`)

	// parserText is what parsers of JSON say: Python's, nlohmann's in llama.cpp, Go's, Rust's. What winnow sends is
	// JSON, so it was the arguments of a tool call that they could not read.
	parserText = caseless(`(?:at |: )line \d+,? column \d+|jsondecodeerror|json\.exception|value looks like object, but|` +
		`unexpected end of json input|looking for beginning of (?:value|object key)|` +
		`after (?:object key|array element|top-level value)\b`)

	// toolText is what servers say about tool calls and their results, in general and where they cannot read them or do
	// not take their order. It says something only about a request that holds tool calls.
	toolText = caseless(`\btool[ _-]?(?:calls?|calling|results?|responses?|messages?|outputs?|call_ids?|blocks?)\b|` +
		`\bfunction[ _-]?(?:calls?|calling|responses?|results?|outputs?)\b|\brole\W{0,4}tool\b|\btool\W{0,4}role|` +
		`cannot unmarshal [^\n]{0,80}(?:toolcall|arguments)|can only get item pairs from a mapping|` + // templates
		`only user(?:,| and) [^\n]{0,40}roles are supported|` +
		`did not have response messages|without its required '(?:reasoning|function_call)' item|` + // the Responses API
		`\btool_?use(?:_id)?\b|\btoolconfig\b|\btooluse blocks?\b|` + // Anthropic and Bedrock
		`unexpected role '(?:tool|function)'|unexpected role '\w+' after role '(?:tool|function)'|` + // Mistral
		`expected last role user or tool|messages\W{0,3}\d+\W{0,3}tool_call|thought_signature`)
)

// The numbers in what servers say about an overflow: the window, the tokens of the request and those of tools beside
// them, those that it has at least because the server counted no further, those of the reply, and the sum of request
// and reply.
var (
	limitNumber = caseless(`length (?:is|of)(?: only)? (\d+)|with (\d+) maximum|context (?:size|length) \((\d+) tokens|` +
		`n_ctx \((\d+)\)|> (\d+) maximum|allowed \((\d+)\)|token limit: (\d+)|limit of (\d+)`)
	promptNumber = caseless(`(\d+) (?:in the messages|of text input)|(?:messages|prompt|input) ` +
		`(?:resulted in|has|contains?) (\d+) tokens|request contains (\d+)|(?:request|input) \((\d+) tokens|` +
		`first (\d+) tokens|n_keep \((\d+)\)|too long: (\d+) tokens|token count (?:of )?\(?(\d+)|requested: (\d+)`)
	toolsNumber = caseless(`(\d+) of tool input`)
	leastNumber = caseless(`at least (\d+) input tokens`)
	replyNumber = caseless(`(\d+) (?:in the (?:completion|output)|output tokens)`)
	totalNumber = caseless(`requested (?:about )?(\d+) tokens`)
)

// readNumbers reads the numbers of a text about an overflow.
func (e *Error) readNumbers(text string) {
	number := func(pattern func() *regexp.Regexp) int {
		groups := pattern().FindStringSubmatch(text)
		if groups == nil {
			return 0
		}
		n, _ := strconv.Atoi(strings.Join(groups[1:], "")) // One of the groups matched.
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

// ToolCause says whether tool calls in a request are why it failed.
type ToolCause string

// How sure it is that tool calls in a request are why it failed.
const (
	ToolsNotSuspected ToolCause = ""          // it held none, or something else is the reason
	ToolsSuspected    ToolCause = "suspected" // the server refused it or failed without a reason that tells
	ToolsNamed        ToolCause = "named"     // the server says so
)

// toolCause says whether the tool calls in a request are why it failed.
func (e *Error) toolCause(r Request) ToolCause {
	failed := e.Kind == ErrBadRequest || e.Kind == ErrServer
	denied := e.Kind == ErrNotFound || e.Kind == ErrBadResponse || e.Kind == ErrAuth && e.Status == 403
	switch {
	case !r.holdsToolCalls() || !failed && !denied:
		return ToolsNotSuspected
	case toolText().MatchString(e.Message), parserText().MatchString(e.Message):
		return ToolsNamed
	case failed:
		return ToolsSuspected
	}
	return ToolsNotSuspected
}

// bodyMax is how much of a failed answer is kept, in bytes.
const bodyMax = 64 << 10

// failure makes the error of an answer that says no: by status, or inside a stream with the stream's status 200.
func (c *Client) refusalError(status int, h http.Header, body []byte, model string) *Error {
	words := wire.Refusal(body).Details()
	e := c.newError(model)
	e.Status = status
	if status < 300 && !words.Page {
		e.Status = words.Status // Inside a stream the status was sent before the failure.
	}
	e.Message = c.redacted(cmp.Or(words.Message, words.Codes))
	e.Body = c.redacted(string(body)) // A key could be cut in two by the limit and then not be found.
	e.Body = strings.ToValidUTF8(e.Body[:min(len(e.Body), bodyMax)], "")
	e.Wait = waitFrom(h, words.Message, time.Now())
	text := words.Codes + " " + words.Message
	found := findPattern(refusals, e.Status, text)
	e.Kind, e.say = found.kind, found.say
	switch {
	case e.Kind != ErrRateLimit && words.Limit > 0 && words.Prompt > 0:
		e.Kind, e.Limit, e.Prompt = ErrContextLength, words.Limit, words.Prompt
	case e.Status == 400 && words.Empty:
		e.Kind = ErrContextLength // Cerebras says nothing at all.
	case e.Kind == ErrContextLength:
		e.readNumbers(text)
	case e.Kind == ErrAuth && e.say == "":
		e.say, e.advice = c.endpoint.keySentence()
	case e.Kind == ErrNotFound && (e.say == "" || model == ""): // Without a model, a list of them was asked for.
		e.say, e.advice = "", checkURL
	}
	// A page with another failure is a proxy's; its title says what failed.
	if words.Page && (status < 300 || status == 404 || status == 405) {
		e.say, e.advice = "{where} answered with a web page instead of an API{status}", checkURL
	}
	return e
}

// keySentence says what is wrong with the key, and what to do where winnow keys set stores one for the endpoint.
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

// failed reads the answer to a request that a server turned down. The status says that already, so that the words are
// not waited for long.
func (c *Client) readRefusal(resp *http.Response, model string) *Error {
	resp.Body.(*watchedBody).answerComplete = true
	body, _ := io.ReadAll(io.LimitReader(resp.Body, bodyMax+1<<10)) // What came has to do.
	e := c.refusalError(resp.StatusCode, resp.Header, body, model)
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		e.Kind, e.permanent = ErrNotFound, true
		e.say, e.advice = "{where} redirects, and winnow does not follow redirects{status}", checkURL
		e.Message = c.redacted(resp.Header.Get("Location"))
	}
	return e
}

// strange is the error of an answer with a good status that is not what was asked for: a web page, nothing at
// all, or JSON of something else.
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

// unreached makes the error of a request that got no answer.
func (c *Client) connectionError(err error, model string) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if address := new(url.Error); errors.As(err, &address) {
		err = address.Err // Its text repeats method and address.
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

// lasting is an error that comes again whenever the same is asked, with its reason, nil for none.
func (c *Client) permanentError(kind ErrorKind, model string, reason error) *Error {
	e := c.newError(model)
	if e.Kind, e.permanent, e.Err = kind, true, reason; reason != nil {
		e.Message = reason.Error()
	}
	return e
}

// blank is an error that knows who was asked what.
func (c *Client) newError(model string) *Error {
	return &Error{Endpoint: c.endpoint.Name, Address: c.endpoint.DisplayURL(), Model: model}
}

// shown is foreign text without secrets.
func (c *Client) redacted(text string) string {
	return c.redactor.Redact(strings.ToValidUTF8(text, "\uFFFD"))
}

// waitFrom is how long a failed answer asks to be left alone, 0 where it does not say. A header
// made for the purpose goes first, then the windows that are used up, then the message.
func waitFrom(h http.Header, message string, now time.Time) time.Duration {
	ms, _ := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64)
	inText := duration(strings.ToLower(waitText().FindString(message)))
	return cmp.Or(seconds(ms/1000), waitUntil(h.Get("Retry-After"), now), resetWait(h, now), inText)
}

// resetWait reads the headers that say when a limit is renewed. Servers send one per kind of
// limit on every answer, so the ones with nothing remaining count; where none says that, the one
// for tokens does, because a request may be larger than what remains.
func resetWait(h http.Header, now time.Time) time.Duration {
	var used, tokens, any time.Duration
	for name := range h {
		low := strings.ToLower(name)
		if !strings.Contains(low, "ratelimit") || !strings.Contains(low, "reset") {
			continue
		}
		any = waitUntil(h.Get(name), now)
		if strings.Contains(low, "token") {
			tokens = max(tokens, any)
		}
		if h.Get(strings.Replace(low, "reset", "remaining", 1)) == "0" {
			used = max(used, any)
		}
	}
	return cmp.Or(used, tokens, any)
}

// moment reads how long it is until the time that a header names in any format in use:
// seconds, epoch seconds, epoch milliseconds, an HTTP date, RFC 3339, a duration such as 6m0s or 1d2h.
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
	waitText = caseless(`(?:again|retry|wait|available)(?: in| after| for)?:?\s+(?:[0-9.]+\s*[a-z]+\s*)+`)
	timeUnit = lazyRegexp(`([0-9.]+)\s*(ms|milli|[dhms])`)
)

// duration adds up what a text says in days, hours, minutes, seconds and milliseconds.
func duration(text string) (d time.Duration) {
	units := map[string]float64{"ms": 0.001, "milli": 0.001, "s": 1, "m": 60, "h": 60 * 60, "d": 24 * 60 * 60}
	for _, part := range timeUnit().FindAllStringSubmatch(text, -1) {
		n, _ := strconv.ParseFloat(part[1], 64)
		d += seconds(n * units[part[2]])
	}
	return d
}

// seconds is a duration: none below zero, at most a year.
func seconds(n float64) time.Duration {
	const year = 365 * 24 * 60 * 60
	if !(n > 0) { // NaN is not.
		return 0
	}
	return time.Duration(min(n, year) * float64(time.Second))
}
