package llm

import (
	"bytes"
	"html"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// refusal is what an error body says, however the server writes it.
type refusal struct {
	message string
	code    string        // code, or status where that is a word
	kind    string        // type
	status  int           // an HTTP status that the body names
	prompt  int           // llama.cpp's n_prompt_tokens
	limit   int           // llama.cpp's n_ctx
	retry   time.Duration // google.rpc.RetryInfo
	reset   string        // OpenRouter's copy of its rate limit header
	page    bool          // a web page; message is its title
	object  bool          // a JSON value that says something
}

// text is everything in it that tells one refusal from another.
func (r refusal) text() string { return r.kind + " " + r.code + " " + r.message }

// lazyRegexp compiles a regular expression when it is first used. Most of those for refusals never are, and
// compiling all of them takes a tenth of the program's start.
func lazyRegexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

var title = lazyRegexp(`(?is)<title[^>]*>(.*?)</title>`)

// parseRefusal reads an error body. It knows an object with the error as an object or a text, the
// error's fields at the top (vLLM, Mistral), a list of one such (Gemini), a detail (FastAPI), a
// plain text and a web page.
func parseRefusal(body []byte) refusal {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if len(body) == 0 {
		return refusal{}
	}
	if body[0] == '<' {
		r := refusal{page: true}
		if m := title().FindSubmatch(body); m != nil {
			r.message = html.UnescapeString(string(m[1]))
		}
		return r
	}
	value := decoded(body)
	if value == nil && string(body) != "null" {
		return refusal{message: string(body)}
	}
	r := refusal{object: true}
	r.value(value, 0)
	return r
}

// value takes what a JSON value says. Depth ends what a hostile server nests.
func (r *refusal) value(v any, depth int) {
	if depth > 4 {
		return
	}
	switch v := v.(type) {
	case string:
		// Ollama hands on the errors of its runner, which are JSON, as a text.
		if inner := object(decoded([]byte(strings.TrimSpace(v)))); inner != nil {
			r.members(inner, depth)
			return
		}
		r.say(v)
	case []any:
		for _, item := range v {
			r.value(item, depth+1)
		}
	case map[string]any:
		r.members(v, depth)
	}
}

func (r *refusal) members(object map[string]any, depth int) {
	r.fields(object)
	loc := location(object["loc"])
	for _, key := range []string{"error", "message", "msg", "detail", "errors"} {
		before := len(r.message)
		r.value(object[key], depth+1)
		if loc != "" && len(r.message) > before {
			r.message += " (" + loc + ")"
			loc = ""
		}
	}
	r.metadata(object["metadata"], depth)
	r.details(object["details"])
}

func (r *refusal) fields(object map[string]any) {
	if s := scalar(object["type"]); s != "" && r.kind == "" && s != "error" {
		r.kind = s
	}
	if s := scalar(object["code"]); s != "" {
		if n, err := strconv.Atoi(s); err == nil && n >= 400 && n < 600 {
			r.status = n
		}
		r.code = strings.TrimSpace(r.code + " " + s)
	}
	if s := scalar(object["status"]); s != "" {
		r.code = strings.TrimSpace(r.code + " " + s)
	}
	if n := number(object["n_prompt_tokens"]); n > 0 {
		r.prompt = n
	}
	if n := number(object["n_ctx"]); n > 0 {
		r.limit = n
	}
}

// metadata is OpenRouter's: raw holds the words of the provider behind it, headers its limits.
func (r *refusal) metadata(v any, depth int) {
	meta := object(v)
	for name, value := range object(meta["headers"]) {
		if strings.EqualFold(name, "X-RateLimit-Reset") {
			r.reset = scalar(value)
		}
	}
	raw := meta["raw"]
	if text, ok := raw.(string); ok {
		if inner := decoded([]byte(text)); inner != nil {
			raw = inner
		}
	}
	r.value(raw, depth+1)
}

// details are google.rpc ones: the wait stands in one of them, the reason in another.
func (r *refusal) details(v any) {
	list, _ := v.([]any)
	for _, item := range list {
		detail := object(item)
		r.code = strings.TrimSpace(r.code + " " + scalar(detail["reason"]))
		if wait, ok := duration(scalar(detail["retryDelay"])); ok && wait > 0 {
			r.retry = wait
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
	var words []string
	for _, item := range list {
		if s := scalar(item); s != "" {
			words = append(words, s)
		}
	}
	return strings.Join(words, ".")
}
