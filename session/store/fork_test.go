package store

import (
	"context"
	"reflect"
	"testing"

	"winnow/history"
)

// forkable is a session with everything that a message can have, on two branches.
func forkable(t testing.TB, s *Store) (Session, []Message) {
	t.Helper()
	ctx := context.Background()
	row, first, err := s.Begin(ctx, Session{
		Title: "Café", TitleFrom: "user", Endpoint: "home", Model: "m", Preset: "lean", Overrides: "budget = 900\n",
		System: "Be brief.", Dir: "/tmp/x", Tags: []string{"b", "a"}, Pinned: true,
	}, says("", 0, history.User, "zero \x00 and \xff"))
	must(t, "begin", err)
	question := says(row.ID, first.ID, history.User, "What is this?")
	question.Parts = []history.Part{
		{Kind: history.ImagePart, MediaType: "image/png", Name: "cat.png", Data: []byte("picture"), Tokens: 85},
		{Kind: history.TextPart, Text: "a text", Tokens: 2},
	}
	question.Name, question.Label, question.Tokens, question.Tokenizer = "Ana", "m-7", 12, "quarters"
	asked := add(t, s, question)
	call := says(row.ID, asked.ID, history.Assistant, "")
	call.Reasoning, call.Extra, call.Model, call.Endpoint = "I should look.", []byte(`{"seed": 7}`), "m", "home"
	call.ToolCalls = []history.ToolCall{
		{ID: "c1", Name: "look", Arguments: `{"at": `},
		{ID: "", Name: "\xff", Arguments: ""},
	}
	call.FinishReason, call.Request = "tool_calls", 41
	called := add(t, s, call)
	result := says(row.ID, called.ID, history.Tool, "a cat")
	result.ToolCallID = "c1"
	add(t, s, says(row.ID, asked.ID, history.Assistant, "Another answer."))
	end := add(t, s, result)
	branch, err := s.Branch(ctx, end.ID, 0)
	must(t, "read the branch", err)
	return sessionOf(t, s, row.ID), branch
}

// copied is a message of a branch as its copy should be in a fork, at a place from 0.
func copied(m Message, fork Session, place int, first int64) Message {
	m.Session, m.Seq, m.Request, m.Siblings, m.Sibling = fork.ID, place+1, 0, 1, 1
	m.ID = first + int64(place)*idStep
	m.Parent = 0
	if place > 0 {
		m.Parent = m.ID - idStep
	}
	return m
}

func TestForkCopiesTheBranch(t *testing.T) {
	ctx := context.Background()
	s := newStore(t)
	row, branch := forkable(t, s)
	must(t, "flag", flag(ctx, s, branch[0].ID, history.Pin))
	must(t, "flag", flag(ctx, s, branch[3].ID, history.Exclude))
	must(t, "remedy", s.SetRemedies(ctx, history.SendAsText, branch[2].ID))
	for _, last := range []Message{branch[1], branch[3]} {
		_, err := s.AddSummary(ctx, Summary{
			Session: row.ID, Sources: history.IDs{{
				branch[0].ID,
				last.ID,
			}}, Messages: last.Seq, Endpoint: "home", Model: "m", Text: "Notes.",
		})
		must(t, "add a summary", err)
	}
	must(t, "save a draft", s.SaveDraft(ctx, row.ID, Draft{Text: "unsent"}))
	before, err := s.Branch(ctx, row.Leaf, 0)
	must(t, "read the branch", err)

	fork, err := s.Fork(ctx, row.ID, branch[2].ID)
	must(t, "fork", err)
	want := row
	want.ID, want.Title, want.Pinned, want.Parent, want.ForkedAt = fork.ID, "Café (fork)", false, row.ID, branch[2].ID
	want.Messages, want.Turns, want.Leaf, want.key, want.used = 3, 2, fork.Leaf, fork.key, fork.used
	if !reflect.DeepEqual(fork, want) {
		t.Errorf("the fork is\n%+v, want\n%+v", fork, want)
	}
	got, err := s.Branch(ctx, fork.Leaf, 0)
	must(t, "read the fork", err)
	first := fork.Leaf - 2*idStep
	for i := range 3 {
		if want := copied(branch[i], fork, i, first); !reflect.DeepEqual(got[i], want) {
			t.Errorf("the copy at place %d is\n%+v, want\n%+v", i, got[i], want)
		}
	}
	wantDecided := Decisions{
		Flags:    map[int64]history.Flag{first: history.Pin},
		Remedies: map[int64]history.Remedy{fork.Leaf: history.SendAsText},
	}
	if decided, err := s.Decisions(ctx, fork.ID); err != nil || !reflect.DeepEqual(decided, wantDecided) {
		t.Errorf("of the fork is decided %v (%v), want %v", decided, err, wantDecided)
	}
	summaries, err := s.Summaries(ctx, fork.ID)
	if err != nil || len(summaries) != 1 || !reflect.DeepEqual(summaries[0].Sources, history.IDs{{
		first,
		first + idStep,
	}}) ||
		summaries[0].Text != "Notes." || summaries[0].Messages != 2 {
		t.Errorf("the fork's summaries are %+v (%v), want the one of the first two messages", summaries, err)
	}
	if draft, err := s.Draft(ctx, fork.ID); err != nil || draft.Text != "" {
		t.Errorf("the fork's draft is %q (%v), want none", draft.Text, err)
	}
	if last, err := lastUsed(s); err != nil || last.ID != fork.ID {
		t.Errorf("the session used last is %s (%v), want the fork", last.Title, err)
	}

	after, err := s.Branch(ctx, row.Leaf, 0)
	if now := sessionOf(t, s, row.ID); err != nil || !reflect.DeepEqual(after, before) || !reflect.DeepEqual(now, row) {
		t.Errorf("the parent is\n%+v %+v (%v), was\n%+v %+v", now, after, err, row, before)
	}
}
