// Package llmtest holds the servers that tests talk to. The program is never linked with it.
package llmtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"winnow/llm/strict"
)

// Strict is a server of the profile: it takes POST …/chat/completions, or …/responses alone, answers every sound body
// with reply as a stream, and any other one with its refusal, as this server
// sends errors. It lists one model, named strict.
func Strict(p strict.Profile, reply string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, requestPath(p)) && r.Method == http.MethodPost:
			complete(w, r, p, reply)
		case p == strict.Responses && strings.HasSuffix(r.URL.Path, "/chat/completions"):
			answer(w, http.StatusNotFound, openAIError(&strict.Refusal{Text: "This model is only supported in v1/responses and not in v1/chat/completions."}))
		case strings.HasSuffix(r.URL.Path, "/models") && r.Method == http.MethodGet:
			answer(w, http.StatusOK, map[string]any{"object": "list", "data": []any{map[string]any{"id": model, "object": "model"}}})
		default:
			answer(w, http.StatusNotFound, map[string]any{"error": map[string]any{"message": "not found", "type": "invalid_request_error"}})
		}
	})
}

// requestPath is where a server of the profile takes requests.
func requestPath(p strict.Profile) string {
	if p == strict.Responses {
		return "/responses"
	}
	return "/chat/completions"
}

func complete(w http.ResponseWriter, r *http.Request, p strict.Profile, reply string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	if err := strict.Check(p, body); err != nil {
		refusal := err.(*strict.Refusal) // Check gives no other
		answer(w, refusal.Status, format(p)(refusal))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(v any) {
		text, _ := json.Marshal(v) // plain maps always encode
		_, _ = io.WriteString(w, "data: "+string(text)+"\n\n")
	}
	if p == strict.Responses {
		event(map[string]any{"type": "response.created", "response": map[string]any{"status": "in_progress"}})
		event(map[string]any{"type": "response.output_text.delta", "output_index": 0, "delta": reply})
		event(map[string]any{"type": "response.completed", "response": map[string]any{"status": "completed"}})
		return
	}
	chunk := func(delta map[string]any, finish any) map[string]any {
		return map[string]any{
			"id": "strict", "object": "chat.completion.chunk", "model": model,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		}
	}
	event(chunk(map[string]any{"role": "assistant", "content": reply}, nil))
	event(chunk(map[string]any{}, "stop"))
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// model is the name of the one model.
const model = "strict"

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only where nobody reads any more
}

// Name names a profile in one word, as in llamacpp+alternate.
func Name(p strict.Profile) string {
	name := p.Server
	for _, option := range []struct {
		set  bool
		name string
	}{{p.Alternate, "alternate"}, {p.Toolless, "toolless"}, {p.Thinking, "thinking"}, {p.Signatures, "signatures"}, {p.Offered, "offered"}} {
		if option.set {
			name += "+" + option.name
		}
	}
	return name
}

// format is how the profile's server writes a refusal.
func format(p strict.Profile) func(*strict.Refusal) any {
	switch p.Server {
	case strict.LlamaCpp.Server:
		return llamaCppError
	case strict.Mistral.Server:
		return mistralError
	case strict.Gemini.Server:
		return geminiError
	}
	return openAIError
}

func openAIError(r *strict.Refusal) any {
	e := map[string]any{"message": r.Text, "type": "invalid_request_error", "param": nil, "code": nil}
	if r.Code != "" {
		e["code"] = r.Code
	}
	return map[string]any{"error": e}
}

func llamaCppError(r *strict.Refusal) any {
	kind := "invalid_request_error"
	if r.Status >= 500 {
		kind = "server_error"
	}
	return map[string]any{"error": map[string]any{"code": r.Status, "message": r.Text, "type": kind}}
}

// mistralError is FastAPI's list for what the schema refuses, and the service's own form for the rest.
func mistralError(r *strict.Refusal) any {
	if r.Status == http.StatusUnprocessableEntity {
		text, path, _ := strings.Cut(r.Text, ": ")
		return map[string]any{"detail": []any{map[string]any{"type": r.Code, "loc": []string{"body", path}, "msg": text}}}
	}
	return map[string]any{"object": "error", "message": r.Text, "type": "invalid_request_message_order", "param": nil, "code": r.Code}
}

func geminiError(r *strict.Refusal) any {
	return []any{map[string]any{"error": map[string]any{"code": r.Status, "message": r.Text, "status": "INVALID_ARGUMENT"}}}
}
