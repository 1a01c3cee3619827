package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Refusal is what a server sent in the place of an answer, or inside one: a JSON value, a text or a web page that says
// why there is none.
type Refusal []byte

func (r Refusal) Error() string { return "the server sent an error: " + string(r) }

// Words are what a refusal says, however the server writes it.
type RefusalDetails struct {
	Message string
	Codes   string // type, code, status and reasons, with blanks between
	Status  int    // an HTTP status that it names, 0 for none
	Prompt  int    // llama.cpp's n_prompt_tokens, 0 for none
	Limit   int    // llama.cpp's n_ctx, 0 for none
	Page    bool   // it is a web page; Message is its title
	Empty   bool   // it is nothing at all
}

var title = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`) })

// Words reads a refusal.
func (r Refusal) Details() RefusalDetails {
	body := bytes.TrimSpace(bytes.TrimPrefix(r, []byte("\ufeff")))
	w := RefusalDetails{Page: bytes.HasPrefix(body, []byte{'<'}), Empty: len(body) == 0}
	var value any
	switch err := json.Unmarshal(body, &value); {
	case w.Page:
		if m := title().FindSubmatch(body); m != nil {
			w.Message = html.UnescapeString(string(m[1]))
		}
	case err == nil:
		w.read(value, 0)
	default:
		w.Message = string(body)
	}
	w.Codes = strings.TrimSpace(w.Codes)
	return w
}

// wordKeys are those of the words in an object, as some server writes them. FastAPI names a field in a list: loc.
var wordKeys = []string{"error", "message", "msg", "loc", "detail", "errors", "metadata", "raw", "details"}

// read takes what a JSON value says: a text, a list, or an object with the keys that some server uses, in any nesting.
// Depth ends what a hostile server nests.
func (w *RefusalDetails) read(v any, depth int) {
	if depth > 6 {
		return
	}
	switch v := v.(type) {
	case string:
		// Ollama hands on the errors of its runner, and OpenRouter those of providers, which are JSON, as a text.
		var inner map[string]any
		if json.Unmarshal([]byte(v), &inner) == nil && inner != nil {
			w.read(inner, depth+1)
		} else if v = strings.TrimSpace(v); v != "" && !strings.Contains(w.Message, v) {
			if w.Message != "" {
				w.Message = strings.TrimRight(w.Message, ".:; ") + ": "
			}
			w.Message += v
		}
	case []any:
		for _, item := range v {
			w.read(item, depth+1)
		}
	case map[string]any:
		w.fields(v)
		for _, key := range wordKeys {
			w.read(v[key], depth+1)
		}
	}
}

// fields takes what is beside the words of an object.
func (w *RefusalDetails) fields(of map[string]any) {
	for _, key := range []string{"type", "code", "status", "reason"} {
		if _, nested := of[key].(map[string]any); of[key] != nil && of[key] != "error" && !nested {
			w.Codes += fmt.Sprint(" ", of[key])
		}
	}
	number := func(key string) int {
		n, _ := strconv.ParseFloat(fmt.Sprint(of[key]), 64)
		return int(min(n, 1<<53))
	}
	if n := number("code"); n >= 400 && n < 600 {
		w.Status = n
	}
	w.Prompt, w.Limit = max(w.Prompt, number("n_prompt_tokens")), max(w.Limit, number("n_ctx"))
}
