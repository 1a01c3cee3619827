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

// Refusal is an error that a server sent instead of an answer or within one: JSON, text or a web page.
type Refusal []byte

func (r Refusal) Error() string { return "the server sent an error: " + string(r) }

// RefusalDetails is the content of a refusal, whatever its form.
type RefusalDetails struct {
	Message string
	Codes   string // type, code, status and reason, separated by spaces
	Status  int    // an HTTP status in the body, 0 for none
	Prompt  int    // llama.cpp's n_prompt_tokens, 0 for none
	Limit   int    // llama.cpp's n_ctx, 0 for none
	Page    bool   // a web page; Message is its title
	Empty   bool   // an empty body
}

var title = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`) })

// Details parses a refusal.
func (r Refusal) Details() RefusalDetails {
	body := bytes.TrimSpace(bytes.TrimPrefix(r, []byte("\ufeff")))
	w := RefusalDetails{
		Page: bytes.HasPrefix(body, []byte{'<'}), Empty: len(body) == 0,
	}
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

// wordKeys are the keys that may contain messages. FastAPI names the invalid field in a list: loc.
var wordKeys = []string{"error", "message", "msg", "loc", "detail", "errors", "metadata", "raw", "details"}

// read collects the messages in a JSON value: a string, a list, or an object with one of wordKeys, in any nesting.
// depth limits the recursion.
func (w *RefusalDetails) read(v any, depth int) {
	if depth > 6 {
		return
	}
	switch v := v.(type) {
	case string:
		// Ollama and OpenRouter pass on JSON errors of their runner or provider as a string.
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

// fields collects codes and numbers of an object.
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
