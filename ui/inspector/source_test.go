package inspector

import (
	"strings"
	"testing"

	"winnow/history"
)

// TestACallSaysWhatIsSentOfIt plans one conversation for endpoints that require
// different things, and compares what the inspector says with the messages of the request.
func TestACallSaysWhatIsSentOfIt(t *testing.T) {
	own := history.Origin{Endpoint: "here", Model: "small"}
	call := func(id, arguments string) []history.ToolCall {
		return []history.ToolCall{{ID: id, Name: "look", Arguments: arguments}}
	}
	past := []history.Message{
		{ID: 1, Role: history.User, Content: "A picture.", Parts: []history.Part{
			{Kind: history.ImagePart, Name: "a.png", MediaType: "image/png", Data: []byte{1, 2, 3}},
			{Kind: history.TextPart, Name: "a.md", Text: "The notes of the picture."},
		}},
		{ID: 2, Role: history.Assistant, Content: "I look.", Reasoning: "Look first.", ToolCalls: call("call_1",
			`{"at": "a"}`), Origin: own},
		{ID: 3, Role: history.Tool, Content: "It shows a tree.", ToolCallID: "call_1"},
		{ID: 4, Role: history.Assistant, Content: "A tree.", Reasoning: "A tree it is."},
		{ID: 5, Role: history.User, Content: "And now?"},
		{ID: 6, Role: history.Assistant, ToolCalls: call("call_2", `{"at": "b"`), Origin: own},
		{ID: 7, Role: history.Tool, Content: "Nothing.", ToolCallID: "call_2"},
		{ID: 8, Role: history.Assistant, Content: "Nothing more."},
	}
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		profile history.Profile
		exclude int64
		want    string // of message 2's call and message 6's
	}{
		{"anything", history.Profile{}, 0, "call sent; call repaired"},
		{"no tools", history.Profile{NoTools: true}, 0, "call sent as text; call sent as text"},
		{"short ids", history.Profile{ToolIDLength: 9}, 0, "call sent with the id ; call repaired"},
		{"roles alternate", history.Profile{MergeSameRole: true}, 0, "call sent; call repaired"},
		{"excluded with its answers", history.Profile{}, 1, "call not sent; call repaired"},
	} {
		flags := map[int64]history.Flag{}
		if c.exclude != 0 {
			flags[c.exclude] = history.Exclude
		}
		plan, err := history.Build(past, history.Options{
			Policy: policy, Profile: c.profile, To: own, Flags: flags, Turn: []history.Message{
				{Role: history.User, Content: "Go on."},
			},
		})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		of := func(i int) source { return sourceOf(&plan, plan.Entries[i]) }
		_, sound := of(1).call(past[1].ToolCalls, 0)
		sent, damaged := of(5).call(past[5].ToolCalls, 0)
		if c.profile.ToolIDLength > 0 {
			id, _ := strings.CutPrefix(sound, "sent with the id ")
			if len(id) != c.profile.ToolIDLength {
				t.Errorf("%s: the call is %q", c.name, sound)
			}
			sound = strings.TrimSuffix(sound, id)
		}
		got := "call " + sound + "; call " + damaged
		if got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s\n%+v", c.name, got, c.want, plan.Messages)
		}
		if damaged == "repaired" && (sent == nil || sent.Arguments != `{"at": "b"}`) {
			t.Errorf("%s: sent for the damaged call is %+v", c.name, sent)
		}
	}
}
