package session

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm"
)

// TestExactCountsReplaceTheEstimates has a server that counts 1.5 tokens for each of ours.
func TestExactCountsReplaceTheEstimates(t *testing.T) {
	b := newBench(t, says("One."), says("Two."))
	s := b.begin()
	question := strings.Repeat("What is this about? ", 60)
	if _, err := drain(s.Send(t.Context(), question)); err != nil {
		t.Fatal(err)
	}
	plan, err := s.Preview(question)
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := s.Model().CountExactly(t.Context(), plan); changed || err != nil {
		t.Errorf("an endpoint that does not count is asked: %t, %v", changed, err)
	}
	want := plan.Sum.Total * 3 / 2
	asked := 0
	description := map[string]func() string{
		"/apply-template": func() string { return `{"prompt":"all of it"}` },
		"/tokenize": func() string {
			asked++
			return `{"tokens":[` + strings.TrimSuffix(strings.Repeat("7,", want), ",") + `]}`
		},
	}
	b.info = description
	e := b.deps.Models.Endpoints()[0]
	e.Exact = true
	b.deps.Models = new(llm.Catalog).With(e)
	again := b.open(s.Info().ID)
	if plan, err = again.Preview(question); err != nil {
		t.Fatal(err)
	}
	if changed, err := again.Model().CountExactly(t.Context(), plan); !changed || err != nil {
		t.Fatalf("the count is %d, not %d: changed %t, %v", want, plan.Sum.Total, changed, err)
	}
	exact, err := again.Preview(question)
	if err != nil {
		t.Fatal(err)
	}
	if got := exact.Sum.Tokens(exact.Sum.Total); got != want || exact.Sum.Margin > 0.03 {
		t.Errorf("the plan says %d tokens with a margin of %g, the server %d", got, exact.Sum.Margin, want)
	}
	if changed, err := again.Model().CountExactly(t.Context(), exact); changed || err != nil || asked != 2 {
		t.Errorf("the same count once more: changed %t, %v, asked %d times; want nothing to change",
			changed, err, asked)
	}
	description["/apply-template"] = func() string { return `{"error":"no"}` }
	if changed, err := again.Model().CountExactly(t.Context(), exact); changed || err == nil {
		t.Errorf("a server that cannot count: changed %t, %v; want an error", changed, err)
	}
	if changed, err := again.Model().CountExactly(t.Context(), exact); changed || err != nil || again.Model().Exact() {
		t.Errorf("it is asked again: changed %t, %v", changed, err)
	}
	if _, err := drain(again.Send(t.Context(), "Two?")); err != nil {
		t.Errorf("sending depends on the server's counting: %v", err)
	}
}

// countingService is a hosted service that counts, beside the script that answers.
type countingService struct {
	*script
	asked  []string // the bodies of the requests that it counted
	tokens int
	status int
}

func (c *countingService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/messages/count_tokens" {
		c.script.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Error(err)
	}
	c.asked = append(c.asked, string(body))
	w.WriteHeader(max(200, c.status))
	fmt.Fprintf(w, `{"input_tokens": %d}`, c.tokens)
}

// A hosted service counts what it has answered: nothing of the draft or its files, nothing that is excluded, no
// conversation of another model, and the same only once.
func TestAServiceCountsNothingThatWasNotSent(t *testing.T) {
	b := newBench(t, says("One."), says("Two."), says("Three."))
	service := &countingService{script: b.script, tokens: 3000}
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	b.deps.Models = new(llm.Catalog).With(
		llm.Endpoint{Name: "anthropic", BaseURL: server.URL + "/v1", Key: "sk-test", Exact: true, Window: 8192},
		llm.Endpoint{Name: "other", BaseURL: server.URL + "/v1", Window: 8192},
	)
	s, err := New(b.deps, Start{Ref: "other/m"})
	if err != nil {
		t.Fatal(err)
	}
	secret := history.Part{Kind: history.TextPart, Name: "notes.txt", Text: "secret file"}
	count := func(what string, requests int, changes bool) {
		t.Helper()
		plan, err := s.Preview("secret draft", secret)
		if err != nil {
			t.Fatal(err)
		}
		changed, err := s.Model().CountExactly(t.Context(), plan)
		if err != nil || changed != changes || len(service.asked) != requests {
			t.Errorf("%s: changed %t, %v, after %d requests; want %t and %d", what, changed, err, len(service.asked),
				changes, requests)
		}
		for _, body := range service.asked {
			if strings.Contains(body, "secret") {
				t.Errorf("%s: the service was sent %s", what, body)
			}
		}
	}
	send := func(text string) {
		t.Helper()
		if _, err := drain(s.Send(t.Context(), text)); err != nil {
			t.Fatal(err)
		}
	}
	count("another model", 0, false)
	send("Question one. " + strings.Repeat("What is this about? ", 60))
	if err := s.SetModel(t.Context(), "anthropic/m"); err != nil {
		t.Fatal(err)
	}
	count("the answer of another model", 0, false)
	send("Question two.")
	count("its own answer", 1, true)
	if asked := service.asked[0]; !strings.Contains(asked, "Question one.") ||
		!strings.Contains(asked, `"text":"Two."`) || !strings.Contains(asked, `"text":"?"`) {
		t.Errorf("counted %s", asked)
	}
	plan, err := s.Preview("secret draft")
	if err != nil || plan.Sum.Tokens(plan.Sum.Total-plan.Sum.Draft) < 2990 ||
		plan.Sum.Tokens(plan.Sum.Total-plan.Sum.Draft) > 3010 {
		t.Errorf("without the draft the next request has %d tokens, %v; want 3,000",
			plan.Sum.Tokens(plan.Sum.Total-plan.Sum.Draft), err)
	}
	count("the same again", 1, false)
	if plan, err = s.Preview(""); err != nil {
		t.Fatal(err)
	}
	if changed, err := s.Model().CountExactly(t.Context(), plan); changed || err != nil || len(service.asked) != 1 {
		t.Errorf("without a draft: changed %t, %v, after %d requests", changed, err, len(service.asked))
	}
	exclude(t, s, 1)
	count("an exclusion", 2, true)
	if asked := service.asked[1]; strings.Contains(asked, "Question one.") ||
		!strings.Contains(asked, "Question two.") {
		t.Errorf("counted %s", asked)
	}
	service.status = 500
	send("Question three.")
	if plan, err = s.Preview("secret draft"); err != nil {
		t.Fatal(err)
	}
	if changed, err := s.Model().CountExactly(t.Context(), plan); changed || err == nil || s.Model().Exact() {
		t.Errorf("a service that fails: changed %t, %v", changed, err)
	}
	count("after a failure", 3, false)
}
