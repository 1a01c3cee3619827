package llm

import (
	"bytes"
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

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
	reset   string        // OpenRouter's copy of its rate limit header
	page    bool          // a web page; message is its title
	object  bool          // a JSON value that says something
}

// text is everything in it that tells one refusal from another.
func (r refusal) text() string { return strings.TrimSpace(r.codes) + " " + r.message }

// lazyRegexp compiles a regular expression when it is first used. Most of those for refusals never are, and
// compiling all of them takes a tenth of the program's start.
func lazyRegexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

var title = lazyRegexp(`(?is)<title[^>]*>(.*?)</title>`)

// parseRefusal reads an error body: a JSON value, a text or a web page.
func parseRefusal(body []byte) refusal {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	switch {
	case len(body) == 0:
		return refusal{}
	case body[0] == '<':
		r := refusal{page: true}
		if m := title().FindSubmatch(body); m != nil {
			r.message = html.UnescapeString(string(m[1]))
		}
		return r
	case !json.Valid(body):
		return refusal{message: string(body)}
	}
	r := refusal{object: true}
	r.read(decoded(body), 0)
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
		if inner := decoded([]byte(v)); object(inner) != nil {
			r.read(inner, depth+1)
			return
		}
		r.say(v)
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
		if loc := location(v["loc"]); loc != "" && len(r.message) > before {
			r.message += " (" + loc + ")"
		}
	}
}

// fields takes what is beside the words of an object.
func (r *refusal) fields(object map[string]any) {
	for _, key := range []string{"type", "code", "status", "reason"} {
		if s := scalar(object[key]); s != "" && s != "error" {
			r.codes += " " + s
		}
	}
	if n := number(object["code"]); n >= 400 && n < 600 {
		r.status = n
	}
	r.prompt = max(r.prompt, number(object["n_prompt_tokens"]))
	r.limit = max(r.limit, number(object["n_ctx"]))
	if wait, ok := duration(scalar(object["retryDelay"])); ok && wait > 0 {
		r.retry = wait
	}
	headers, _ := object["headers"].(map[string]any)
	for name, value := range headers {
		if strings.EqualFold(name, "X-RateLimit-Reset") {
			r.reset = scalar(value)
		}
	}
}

// say adds a text once.
func (r *refusal) say(text string) {
	text = strings.TrimSpace(text)
	if text == "" || strings.Contains(r.message, text) {
		return
	}
	if r.message != "" {
		r.message = strings.TrimRight(r.message, ".:; ") + ": "
	}
	r.message += text
}

// location joins FastAPI's loc: ["body", "stream_options"] is body.stream_options.
func location(v any) string {
	list, _ := v.([]any)
	words := make([]string, len(list))
	for i, item := range list {
		words[i] = scalar(item)
	}
	return strings.Join(words, ".")
}

// failure makes the error of an answer that says no: by status, or inside a stream with the stream's status 200.
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
		e.Message = c.endpoint.redact(strings.TrimSpace(words.codes))
	}
	e.Body = c.keep(body)
	e.Wait = waitFrom(h, words, time.Now())
	e.classify(words)
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
