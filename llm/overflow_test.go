package llm

import (
	"errors"
	"net/http"
	"testing"
)

func TestOverflowTexts(t *testing.T) {
	tests := []struct {
		server                string
		status                int
		body                  string
		limit, prompt, output int
	}{
		{"OpenAI", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 13392 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, 8192, 13392, 0},
		{"OpenAI, newer", 400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","code":"context_length_exceeded"}}`, 0, 0, 0},
		{"OpenAI, messages and functions", 400, `{"error":{"message":"This model's maximum context length is 4097 tokens. However, you requested 4500 tokens (3500 in the messages, 1000 in the completion).","code":"context_length_exceeded"}}`, 4097, 3500, 1000},
		{"llama.cpp", 400, `{"error":{"code":400,"type":"exceed_context_size_error","message":"request (13392 tokens) exceeds the available context size (8192 tokens), try increasing it","n_prompt_tokens":13392,"n_ctx":8192}}`, 8192, 13392, 0},
		{"llama.cpp, fields alone", 400, `{"error":{"code":400,"type":"exceed_context_size_error","message":"the request exceeds the available context size","n_prompt_tokens":13392,"n_ctx":8192}}`, 8192, 13392, 0},
		{"vLLM", 400, `{"object":"error","message":"This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.","type":"BadRequestError","code":400}`, 16384, 112946, 10000},
		{"vLLM, newer", 400, `{"error":{"message":"This model's maximum context length is 16384 tokens. However, you requested 4096 output tokens and your prompt contains at least 12500 input tokens, for a total of at least 16596 tokens.","type":"BadRequestError","code":400}}`, 16384, 12500, 4096},
		{"vLLM, negative", 400, `{"object":"error","message":"max_tokens must be at least 1, got -186.","code":400}`, 0, 0, 0},
		{"OpenRouter", 400, `{"error":{"message":"This endpoint's maximum context length is 65536 tokens. However, you requested about 70000 tokens (60000 of text input, 2000 of tool input, 8000 in the output). Please reduce the length of either one.","code":400}}`, 65536, 62000, 8000},
		{"OpenRouter, the provider's own words", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"provider_name":"A","raw":"{\"error\":{\"message\":\"prompt is too long: 210000 tokens > 200000 maximum\"}}"}}}`, 200000, 210000, 0},
		{"LM Studio", 400, `{"error":"Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}`, 4096, 9000, 0},
		{"LM Studio, n_keep", 400, `{"error":"Cannot truncate prompt with n_keep (9000) >= n_ctx (4096)"}`, 4096, 9000, 0},
		{"LM Studio, no number", 400, `{"error":"Context size has been exceeded."}`, 0, 0, 0},
		{"LM Studio, reached", 400, `{"error":"Reached context length of 4096 tokens with model (arch: llama) that does not currently support mid-generation context overflow."}`, 4096, 0, 0},
		{"Ollama", 400, `{"error":{"message":"the prompt is longer than the context length currently available to the model (4096)"}}`, 0, 0, 0},
		{"Ollama, by how much", 400, `{"error":"prompt too long; exceeded max context length by 2000 tokens"}`, 0, 0, 0},
		{"Anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, 200000, 210000, 0},
		{"Gemini", 400, `[{"error":{"code":400,"message":"The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, 1048576, 1100000, 0},
		{"xAI", 400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 140000 tokens."}`, 131072, 140000, 0},
		{"Mistral", 400, `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_error","code":"3051"}`, 32768, 40000, 0},
		{"Groq", 400, `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","code":"context_length_exceeded"}}`, 0, 0, 0},
		{"Together", 422, `{"error":{"message":"The input (9000 tokens) is longer than the model's context length (8192 tokens)."}}`, 8192, 9000, 0},
		{"Kimi", 400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)","type":"invalid_request_error"}}`, 131072, 140000, 0},
		{"MiniMax", 400, `{"error":{"message":"invalid params, context window exceeds limit (2013)"}}`, 0, 0, 0},
		{"Copilot", 400, `{"error":{"message":"prompt token count of 70000 exceeds the limit of 64000","code":"model_max_prompt_tokens_exceeded"}}`, 64000, 70000, 0},
		{"413 alone", 413, ``, 0, 0, 0},
		{"413 of a proxy", 413, `<html><title>413 Request Entity Too Large</title></html>`, 0, 0, 0},
		{"Cerebras, 400 without a body", 400, ``, 0, 0, 0},
		{"z.ai", 400, `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`, 0, 0, 0},
		{"a 500 of an old llama.cpp", 500, `{"error":{"code":500,"message":"context shift is disabled","type":"server_error"}}`, 0, 0, 0},
	}
	c := script().client()
	for _, test := range tests {
		t.Run(test.server, func(t *testing.T) {
			e := c.failure(test.status, http.Header{}, []byte(test.body), "m")
			if !errors.Is(e, Overflow) {
				t.Fatalf("%s: got kind %s, want overflow", test.body, e.Kind)
			}
			if e.Limit != test.limit || e.Prompt != test.prompt || e.Output != test.output {
				t.Errorf("%s: got limit %d, prompt %d, output %d; want %d, %d, %d", test.body, e.Limit, e.Prompt, e.Output, test.limit, test.prompt, test.output)
			}
			if least := test.server == "vLLM, newer"; e.AtLeast != least {
				t.Errorf("%s: at least is %t, want %t", test.body, e.AtLeast, least)
			}
			if e.Retryable() {
				t.Errorf("%s: is tried again, but would fail the same way", test.body)
			}
		})
	}
}

func TestOverflowInTheMiddleOfAStream(t *testing.T) {
	server := script(chunks(delta("Hal"), `{"error":{"message":"This endpoint's maximum context length is 4096 tokens. However, you requested about 5000 tokens (4500 of text input, 500 in the output).","code":400}}`))
	_, _, err := heard(server.client(), hello())
	var e *Error
	if !errors.As(err, &e) || e.Kind != Overflow || e.Limit != 4096 || e.Prompt != 4500 || e.Output != 500 {
		t.Errorf("got %#v, want overflow with 4096, 4500, 500", e)
	}
}

func TestRateTextsAreNeverOverflow(t *testing.T) {
	tests := []struct {
		status int
		body   string
		want   ErrorKind
	}{
		{429, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 13392 tokens."}}`, RateLimit},
		{400, `{"error":{"message":"Too many tokens, please wait before trying again."}}`, RateLimit},
		{413, `{"error":{"message":"Request too large for model in organization on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce your message size and try again.","code":"rate_limit_exceeded"}}`, RateLimit},
		{400, `{"error":{"message":"Rate limit: maximum context length is 5 tokens per request"}}`, RateLimit},
		{503, `{"error":{"message":"request throttled, prompt too long for the queue"}}`, RateLimit},
	}
	for _, test := range tests {
		e := script().client().failure(test.status, http.Header{}, []byte(test.body), "m")
		if e.Kind != test.want || e.Limit != 0 || e.Prompt != 0 {
			t.Errorf("%d %s: got %s, limit %d, prompt %d; want %s without numbers", test.status, test.body, e.Kind, e.Limit, e.Prompt, test.want)
		}
	}
}
