package llm

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// refusal is what an error body says, whatever its shape.
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

var title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

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
		if m := title.FindSubmatch(body); m != nil {
			r.message = html.UnescapeString(string(m[1]))
		}
		return r
	}
	if !json.Valid(body) {
		return refusal{message: string(body)}
	}
	var r refusal
	r.object = true
	r.value(body, 0)
	return r
}

// value takes what a JSON value says. Depth ends what a hostile server nests.
func (r *refusal) value(raw json.RawMessage, depth int) {
	if depth > 4 {
		return
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		r.say(text)
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for _, item := range list {
			r.value(item, depth+1)
		}
		return
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return
	}
	r.members(object, depth)
}

func (r *refusal) members(object map[string]json.RawMessage, depth int) {
	r.fields(object)
	loc := place(object["loc"])
	for _, key := range []string{"error", "message", "msg", "detail", "errors"} {
		if raw, ok := object[key]; ok && string(raw) != "null" {
			before := len(r.message)
			r.value(raw, depth+1)
			if loc != "" && len(r.message) > before {
				r.message += " (" + loc + ")"
				loc = ""
			}
		}
	}
	if meta, ok := object["metadata"]; ok {
		r.metadata(meta, depth)
	}
	r.details(object["details"])
}

func (r *refusal) fields(object map[string]json.RawMessage) {
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
func (r *refusal) metadata(raw json.RawMessage, depth int) {
	var meta struct {
		Raw     json.RawMessage
		Headers map[string]json.RawMessage
	}
	if json.Unmarshal(raw, &meta) != nil {
		return
	}
	for name, value := range meta.Headers {
		if strings.EqualFold(name, "X-RateLimit-Reset") {
			r.reset = scalar(value)
		}
	}
	var text string
	if json.Unmarshal(meta.Raw, &text) == nil && json.Valid([]byte(text)) {
		r.value(json.RawMessage(text), depth+1)
		return
	}
	r.value(meta.Raw, depth+1)
}

// details are google.rpc ones: the wait stands in one of them, the reason in another.
func (r *refusal) details(raw json.RawMessage) {
	var details []struct {
		RetryDelay string `json:"retryDelay"`
		Reason     string `json:"reason"`
	}
	if json.Unmarshal(raw, &details) != nil {
		return
	}
	for _, d := range details {
		r.code = strings.TrimSpace(r.code + " " + d.Reason)
		if wait, ok := duration(d.RetryDelay); ok && wait > 0 {
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

// place joins FastAPI's loc: ["body", "stream_options"] is body.stream_options.
func place(raw json.RawMessage) string {
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	words := make([]string, 0, len(parts))
	for _, p := range parts {
		if s := scalar(p); s != "" {
			words = append(words, s)
		}
	}
	return strings.Join(words, ".")
}

// scalar is a string or a number as text, "" for anything else.
func scalar(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

// number is a JSON number, or one in a string, that is not negative; 0 for anything else.
func number(raw json.RawMessage) int {
	n, err := strconv.ParseFloat(scalar(raw), 64)
	if err != nil || n < 0 || n > 1<<40 {
		return 0
	}
	return int(n)
}

// isError says that a chunk of a stream is an error and not a part of an answer: it has an error
// that is not null, or says that it is one, or has neither choices nor anything else of an answer
// but a message or a detail.
func isError(chunk map[string]json.RawMessage) bool {
	if raw, ok := chunk["error"]; ok {
		switch s := string(bytes.TrimSpace(raw)); s {
		case "null", `""`, "false", "{}":
		default:
			return true
		}
	}
	for _, key := range []string{"object", "type"} {
		if scalar(chunk[key]) == "error" {
			return true
		}
	}
	if _, ok := chunk["choices"]; ok {
		return false
	}
	if _, ok := chunk["usage"]; ok {
		return false
	}
	_, detail := chunk["detail"]
	_, message := chunk["message"]
	_, errors := chunk["errors"]
	return detail || message || errors
}
