package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// NewStrictServer returns a server of the profile. It accepts POST …/chat/completions, or only …/responses, answers
// each valid body with reply as a stream, and any other with a refusal in the format of the real server. It lists one
// model, named strict.
func NewStrictServer(p Profile, reply string) http.Handler {
	takes := "/chat/completions"
	if p == Responses {
		takes = "/responses"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, takes) && r.Method == http.MethodPost:
			complete(w, r, p, reply)
		case strings.HasSuffix(r.URL.Path, "/chat/completions"):
			text := "This model is only supported in v1/responses and not in v1/chat/completions."
			answer(w, http.StatusNotFound, openAIError(&Refusal{Text: text}))
		case strings.HasSuffix(r.URL.Path, "/models") && r.Method == http.MethodGet:
			answer(w, http.StatusOK, object{"object": "list", "data": []object{{"id": model, "object": "model"}}})
		default:
			answer(w, http.StatusNotFound, openAIError(&Refusal{Text: "not found"}))
		}
	})
}

// object is a JSON object.
type object map[string]any

func complete(w http.ResponseWriter, r *http.Request, p Profile, reply string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has disconnected
	}
	var refusal *Refusal
	if errors.As(CheckBody(p, body), &refusal) {
		answer(w, refusal.Status, refusal.document(p))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if p == Responses {
		text, _ := json.Marshal(reply) // a string always encodes
		_, _ = io.WriteString(w, data(`{"type":"response.created","response":{"status":"in_progress"}}`)+
			data(`{"type":"response.output_text.delta","output_index":0,"delta":`+string(text)+`}`)+
			data(`{"type":"response.completed","response":{"status":"completed"}}`))
		return
	}
	_, _ = io.WriteString(w, saying(reply)+finished("stop")+done)
}

// saying is an event with a text.
func saying(text string) string {
	quoted, _ := json.Marshal(text) // a string always encodes
	return chunk(`"role":"assistant","content":` + string(quoted))
}

// model is the name of the only model.
const model = "strict"

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only if the client has disconnected
}

// document is the refusal in the format of the profile's server.
func (r *Refusal) document(p Profile) any {
	switch Profile(p.server()) {
	case LlamaCpp:
		kind := "invalid_request_error"
		if r.Status >= 500 {
			kind = "server_error"
		}
		return object{"error": object{"code": r.Status, "message": r.Text, "type": kind}}
	case Mistral:
		return mistralError(r)
	case Gemini:
		return []object{{"error": object{"code": r.Status, "message": r.Text, "status": "INVALID_ARGUMENT"}}}
	}
	return openAIError(r)
}

func openAIError(r *Refusal) any {
	e := object{"message": r.Text, "type": "invalid_request_error", "param": nil, "code": nil}
	if r.Code != "" {
		e["code"] = r.Code
	}
	return object{"error": e}
}

// mistralError is FastAPI's list for violations of the schema, and Mistral's own format for all others.
func mistralError(r *Refusal) any {
	if r.Status == http.StatusUnprocessableEntity {
		text, path, _ := strings.Cut(r.Text, ": ")
		return object{"detail": []object{{"type": r.Code, "loc": []string{"body", path}, "msg": text}}}
	}
	return object{
		"object": "error", "message": r.Text, "type": "invalid_request_message_order", "param": nil, "code": r.Code,
	}
}

// data is an event of a stream.
func data(text string) string { return "data: " + text + "\n\n" }

// chunk is an event with a delta.
func chunk(delta string) string { return data(`{"choices":[{"index":0,"delta":{` + delta + `}}]}`) }

// finished is the event that ends an answer.
func finished(reason string) string {
	return data(fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason))
}

const done = "data: [DONE]\n\n"
