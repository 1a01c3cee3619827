package repair

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history/message"
)

// What a request sends as the arguments of a call is what RepairArguments returns, so that the call can be run with it.
func TestTheArgumentsOfACallAreThoseThatAreSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SampledFrom([]string{
			"", " ", "null", `{}`, `{"a":1}`, `{"a":1}{"b":2}`, `{"a":1}{"b":2}{"c":3}`, `{"a":"b`, `{'a': True}`, `[1]`, `"{\"a\":1}"`, "\x00", "no object",
		})
		var answer message.Message
		answer.Role, answer.Status = message.Assistant, message.Complete
		for range rapid.IntRange(1, 4).Draw(t, "calls") {
			answer.ToolCalls = append(answer.ToolCalls, message.ToolCall{ID: "c", Name: "add", Arguments: pieces.Draw(t, "arguments")})
		}
		received := append([]message.ToolCall(nil), answer.ToolCalls...)
		past := []message.Message{{Role: message.User, Content: "go"}, answer}
		sent := Messages(past, Options{IDs: map[string]bool{}}).Messages[1].ToolCalls
		all := RepairArguments(answer.ToolCalls)
		for k, a := range all {
			if a.Object != sent[k].Arguments {
				t.Fatalf("call %d of %q would run with %q, and is sent with %q", k+1, received, a.Object, sent[k].Arguments)
			}
			if !json.Valid([]byte(a.Object)) || !strings.HasPrefix(strings.TrimSpace(a.Object), "{") {
				t.Fatalf("%q became %q, which is no object", received[k].Arguments, a.Object)
			}
			if a.Lost && a.Object != "{}" {
				t.Fatalf("nothing of %q could be read, and it became %q", received[k].Arguments, a.Object)
			}
		}
		for k, c := range answer.ToolCalls {
			if c != received[k] {
				t.Fatalf("the call as received was changed to %v", c)
			}
		}
	})
}
