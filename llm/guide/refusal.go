package guide

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// refusal is an error as OpenAI sends it: a status and a body {"error":{…}}.
type refusal struct {
	status  int
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

func badRequest(param, format string, args ...any) *refusal {
	r := &refusal{status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...), Type: "invalid_request_error"}
	if param != "" {
		r.Param = &param
	}
	return r
}

func (r *refusal) coded(status int, code string) *refusal {
	r.status, r.Code = status, &code
	return r
}

func unknownURL(r *http.Request) *refusal {
	return badRequest("", "Unknown request URL: %s %s.", r.Method, r.URL.Path).coded(http.StatusNotFound, "unknown_url")
}

func unknownModel(name string) *refusal {
	return badRequest("", "The model '%s' does not exist or you do not have access to it.", name).coded(http.StatusNotFound, "model_not_found")
}

func tooLarge() *refusal {
	return badRequest("", "The request body is larger than %d bytes.", maxBody).coded(http.StatusRequestEntityTooLarge, "request_too_large")
}

func overflow(prompt int) *refusal {
	return badRequest("messages", "This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", Window, prompt).
		coded(http.StatusBadRequest, "context_length_exceeded")
}

func overflowWithReply(prompt, reply int) *refusal {
	return badRequest("messages", "This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the completion). Please reduce the length of the messages or completion.", Window, prompt+reply, prompt, reply).
		coded(http.StatusBadRequest, "context_length_exceeded")
}

func refuse(w http.ResponseWriter, r *refusal) {
	writeJSON(w, r.status, map[string]*refusal{"error": r})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // fails only where nobody reads any more
}

// modelCard says what the guide is, with its window where vLLM and llama.cpp say theirs.
type modelCard struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Created     int64  `json:"created"`
	OwnedBy     string `json:"owned_by"`
	MaxModelLen int    `json:"max_model_len"`
	Meta        struct {
		NCtx int `json:"n_ctx"`
	} `json:"meta"`
}

type modelList struct {
	Object string      `json:"object"`
	Data   []modelCard `json:"data"`
}

func card() modelCard {
	c := modelCard{ID: Model, Object: "model", OwnedBy: "winnow", MaxModelLen: Window}
	c.Meta.NCtx = Window
	return c
}
