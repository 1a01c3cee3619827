package guide

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	openai "github.com/sashabaranov/go-openai"
)

func badRequest(param, format string, args ...any) *openai.APIError {
	e := &openai.APIError{HTTPStatusCode: http.StatusBadRequest, Message: fmt.Sprintf(format, args...), Type: "invalid_request_error"}
	if param != "" {
		e.Param = &param
	}
	return e
}

func coded(e *openai.APIError, status int, code string) *openai.APIError {
	e.HTTPStatusCode, e.Code = status, code
	return e
}

func overflow(prompt int) *openai.APIError {
	e := badRequest("messages", "This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", Window, prompt)
	return coded(e, http.StatusBadRequest, "context_length_exceeded")
}

func overflowWithReply(prompt, reply int) *openai.APIError {
	e := badRequest("messages", "This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the completion). Please reduce the length of the messages or completion.", Window, prompt+reply, prompt, reply)
	return coded(e, http.StatusBadRequest, "context_length_exceeded")
}

// refuse answers with an error as OpenAI sends it.
func refuse(e *openai.APIError) *http.Response {
	return answerJSON(e.HTTPStatusCode, openai.ErrorResponse{Error: e})
}

func answerJSON(status int, v any) *http.Response {
	text, _ := json.Marshal(v) // plain values always encode
	return &http.Response{
		StatusCode: status,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(bytes.NewReader(text)),
	}
}
