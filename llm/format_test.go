package llm

import (
	"errors"
	"testing"

	"winnow/history"
)

func TestRefusalOfAFormatAsksForAnotherPlan(t *testing.T) {
	question := history.Message{Role: history.User, Content: "what is it?"}
	shown := question
	shown.Parts = []history.Part{{Kind: history.ImagePart, MediaType: "image/png", Data: []byte("PNG")}}
	tools := append(group("c", "read", "{}", "x"), question)
	for _, test := range []struct {
		name, refusal string
		status        int
		messages      []history.Message
		learned       history.Profile
	}{
		{"DeepSeek", "{\"error\":{\"message\":\"Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text` at line 1 column 99\"}}", 400, []history.Message{shown}, history.Profile{NoImages: true}},
		{"DeepSeek before", `{"error":{"message":"Failed to deserialize the JSON body into the target type: messages[1]: invalid type: sequence, expected a string at line 17 column 3"}}`, 422, []history.Message{shown}, history.Profile{NoImages: true}},
		{"llama.cpp", `{"error":{"code":500,"message":"image input is not supported by this server","type":"server_error"}}`, 500, []history.Message{shown}, history.Profile{NoImages: true}},
		{"OpenRouter", `{"error":{"message":"No endpoints found that support image input","code":404}}`, 404, []history.Message{shown}, history.Profile{NoImages: true}},
		{"Volcano", `{"error":{"message":"Model do not support image input. Request id: 0217888"}}`, 400, []history.Message{shown}, history.Profile{NoImages: true}},
		{"an image that is too large", `{"error":{"message":"image is too large: this model accepts images of up to 5 MB"}}`, 400, []history.Message{shown}, history.Profile{}},
		{"the words without an image", `{"error":{"message":"image input is not supported by this server"}}`, 400, tools, history.Profile{}},
		{"Anthropic", "{\"error\":{\"message\":\"Requests which include `tool_use` or `tool_result` blocks must define tools\"}}", 400, tools, history.Profile{ToolsAsText: true}},
		{"Bedrock", `{"message":"The toolConfig field must be defined when using toolUse and toolResult content blocks."}`, 400, tools, history.Profile{ToolsAsText: true}},
		{"Ollama", `{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools"}}`, 400, tools, history.Profile{NoTools: true, ToolsAsText: true}},
		{"OpenRouter's tools", `{"error":{"message":"No endpoints found that support tool use.","code":404}}`, 404, tools, history.Profile{NoTools: true, ToolsAsText: true}},
		{"llama.cpp's Mistral", `{"error":{"code":500,"message":"After the optional system message, conversation roles must alternate user/assistant/user/assistant/...","type":"server_error"}}`, 500, []history.Message{question}, history.Profile{MergeSameRole: true, NoToolToUser: true}},
		{"Mistral's order", `{"object":"error","message":"Unexpected role 'user' after role 'tool'","type":"invalid_request_message_order","code":"3230"}`, 400, tools, history.Profile{NoToolToUser: true}},
		{"Mistral's ids", `{"object":"error","message":"Tool call id was call_0 but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_function_call","code":"3280"}`, 400, tools, history.Profile{ToolIDLength: 9}},
		{"Mistral's template", `{"error":{"code":500,"message":"Tool call IDs should be alphanumeric strings with length 9!","type":"server_error"}}`, 500, tools, history.Profile{ToolIDLength: 9}},
		{"the words without a tool", `{"error":{"message":"gemma:2b does not support tools"}}`, 400, []history.Message{question}, history.Profile{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := script(step{status: test.status, say: []string{test.refusal}})
			c := server.client(tries(1))
			r := Request{Model: "m", Messages: test.messages}
			var fault *Error
			if _, _, err := heard(c, r); !errors.As(err, &fault) || fault.Replan != (test.learned != history.Profile{}) {
				t.Fatalf("got %v, want an error that asks for another plan: %t", err, test.learned != history.Profile{})
			}
			if got := c.Profile("m"); got != test.learned || server.times() != 1 {
				t.Errorf("profile %+v after %d requests, want %+v after 1", got, server.times(), test.learned)
			}
			if _, _, err := heard(c, r); !errors.As(err, &fault) || fault.Replan {
				t.Errorf("the second time: %v, want an error that asks for nothing", err)
			}
		})
	}
}
