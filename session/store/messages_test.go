package store

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"winnow/history"
)

func TestMessageComesBackAsItWasGiven(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, first := begin(t, s, "", "hello")
	in := Message{
		Message: history.Message{
			Label: "msg-1", Role: history.Assistant, Name: "n\x00\xff", Content: "c\x00\xff\u202e\x1b]52;c;\a", Reasoning: "r\x00\xff",
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
		Session: session.ID, Parent: first.ID, Request: 5, Endpoint: "e", Model: "m", FinishReason: "stop", Fault: `{"what":"e"}`,
		Extra:     []byte(`{"message": {"b":1.0,"a":"\u003c"},"tool_calls":{"1":{"x":  1}},"chunk":{"y":2}}`),
		Tokenizer: "o200k_base",
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
	branch, err := s.Branch(ctx, session.ID, got.ID, 0, 1)
	if err != nil || len(branch) != 1 || !reflect.DeepEqual(branch[0], want) {
		t.Errorf("Branch returns\n%+v, %v, want\n%+v", branch, err, want)
	}
	var n int
	must(t, "count", s.reads.QueryRow("SELECT count(*) FROM attachments").Scan(&n))
	if n != 2 {
		t.Errorf("three parts, two of one content, are stored as %d attachments, want 2", n)
	}
}

func TestContentIsAnyBytes(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	session, first := begin(t, s, "", "hello")
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for name, text := range map[string]string{
		"empty": "", "NUL": "\x00", "NULs": "a\x00b\x00", "every byte": string(all), "invalid UTF-8": "\xc3\x28\xed\xa0\x80",
		"a number": "42", "10 MB": strings.Repeat("0123456789", 1<<20),
	} {
		m := says(session.ID, first.ID, history.User, text)
		m.Reasoning = text
		got := read(t, s, add(t, s, m).ID)
		if got.Content != text || got.Reasoning != text || got.Damaged {
			t.Errorf("%s: content of %d bytes comes back with %d, reasoning %d, damaged %v", name, len(text), len(got.Content), len(got.Reasoning), got.Damaged)
		}
	}
}

func TestAppendMovesTheLeafAndCounts(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, first := begin(t, s, "", "hello")
	must(t, "draft", s.SaveDraft(ctx, session.ID, Draft{Text: "unsent"}))
	answer := add(t, s, says(session.ID, first.ID, history.Assistant, "hi"))
	if got, _ := s.Draft(ctx, session.ID); got.Text != "unsent" {
		t.Errorf("the draft after an answer is %q, want unsent", got.Text)
	}
	second := add(t, s, says(session.ID, answer.ID, history.User, "more"))
	if got, _ := s.Draft(ctx, session.ID); got.Text != "" {
		t.Errorf("the draft after it was sent is %q, want none", got.Text)
	}
	got := sessionOf(t, s, session.ID)
	if got.Leaf != second.ID || got.Messages != 3 || got.Turns != 2 {
		t.Errorf("leaf %d, %d messages, %d turns; want %d, 3, 2", got.Leaf, got.Messages, got.Turns, second.ID)
	}
	if second.Seq != 3 || second.Status != history.Complete {
		t.Errorf("the third message has seq %d and status %s, want 3 and complete", second.Seq, second.Status)
	}
	if _, err := s.Append(ctx, Message{Session: session.ID, Message: history.Message{Status: history.Streaming}}); err == nil {
		t.Error("Append stored a streaming message that nobody owns")
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
	if err := s.SetLeaf(ctx, a.ID, other.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("SetLeaf to a message of another session = %v, want ErrNotFound", err)
	}
	if _, err := s.Branch(ctx, a.ID, other.ID, 0, 0); !errors.Is(err, ErrNotFound) {
		t.Errorf("Branch from a message of another session = %v, want ErrNotFound", err)
	}
	if got := sessionOf(t, s, a.ID); got.Messages != 1 {
		t.Errorf("a refused Append counted: %d messages", got.Messages)
	}
}

func TestBranches(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, u1 := begin(t, s, "", "u1")
	a1 := add(t, s, says(session.ID, u1.ID, history.Assistant, "a1"))
	u2 := add(t, s, says(session.ID, a1.ID, history.User, "u2"))
	a1b := add(t, s, says(session.ID, u1.ID, history.Assistant, "a1b"))
	u1b := add(t, s, says(session.ID, 0, history.User, "u1b"))
	a1c := add(t, s, says(session.ID, u1.ID, history.Assistant, "a1c"))
	for _, c := range []struct {
		leaf, before int64
		limit        int
		want         []string
	}{
		{u2.ID, 0, 0, []string{"u1", "a1", "u2"}},
		{u2.ID, 0, 2, []string{"a1", "u2"}},
		{u2.ID, u2.ID, 0, []string{"u1", "a1"}},
		{u2.ID, u2.ID, 1, []string{"a1"}},
		{u2.ID, u1.ID, 5, []string{}},
		{a1b.ID, 0, 9, []string{"u1", "a1b"}},
		{u1b.ID, 0, 9, []string{"u1b"}},
		{0, 0, 9, []string{}},
	} {
		got, err := s.Branch(ctx, session.ID, c.leaf, c.before, c.limit)
		if err != nil || !reflect.DeepEqual(contents(got), c.want) {
			t.Errorf("Branch(leaf %d, before %d, limit %d) = %q, %v; want %q", c.leaf, c.before, c.limit, contents(got), err, c.want)
		}
	}
	for _, c := range []struct {
		of                int64
		sibling, siblings int
		all               []int64
		leaf              int64
	}{
		{a1.ID, 1, 3, []int64{a1.ID, a1b.ID, a1c.ID}, u2.ID},
		{a1b.ID, 2, 3, []int64{a1.ID, a1b.ID, a1c.ID}, a1b.ID},
		{u1.ID, 1, 2, []int64{u1.ID, u1b.ID}, a1c.ID},
		{u1b.ID, 2, 2, []int64{u1.ID, u1b.ID}, u1b.ID},
		{u2.ID, 1, 1, []int64{u2.ID}, u2.ID},
	} {
		if m := read(t, s, c.of); m.Sibling != c.sibling || m.Siblings != c.siblings {
			t.Errorf("%q is version %d of %d, want %d of %d", m.Content, m.Sibling, m.Siblings, c.sibling, c.siblings)
		}
		if got, err := s.Siblings(ctx, c.of); err != nil || !reflect.DeepEqual(got, c.all) {
			t.Errorf("Siblings(%d) = %v, %v; want %v", c.of, got, err, c.all)
		}
		if got, err := s.LeafUnder(ctx, c.of); err != nil || got != c.leaf {
			t.Errorf("LeafUnder(%d) = %d, %v; want %d", c.of, got, err, c.leaf)
		}
	}
	for _, id := range []int64{0, 999} {
		if _, err := s.Siblings(ctx, id); !errors.Is(err, ErrNotFound) {
			t.Errorf("Siblings(%d) = %v, want ErrNotFound", id, err)
		}
		if _, err := s.LeafUnder(ctx, id); !errors.Is(err, ErrNotFound) {
			t.Errorf("LeafUnder(%d) = %v, want ErrNotFound", id, err)
		}
	}
	must(t, "set leaf", s.SetLeaf(ctx, session.ID, u2.ID))
	if got := sessionOf(t, s, session.ID).Leaf; got != u2.ID {
		t.Errorf("the leaf is %d, want %d", got, u2.ID)
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
		"UPDATE tool_calls SET arguments = CAST('{}' AS BLOB) WHERE message = ?1",
		"DELETE FROM tool_calls WHERE message = ?1",
		"DELETE FROM parts WHERE message = ?1",
		"UPDATE parts SET kind = 'text' WHERE message = ?1",
		"UPDATE attachments SET data = x'99' WHERE id = (SELECT attachment FROM parts WHERE message = ?1)",
		"UPDATE messages SET calls = 3 WHERE id = ?1",
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
		if !got.Damaged || got.Status != history.Quarantined || got.Content != "" || got.ToolCalls != nil || got.Parts != nil {
			t.Errorf("after %q the message is %+v, want it quarantined and without text", sql, got)
		}
		window, err := s.Branch(ctx, session.ID, m.ID, 0, 0)
		if err != nil || len(window) != 2 || window[0].Damaged || !window[1].Damaged {
			t.Errorf("after %q the branch is %+v, %v; want the whole message and the damaged one", sql, window, err)
		}
	}
	for _, sql := range []string{"UPDATE messages SET status = 'interrupted', tokens = 9, owner = 'x', seq = 1000 WHERE id = ?1"} {
		m := add(t, s, says(session.ID, first.ID, history.User, "x"))
		_, err := s.full.Exec(sql, m.ID)
		must(t, sql, err)
		if got := read(t, s, m.ID); got.Damaged {
			t.Errorf("after %q the message is called damaged, but what it says is the same", sql)
		}
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
	must(t, "damage", s.jot(ctx, "damage", func(tx *sql.Tx) error {
		if err := unindex(ctx, tx, []int64{damaged.ID}); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE attachments SET data = x'99'")
		return err
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
	if got := hitsOf(t, s, Search{Text: "needle"}); len(got) != 2 {
		t.Errorf("Search(needle) finds %q, want both messages", got)
	}
}
