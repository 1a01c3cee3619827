package llm

import (
	"strconv"
	"strings"
	"testing"

	"winnow/llm/pricing"
)

func TestToolCalls(t *testing.T) {
	tests := []struct {
		name      string
		fragments []string // the tool_calls of one chunk each
		want      string   // name id arguments of each call
	}{
		{"by index", []string{
			`[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]`, `[{"index":1,"id":"b","function":{"name":"g","arguments":""}}]`,
			`[{"index":0,"function":{"arguments":"{\"x\""}}]`, `[{"index":1,"function":{"arguments":"{}"}}]`, `[{"index":0,"function":{"arguments":":1}"}}]`,
		}, `f a {"x":1}; g b {}`},
		{"no index, whole calls", []string{`[{"id":"a","function":{"name":"f","arguments":"{}"}}]`, `[{"id":"b","function":{"name":"f","arguments":"{}"}}]`}, `f a {}; f b {}`},
		{"index null", []string{`[{"index":null,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]`, `[{"index":null,"function":{"arguments":":1}"}}]`}, `f a {"x":1}`},
		{"index always 0", []string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]`, `[{"index":0,"id":"b","function":{"name":"g","arguments":"{\"y\""}}]`, `[{"index":0,"function":{"arguments":":2}"}}]`}, `f a {}; g b {"y":2}`},
		{"blank id and name repeated", []string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]`, `[{"index":0,"id":"","function":{"name":"","arguments":"}"}}]`}, `f a {}`},
		{"id repeated without index", []string{`[{"id":"a","function":{"name":"f","arguments":"{"}}]`, `[{"id":"b","function":{"name":"g","arguments":"{"}}]`, `[{"id":"a","function":{"name":"f","arguments":"}"}}]`, `[{"id":"b","function":{"arguments":"}"}}]`}, `f a {}; g b {}`},
		{"a new name without id", []string{`[{"function":{"name":"f","arguments":"{}"}}]`, `[{"function":{"name":"g","arguments":"{}"}}]`}, `f  {}; g  {}`},
		{"the same name again, after a whole call", []string{`[{"function":{"name":"f","arguments":"{}"}}]`, `[{"function":{"name":"f","arguments":"{}"}}]`}, `f  {}; f  {}`},
		{"the same name in every piece", []string{`[{"function":{"name":"f","arguments":"{\"x\""}}]`, `[{"function":{"name":"f","arguments":":1}"}}]`}, `f  {"x":1}`},
		{"two objects glued on one index", []string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\"}{\"}"}}]`, `[{"index":0,"function":{"arguments":"{\"y\":2}"}}]`}, `f a {"x":"}{"};   {"y":2}`},
		{"two objects glued in one piece", []string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":[{}]} {\"y\":2}"}}]`}, `f a {"x":[{}]} ;   {"y":2}`},
		{"a quote behind a backslash", []string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\"\\\"}{\"}"}}]`}, `f a {"x":"\"}{"}`},
		{"several calls in one chunk", []string{`[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g","arguments":"{}"}}]`}, `f a {}; g b {}`},
		{"text that is no object stays one call", []string{`[{"index":0,"id":"a","function":{"name":"f","arguments":"1}{"}}]`, `[{"index":0,"function":{"arguments":"{"}}]`}, `f a 1}{{`},
		{"no calls", []string{`null`, `"x"`}, ``},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var data []string
			for _, f := range test.fragments {
				data = append(data, `{"choices":[{"delta":{"tool_calls":`+f+`}}]}`)
			}
			_, reply, err := heard(script(chunks(append(data, "[DONE]")...)).client(), hello())
			if err != nil {
				t.Fatalf("stream: %v", err)
			}
			var calls []string
			for _, c := range reply.Calls {
				calls = append(calls, c.Name+" "+c.ID+" "+c.Arguments)
			}
			wantText(t, strings.Join(test.fragments, "\n"), strings.Join(calls, "; "), test.want)
		})
	}
}

// TestThinkTagAtEveryCut cuts the content at every two places: the result must not depend on it.
func TestThinkTagAtEveryCut(t *testing.T) {
	tests := []struct{ content, reasoning, text string }{
		{"<think>Hm. <b></b> </thin</think>\n\nYes </think> no", "Hm. <b></b> </thin", "Yes </think> no"},
		{" \n<think>\nHm.</think>Yes", "Hm.", "Yes"},
		{"<think>never closed </thi", "never closed </thi", ""},
		{"<thin ice", "", "<thin ice"},
		{"<thi", "", "<thi"},
		{"Say <think>x</think>", "", "Say <think>x</think>"},
		{"  indented", "", "  indented"},
	}
	for _, test := range tests {
		for i := 0; i <= len(test.content); i++ {
			for j := i; j <= len(test.content); j++ {
				var s thinkSplitter
				var reply Reply
				for _, piece := range []string{test.content[:i], test.content[i:j], test.content[j:]} {
					for _, e := range s.add(piece) {
						reply.Add(e)
					}
				}
				for _, e := range s.end() {
					reply.Add(e)
				}
				if reply.Text != test.text || strings.TrimLeft(reply.Reasoning, "\n") != test.reasoning {
					t.Fatalf("%q cut at %d and %d: got (%s)%s, want (%s)%s", test.content, i, j, reply.Reasoning, reply.Text, test.reasoning, test.text)
				}
			}
		}
	}
}

func TestReplyStartsWithUnknownUsage(t *testing.T) {
	var r Reply
	if r.Text+r.Reasoning != "" || len(r.Calls) > 0 {
		t.Error("a new reply is not empty")
	}
	r.Add(TextDelta{"x"})
	if r.Usage != pricing.NoUsage() || r.Text+r.Reasoning == "" && len(r.Calls) == 0 {
		t.Errorf("got %+v; want usage -1 everywhere, and an answer", r)
	}
}

func BenchmarkToolCalls(b *testing.B) {
	piece := strings.Repeat(`"key":"value",`, 4)
	b.SetBytes(int64(len(piece)))
	var s toolCalls
	s.add(fragment{index: 0, id: "a", name: "f", arguments: "{"})
	for i := range b.N {
		s.add(fragment{index: 0, arguments: piece[:len(piece)-len(strconv.Itoa(i))%2]})
	}
}
