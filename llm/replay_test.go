package llm

import (
	"errors"
	"strings"
	"testing"

	"winnow/history"
)

// signed is a conversation whose answer carries what its server wants back. The values are ones that
// decoding and encoding again would change.
func signed(from history.Origin) Request {
	r := hello()
	r.Messages = append(r.Messages,
		history.Message{
			Role: history.Assistant, Reasoning: "because", Origin: from,
			Replay: `{"reasoning_details":[{"b":1.0,"a":"\u003cx\u003e"}]}`,
			ToolCalls: []history.ToolCall{
				{ID: "a", Name: "f", Arguments: "{}", Replay: `{"extra_content":{"google":{"thought_signature":"Zm9v+/=<&>\/é"}}}`},
				{ID: "b", Name: "f", Arguments: "{}"},
			},
		},
		history.Message{Role: history.Tool, ToolCallID: "a", Content: "one"},
		history.Message{Role: history.Tool, ToolCallID: "b", Content: "two"},
		history.Message{Role: history.Assistant, Content: "done", Reasoning: "enough", Origin: from, Replay: `{"extra_content":7e400}`},
		history.Message{Role: history.User, Content: "thanks"})
	return r
}

func bodyOf(t *testing.T, c *Client, r Request) string {
	t.Helper()
	body, err := c.Body(r)
	if err != nil {
		t.Fatalf("Body: %v", err)
	}
	return string(body)
}

func TestWhatAReplyCarriedGoesBack(t *testing.T) {
	c := script(chunks("[DONE]")).client()
	back := bodyOf(t, c, signed(c.Origin(hello().Model)))
	for _, own := range []string{`"extra_content":{"google"`, `"extra_content":7e400`, `"reasoning_details"`} {
		if !strings.Contains(back, own) {
			t.Errorf("%s does not go back to its own server: %s", own, back)
		}
	}
}

func TestARefusalThatTeachesTheFormatOfTheHistoryAsksForAnotherPlan(t *testing.T) {
	for _, test := range []struct {
		name, refusal string
		status        int
		learned       history.Profile
	}{
		{"DeepSeek", "{\"error\":{\"message\":\"The `reasoning_content` in the thinking mode must be passed back to the API.\",\"type\":\"invalid_request_error\"}}", 400, history.Profile{EchoReasoning: true}},
		{"DeepSeek before", `{"error":{"message":"Missing reasoning_content field in the assistant message at message index 3"}}`, 400, history.Profile{EchoReasoning: true}},
		{"Moonshot", `{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 2"}}`, 400, history.Profile{EchoReasoning: true}},
		{"Groq", `{"error":{"message":"'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_details' is unsupported)]"}}`, 400, history.Profile{NoReplay: true}},
		{"Mistral", `{"detail":[{"type":"extra_forbidden","loc":["body","messages",1,"assistant","tool_calls",0,"extra_content"],"msg":"Extra inputs are not permitted"}]}`, 422, history.Profile{NoReplay: true}},
		{"another field", `{"error":{"message":"property 'safe_prompt' is unsupported"}}`, 400, history.Profile{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := script(step{status: test.status, say: []string{test.refusal}})
			c := server.client(tries(1))
			r := signed(c.Origin(hello().Model))
			var fault *Error
			if _, _, err := heard(c, r); !errors.As(err, &fault) || fault.Replan != (test.learned != history.Profile{}) {
				t.Fatalf("got %v, want an error that asks for another plan: %t", err, test.learned != history.Profile{})
			}
			if got := c.Profile(r.Model); got != test.learned || server.times() != 1 {
				t.Errorf("profile %+v after %d requests, want %+v after 1", got, server.times(), test.learned)
			}
			if got := c.Profile("another"); got != (history.Profile{}) {
				t.Errorf("the profile of another model is %+v", got)
			}
			// The server that goes on refusing is believed.
			if _, _, err := heard(c, r); !errors.As(err, &fault) || fault.Replan {
				t.Errorf("the second time: %v, want an error that asks for nothing", err)
			}
			fresh := server.client()
			fresh.Learn(r.Model, c.Learned(r.Model))
			if got := fresh.Profile(r.Model); got != test.learned {
				t.Errorf("what was stored gives the profile %+v, want %+v", got, test.learned)
			}
		})
	}
}

func TestReasoningThatMustBeReturnedIsSent(t *testing.T) {
	c := script(chunks("[DONE]")).client()
	r := signed(c.Origin(hello().Model))
	c.Learn(r.Model, Learned{Profile: history.Profile{EchoReasoning: true}})
	body := bodyOf(t, c, r)
	for _, want := range []string{`"content":"","reasoning_content":"because","tool_calls":[`, `"content":"done","reasoning_content":"enough"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the body %s\nlacks %s", body, want)
		}
	}
}
