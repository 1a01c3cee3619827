package store

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"winnow/history"
)

func TestMessageComesBackAsItWasGiven(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, first := begin(t, s, "", "hello")
	in := Message{
		Message: history.Message{
			Label: "msg-1", Role: history.Assistant, Name: "n\x00\xff",
			Content: "c\x00\xff\u202e\x1b]52;c;\a", Reasoning: "r\x00\xff",
			Parts: []history.Part{
				{Kind: history.TextPart, Name: "notes.txt", MediaType: "text/plain", Text: "t\x00\xff", Tokens: 3},
				{Kind: history.ImagePart, Name: "", MediaType: "image/png", Data: []byte{0, 0xff, 0x89}, Tokens: 85},
				{Kind: history.TextPart, Name: "same.txt", Text: "t\x00\xff"},
			},
			ToolCalls: []history.ToolCall{
				{ID: "", Name: "f", Arguments: "{\"a\": 1,}\x00\xff"},
				{ID: "same", Name: "", Arguments: ""},
				{ID: "same", Name: "f\xff", Arguments: " { } "},
			},
			ToolCallID: "id\x00\xff", Status: history.Imported, CreatedMS: 1234, Tokens: 17,
		},
		Session: session.ID, Parent: first.ID, Request: 5, Endpoint: "e", Model: "m",
		FinishReason: "stop",
		Extra:        `{"message": {"b":1.0,"a":"\u003c"},"tool_calls":{"1":{"x":  1}},"chunk":{"y":2}}`,
		Tokenizer:    "o200k_base",
	}
	got := add(t, s, in)
	want := in
	want.ID, want.Seq, want.Sibling, want.Siblings = got.ID, 2, 1, 1
	want.Origin, want.Replay = history.Origin{Endpoint: "e", Model: "m"}, `{"b":1.0,"a":"\u003c"}`
	want.ToolCalls = slices.Clone(in.ToolCalls)
	want.ToolCalls[1].Replay = `{"x":  1}`
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Append returns\n%+v, want\n%+v", got, want)
	}
	if stored := read(t, s, got.ID); !reflect.DeepEqual(stored, want) {
		t.Errorf("Message returns\n%+v, want\n%+v", stored, want)
	}
	branch, err := s.Branch(ctx, got.ID, 1)
	if err != nil || len(branch) != 1 || !reflect.DeepEqual(branch[0], want) {
		t.Errorf("Branch returns\n%+v, %v, want\n%+v", branch, err, want)
	}
	if n := countOf(t, s, "SELECT count(*) FROM attachments"); n != 2 {
		t.Errorf("three parts, two of one content, are stored as %d attachments, want 2", n)
	}
}
