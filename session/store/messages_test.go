package store

import (
	"context"
	"errors"
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

func TestParentIsOfTheSameSession(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	a, _ := begin(t, s, "a", "x")
	_, other := begin(t, s, "b", "y")
	if _, err := s.Append(ctx, says(a.ID, other.ID, history.User, "z")); !errors.Is(err, ErrNotFound) {
		t.Errorf("Append behind a message of another session = %v, want ErrNotFound", err)
	}
	if err := s.Update(ctx, a.ID, func(row *Session) { row.Leaf = other.ID }); !errors.Is(err, ErrNotFound) {
		t.Errorf("SetLeaf to a message of another session = %v, want ErrNotFound", err)
	}
	if got := sessionOf(t, s, a.ID); got.Messages != 1 {
		t.Errorf("a refused Append counted: %d messages", got.Messages)
	}
}

func TestDamagedRowIsNotServed(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, first := begin(t, s, "", "hello")
	damage := []string{
		"UPDATE messages SET content = CAST('hellp' AS BLOB) WHERE id = ?1",
		"UPDATE messages SET reasoning = x'00' WHERE id = ?1",
		"UPDATE messages SET role = 'system' WHERE id = ?1",
		"UPDATE messages SET name = content, content = name WHERE id = ?1",
		"UPDATE messages SET hash = x'' WHERE id = ?1",
		"UPDATE messages SET tool_calls = replace(tool_calls, '{} ', '{}') WHERE id = ?1",
		"UPDATE messages SET tool_calls = 'no JSON' WHERE id = ?1",
		"UPDATE messages SET parts = NULL WHERE id = ?1",
		"UPDATE messages SET parts = replace(parts, 'image', 'text') WHERE id = ?1",
		"UPDATE attachments SET data = x'99' WHERE hash = (SELECT parts ->> '$[0].hash' FROM messages WHERE id = ?1)",
	}
	for i, sql := range damage {
		m := says(session.ID, first.ID, history.Assistant, "hello")
		m.ToolCalls = []history.ToolCall{{ID: "1", Name: "f", Arguments: "{} "}}
		m.Parts = []history.Part{{Kind: history.ImagePart, Data: []byte{byte(i)}}}
		m = add(t, s, m)
		if got := read(t, s, m.ID); got.Damaged {
			t.Fatal("a whole message is called damaged")
		}
		_, err := s.full.Exec(sql, m.ID)
		must(t, sql, err)
		got := read(t, s, m.ID)
		if !got.Damaged || got.Status != history.Quarantined || got.Content != "" || got.ToolCalls != nil ||
			got.Parts != nil {
			t.Errorf("after %q the message is %+v, want it quarantined and without text", sql, got)
		}
		window, err := s.Branch(ctx, m.ID, 0)
		if err != nil || len(window) != 2 || window[0].Damaged || !window[1].Damaged {
			t.Errorf("after %q the branch is %+v, %v; want the whole message and the damaged one", sql, window, err)
		}
	}
	m := add(t, s, says(session.ID, first.ID, history.User, "x"))
	_, err := s.full.Exec("UPDATE messages SET status = 'interrupted', tokens = 9, seq = 1000 WHERE id = ?1", m.ID)
	must(t, "change what is not said", err)
	if got := read(t, s, m.ID); got.Damaged {
		t.Error("the message is called damaged, but what it says is the same")
	}
}

// Whoever attaches a file again brings its bytes back to every message that has it.
func TestAGoodCopyMendsDamagedBytes(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, first := begin(t, s, "", "hello")
	says := says(session.ID, first.ID, history.User, "look")
	says.Parts = []history.Part{
		{Kind: history.ImagePart, Data: []byte("png")},
		{Kind: history.TextPart, Name: "a.txt", Text: "needle"},
	}
	damaged := add(t, s, says)
	// An index that is made anew leaves a damaged message out.
	must(t, "damage", s.jot(ctx, "damage", func(tx *tx) {
		unindex(tx, "id = ?", damaged.ID)
		tx.exec("UPDATE attachments SET data = x'99'")
	}))
	if got := read(t, s, damaged.ID); !got.Damaged {
		t.Fatalf("the message is not damaged: %+v", got)
	}
	again := add(t, s, says)
	for _, id := range []int64{damaged.ID, again.ID} {
		got := read(t, s, id)
		if got.Damaged || !reflect.DeepEqual(got.Parts, says.Parts) {
			t.Errorf("message %d is %+v, want it whole with %+v", id, got, says.Parts)
		}
	}
}
