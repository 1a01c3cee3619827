package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
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

// What the parent has is not the fork's, and the other way round.
func TestForkOutlivesItsParent(t *testing.T) {
	ctx := context.Background()
	s := newStore(t)
	row, branch := forkable(t, s)
	fork, err := s.Fork(ctx, row.ID, row.Leaf)
	must(t, "fork", err)
	want, err := s.Branch(ctx, fork.Leaf, 0)
	must(t, "read the fork", err)
	if len(want) != len(branch) || !bytes.Equal(want[1].Parts[0].Data, []byte("picture")) {
		t.Fatalf("the fork has %d messages with %+v, want %d with the picture", len(want), want[1].Parts, len(branch))
	}
	must(t, "purge the parent", s.Purge(ctx, row.ID))
	got, err := s.Branch(ctx, fork.Leaf, 0)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("without its parent the fork is\n%+v (%v), want\n%+v", got, err, want)
	}
	if now := sessionOf(t, s, fork.ID); now.Parent != row.ID {
		t.Errorf("it comes from %q now, want still %q", now.Parent, row.ID)
	}
	forks, err := s.Sessions(ctx, Filter{All: true, ForkOf: row.ID})
	if err != nil || len(forks) != 1 || forks[0].ID != fork.ID {
		t.Errorf("the forks of the session that is gone are %+v (%v), want the one", forks, err)
	}
	must(t, "purge the fork", s.Purge(ctx, fork.ID))
	var left int
	must(t, "count the attachments", s.view(ctx, "count", doing(func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `SELECT count(*) FROM attachments`).Scan(&left)
	})))
	if left != 0 {
		t.Errorf("%d attachments are left without a session", left)
	}
}

func TestForksAreNamed(t *testing.T) {
	ctx := context.Background()
	s := newStore(t)
	row, first := begin(t, s, "Parser", "hello")
	untitled, _ := begin(t, s, "", "hello")
	var titles []string
	fork := func(of Session, at int64) Session {
		t.Helper()
		out, err := s.Fork(ctx, of.ID, at)
		must(t, "fork", err)
		titles = append(titles, out.Title)
		return out
	}
	one := fork(row, first.ID)
	fork(row, first.ID)
	fork(one, one.Leaf)
	must(t, "rename", s.Rename(ctx, one.ID, "Lexer", "user"))
	fork(row, first.ID)
	fork(untitled, untitled.Leaf)
	want := []string{"Parser (fork)", "Parser (fork)", "Parser (fork)", "Parser (fork)", ""}
	if !reflect.DeepEqual(titles, want) {
		t.Errorf("the forks are called %q, want %q", titles, want)
	}
	must(t, "delete", s.Delete(ctx, one.ID))
	forks, err := s.Sessions(ctx, Filter{All: true, ForkOf: row.ID})
	must(t, "list the forks", err)
	got := []string{}
	for _, f := range forks {
		got = append(got, fmt.Sprint(f.Title, " ", !f.Deleted.IsZero()))
	}
	if want := []string{"Parser (fork) false", "Parser (fork) false", "Lexer true"}; !slices.Equal(got, want) {
		t.Errorf("the forks, and whether they are in the trash, are %q, want %q", got, want)
	}
}

func TestForksThatCannotBe(t *testing.T) {
	ctx := context.Background()
	s := newStore(t)
	row, first := begin(t, s, "Parser", "hello")
	_, foreign := begin(t, s, "Other", "hello")
	for _, test := range []struct {
		name    string
		session string
		message int64
	}{
		{"no message", row.ID, 0},
		{"a message that is not there", row.ID, 999},
		{"a message of another session", row.ID, foreign.ID},
		{"a session that is not there", "none", first.ID},
	} {
		if out, err := s.Fork(ctx, test.session, test.message); !errors.Is(err, ErrNotFound) {
			t.Errorf("a fork at %s: %+v, %v; want ErrNotFound", test.name, out, err)
		}
	}
	if all, err := s.Sessions(ctx, Filter{}); err != nil || len(all) != 2 {
		t.Errorf("there are %d sessions (%v), want the two", len(all), err)
	}
}

// What a fork copies is found at once; of a long branch once the backlog is worked off.
func TestForkIsFound(t *testing.T) {
	ctx := context.Background()
	s := newStore(t)
	row, m := begin(t, s, "Parser", "marzipan")
	hits := func(in string) int {
		t.Helper()
		hits, err := s.Search(ctx, Search{Text: "marzipan", Session: in})
		must(t, "search", err)
		return len(hits)
	}
	short, err := s.Fork(ctx, row.ID, m.ID)
	must(t, "fork", err)
	if n := hits(short.ID); n != 1 {
		t.Errorf("the word is found %d times in the fork, want once", n)
	}
	for range 3 {
		m = add(t, s, says(row.ID, m.ID, history.User, strings.Repeat("word ", 30_000)))
	}
	long, err := s.Fork(ctx, row.ID, m.ID)
	must(t, "fork", err)
	left, err := s.Unindexed(ctx)
	if must(t, "count the backlog", err); left == 0 || left > 3 {
		t.Errorf("%d messages of the long fork wait for the index, want some of 4", left)
	}
	for left > 0 {
		left, err = s.IndexSome(ctx)
		must(t, "index", err)
	}
	if n := hits(long.ID); n != 1 {
		t.Errorf("the word is found %d times in the long fork, want once", n)
	}
	must(t, "purge", s.Purge(ctx, row.ID))
	if a, b := hits(short.ID), hits(long.ID); a != 1 || b != 1 {
		t.Errorf("without the parent the word is found %d and %d times in the forks, want once each", a, b)
	}
}
