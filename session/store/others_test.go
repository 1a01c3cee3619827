package store

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"winnow/history"
)

func TestRequestsComeBackAsGiven(t *testing.T) {
	c := noon()
	s := openAt(t, newPath(t), Options{Now: c.now})
	ctx := context.Background()
	session, first := begin(t, s, "", "hello")
	in := Request{
		Session: session.ID, Turn: 1, User: first.ID, Endpoint: "e", Model: "m", Options: `{"o": 1}`,
		Plan: &history.Plan{
			Sum:     history.Sum{Total: 2},
			Entries: []history.Entry{{ID: first.ID, Disposition: history.Kept, TokensBefore: 3}},
		},
		Rules: 1, Tokenizer: "o200k_base", Estimate: 99, BodyHash: "ab12",
		Prompt: -1, Cached: -1, Answer: -1, Reasoning: -1,
	}
	one, err := s.AddRequest(ctx, in)
	must(t, "add", err)
	plan := in.Plan
	in.ID, in.Created, in.Plan, in.Sum, in.Tally = one.ID, c.t, nil, plan.Sum, Tally{Stored: 1, Kept: 1}
	if !reflect.DeepEqual(one, in) {
		t.Errorf("AddRequest returns\n%+v, want\n%+v", one, in)
	}
	in.Sum, in.Tally = history.Sum{}, Tally{}
	two, err := s.AddRequest(ctx, in)
	must(t, "add", err)
	if two.ID == one.ID {
		t.Error("two requests have one id")
	}
	one.Prompt, one.Cached, one.Answer, one.Reasoning = 100, 50, 20, 0
	one.Cost, one.CostFrom, one.PriceSource, one.CacheWrite = 4_123_000, "prices", "somebody", 12
	one.Reusable, one.ReusableAge = 90, time.Minute
	one.FirstToken, one.Took = 250*time.Millisecond, 3*time.Second+7*time.Microsecond
	one.Retries, one.Finish, one.End, one.Error, one.Fault = 2, "stop", "done", "e\x00\xff", `{"what":"e"}`
	must(t, "update", s.UpdateRequest(ctx, one))
	got, err := s.Requests(ctx, session.ID, RequestFilter{})
	if err != nil || !reflect.DeepEqual(got, []Request{one, two}) {
		t.Errorf("Requests returns\n%+v, %v, want\n%+v", got, err, []Request{one, two})
	}
	if got, err := s.Verdicts(ctx, one.ID); err != nil || !reflect.DeepEqual(got, *plan) {
		t.Errorf("the plan is %+v, %v, want %+v", got, err, *plan)
	}
	if got, err := s.Verdicts(ctx, two.ID); err == nil || !strings.Contains(err.Error(), fmt.Sprint("request ",
		two.ID)) {
		t.Errorf("a request without a plan has %+v, %v; want an error that names the request", got, err)
	}
	in.Turn = 2
	three, err := s.AddRequest(ctx, in)
	must(t, "add", err)
	for turn, want := range [][]Request{{one, two, three}, {one, two}, {three}, nil} {
		got, err := s.Requests(ctx, session.ID, RequestFilter{Turn: turn})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("TurnRequests of turn %d returns\n%+v, %v, want\n%+v", turn, got, err, want)
		}
	}
}

func TestLearnedFactsHoldNoSecret(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	in := Learned{
		BaseURL: "https://me:sk-secret@example.com/v1?key=sk-secret", Model: "m",
		Window: 8192, WindowAt: noon().now(), Ratio: 1.07, Samples: 3, Asked: []byte(`{"no_temperature":true}`),
	}
	if got, err := s.Endpoint(ctx, in.BaseURL, "m"); err != nil || got.Window != 0 || got.Samples != 0 {
		t.Errorf("before anything was learned: %+v, %v", got, err)
	}
	must(t, "learn", s.Learn(ctx, in.BaseURL, in.Model, func(l *Learned) { *l = in }))
	in.Window, in.Asked = 4096, nil
	must(t, "learn", s.Learn(ctx, in.BaseURL, in.Model, func(l *Learned) { *l = in }))
	want := Learned{
		BaseURL: "https://example.com/v1", Model: "m", Window: 4096, WindowAt: in.WindowAt, Ratio: 1.07,
		Samples: 3,
	}
	for _, url := range []string{in.BaseURL, want.BaseURL} {
		if got, err := s.Endpoint(ctx, url, "m"); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Endpoint(%s) = %+v, %v; want %+v", url, got, err, want)
		}
	}
	var n int
	must(t, "count", s.reads.QueryRow("SELECT count(*) FROM endpoints WHERE base_url LIKE '%secret%'").Scan(&n))
	if n != 0 {
		t.Error("a password in a URL was stored")
	}
}

func TestPromptsAndDrafts(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, _ := begin(t, s, "", "begun")
	for _, text := range []string{"one", "two", "two", "\x00\xff", "one"} {
		must(t, "add prompt", s.AddPrompt(ctx, session.ID, Draft{Text: text}))
	}
	for limit, want := range map[int][]string{-1: {"one", "\x00\xff", "two"}, 2: {"one", "\x00\xff"}} {
		var got []string
		prompts, err := s.Prompts(ctx, limit)
		for _, p := range prompts {
			got = append(got, p.Text)
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Prompts(%d) = %q, %v; want %q", limit, got, err, want)
		}
	}
	must(t, "draft", s.SaveDraft(ctx, "", Draft{Text: "not begun\x00"}))
	begin(t, s, "", "begun")
	if got, err := s.Draft(ctx, ""); err != nil || got.Text != "" {
		t.Errorf("the draft of a chat that began is %q, %v; want none", got.Text, err)
	}
	for _, c := range []struct{ of, text string }{
		{"", "x"},
		{session.ID, "y\xff"},
		{session.ID, "z"},
		{session.ID, ""},
		{"", "w"},
	} {
		must(t, "draft", s.SaveDraft(ctx, c.of, Draft{Text: c.text}))
		if got, err := s.Draft(ctx, c.of); err != nil || got.Text != c.text {
			t.Errorf("Draft(%q) = %q, %v; want %q", c.of, got.Text, err, c.text)
		}
	}
}

// An image from the clipboard is nowhere but in the draft, and stays there; a prompt does without it.
func TestDraftsKeepFilesWithoutAPath(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, _ := begin(t, s, "", "begun")
	image := history.Part{
		Kind: history.ImagePart, Name: "pasted-1.png", MediaType: "image/png",
		Data: []byte("\x89PNG\x00"), Tokens: 85,
	}
	want := Draft{Text: "see ", Folds: []Fold{{From: 4, To: 4}}, Parts: []history.Part{image}}
	for _, id := range []string{"", session.ID} {
		must(t, "draft", s.SaveDraft(ctx, id, want))
		if got, err := s.Draft(ctx, id); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("the draft is %+v, %v; want %+v", got, err, want)
		}
	}
	must(t, "prompt", s.AddPrompt(ctx, session.ID, want))
	if got, err := s.Prompts(ctx, 1); err != nil || len(got) != 1 || len(got[0].Folds) > 0 ||
		got[0].Text != "see " {
		t.Errorf("the prompt is %+v, %v", got, err)
	}
	must(t, "draft", s.SaveDraft(ctx, "", Draft{Text: "see "}))
	if got, err := s.Draft(ctx, ""); err != nil || len(got.Parts) > 0 {
		t.Errorf("the image is still there: %+v, %v", got, err)
	}
}

func TestDraftsKeepWhatStandsFolded(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, _ := begin(t, s, "", "begun")
	for _, want := range []Draft{
		{Text: "see long here", Folds: []Fold{{From: 4, To: 8}, {From: 9, To: 9, Path: "/tmp/a \xe9.go"}}},
		{Folds: []Fold{{Path: "/tmp/b.png"}}},
		{Text: "see long here"},
	} {
		must(t, "draft", s.SaveDraft(ctx, "", want))
		must(t, "prompt", s.AddPrompt(ctx, session.ID, want))
		must(t, "prompt again", s.AddPrompt(ctx, session.ID, want))
		if len(want.Folds) > 1 {
			want.Folds[1].Path = "/tmp/a \ufffd.go" // JSON holds no other bytes
		}
		if got, err := s.Draft(ctx, ""); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("the draft is %+v, %v; want %+v", got, err, want)
		}
		if got, err := s.Prompts(ctx, 1); err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], want) {
			t.Errorf("the prompt is %+v, %v; want %+v", got, err, want)
		}
	}
	if all, err := s.Prompts(ctx, -1); err != nil || len(all) != 3 {
		t.Errorf("there are %d prompts, %v; want 3: the same twice is kept once", len(all), err)
	}
	for _, bad := range []string{
		"", "{}", "no",
		`[{"from":9,"to":3}]`, `[{"from":0,"to":99}]`, `[{"from":3,"to":5},{"from":2,"to":2}]`,
	} {
		d := Draft{Text: "a text"}
		must(t, "read the folds", (&asJSON{&d.Folds}).Scan(bad))
		if got := d.checked(); got.Text != "a text" || len(got.Folds) > 0 {
			t.Errorf("with %s the draft is %+v", bad, got)
		}
	}
}

func TestTheOldestPromptsBeyondTheLimitGo(t *testing.T) {
	s := newStore(t)
	_, err := s.full.Exec(`
		INSERT INTO prompts (text)
		SELECT CAST(value AS BLOB)
		FROM (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 2000) SELECT value FROM n)`)
	must(t, "fill", err)
	must(t, "add prompt", s.AddPrompt(t.Context(), "", Draft{Text: "newest"}))
	all, err := s.Prompts(t.Context(), -1)
	if err != nil || len(all) != mostPrompts || all[0].Text != "newest" || all[mostPrompts-1].Text != "2" {
		t.Errorf("%d prompts are kept, %v; want the newest %d", len(all), err, mostPrompts)
	}
}
