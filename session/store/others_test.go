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
	if got, err := s.Verdicts(ctx, two.ID); err == nil || !strings.Contains(err.Error(), fmt.Sprint("request ", two.ID)) {
		t.Errorf("a request without a plan has %+v, %v; want an error that names the request", got, err)
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
	if n := countOf(t, s, "SELECT count(*) FROM endpoints WHERE base_url LIKE '%secret%'"); n != 0 {
		t.Error("a password in a URL was stored")
	}
}

func TestDraftsComeBack(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, _ := begin(t, s, "", "begun")
	for _, want := range []Draft{
		{Text: "y\xff\x00"},
		{Text: "see long here", Folds: []Fold{{From: 4, To: 8}, {From: 9, To: 9, Path: "/tmp/a.go"}}},
		{Folds: []Fold{{Path: "/tmp/b.png"}}},
		// An image from the clipboard is nowhere but in the draft.
		{Text: "see ", Folds: []Fold{{From: 4, To: 4}}, Parts: []history.Part{{
			Kind: history.ImagePart, Name: "pasted-1.png", MediaType: "image/png",
			Data: []byte("\x89PNG\x00"), Tokens: 85,
		}}},
		{Text: "see "},
		{},
	} {
		for _, of := range []string{"", session.ID} {
			must(t, "draft", s.SaveDraft(ctx, of, want))
			if got, err := s.Draft(ctx, of); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("the draft of %q is %+v, %v; want %+v", of, got, err, want)
			}
		}
	}
	must(t, "draft", s.SaveDraft(ctx, "", Draft{Text: "not begun"}))
	begin(t, s, "", "begun")
	if got, err := s.Draft(ctx, ""); err != nil || got.Text != "" {
		t.Errorf("the draft of a chat that began is %q, %v; want none", got.Text, err)
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

// The same prompt twice is one, a file without a path is left out, and the oldest beyond the limit go.
func TestTheNewestPromptsAreKept(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	for i := range mostPrompts + 1 {
		must(t, "add a prompt", s.AddPrompt(ctx, "", Draft{Text: fmt.Sprint(i)}))
	}
	all, err := s.Prompts(ctx, -1)
	if err != nil || len(all) != mostPrompts || all[mostPrompts-1].Text != "1" {
		t.Errorf("%d prompts are kept, %v; want the newest %d", len(all), err, mostPrompts)
	}
	folds := []Fold{{From: 0, To: 0}, {From: 1, To: 1, Path: "/tmp/b.png"}}
	for range 2 {
		must(t, "add a prompt", s.AddPrompt(ctx, "", Draft{Text: "\x00\xff", Folds: folds}))
	}
	must(t, "add a prompt", s.AddPrompt(ctx, "", Draft{Text: "5"}))
	newest, err := s.Prompts(ctx, 2)
	if want := []Draft{{Text: "5"}, {Text: "\x00\xff", Folds: folds[1:]}}; err != nil || !reflect.DeepEqual(newest, want) {
		t.Errorf("the newest prompts are %+v, %v; want %+v", newest, err, want)
	}
}
