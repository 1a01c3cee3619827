package llmtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"winnow/llm/strict"
)

func TestStrictAnswersWhatPassesAndRefusesTheRestInItsOwnShape(t *testing.T) {
	sound := `{"model":"m","messages":[{"role":"user","content":"hello"}],"stream":true}`
	for _, c := range []struct {
		p      strict.Profile
		broken string
		status int
		want   string
	}{
		{strict.OpenAI, `{"model":"m","messages":[{"role":"tool","content":"x","tool_call_id":"c"}]}`, 400, `{"error":{"code":null,"message":"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.","param":null,"type":"invalid_request_error"}}`},
		{strict.LlamaCpp, `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"system","content":"y"}]}`, 500, `{"error":{"code":500,"message":"System message must be at the beginning.","type":"server_error"}}`},
		{strict.Mistral, `{"model":"m","messages":[{"role":"user","content":"x","name":"ann"}]}`, 422, `{"detail":[{"loc":["body","messages[0].name"],"msg":"Extra inputs are not permitted","type":"extra_forbidden"}]}`},
		{strict.Mistral, `{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`, 400, `{"code":"3230","message":"Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant","object":"error","param":null,"type":"invalid_request_message_order"}`},
		{strict.DeepSeek, `{"model":"m","messages":[{"role":"user"}]}`, 400, "{\"error\":{\"code\":\"invalid_request_error\",\"message\":\"Failed to deserialize the JSON body into the target type: messages[0]: missing field `content`\",\"param\":null,\"type\":\"invalid_request_error\"}}"},
		{strict.Gemini, `{"model":"m","messages":[{"role":"user","content":" "}]}`, 400, `[{"error":{"code":400,"message":"* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.","status":"INVALID_ARGUMENT"}}]`},
		{strict.Responses, `{"model":"m","input":[{"type":"function_call_output","output":"x","call_id":"c"}]}`, 400, `{"error":{"code":null,"message":"No tool call found for function call output with call_id c.","param":null,"type":"invalid_request_error"}}`},
	} {
		server := httptest.NewServer(Strict(c.p, "Hello."))
		defer server.Close()
		path, sound, said, end := "/v1/chat/completions", sound, `"content":"Hello."`, "data: [DONE]\n\n"
		if c.p == strict.Responses {
			path, sound, said, end = "/v1/responses", `{"model":"m","input":[{"type":"message","role":"user","content":"hello"}]}`, `"delta":"Hello."`, "\"response.completed\"}\n\n"
		}
		post := func(body string) (int, string) {
			resp, err := http.Post(server.URL+path, "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			return resp.StatusCode, string(text)
		}
		if status, text := post(sound); status != 200 || !strings.Contains(text, said) || !strings.HasSuffix(text, end) {
			t.Errorf("%s: a sound body gets %d %s, want a stream", Name(c.p), status, text)
		}
		if status, text := post(c.broken); status != c.status || strings.TrimSpace(text) != c.want {
			t.Errorf("%s: %s\n got %d %s\nwant %d %s", Name(c.p), c.broken, status, text, c.status, c.want)
		}
	}
}
