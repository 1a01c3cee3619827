package session

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/session/store"
)

// withSummarizer adds a second server to a bench, whose model writes the summaries.
func withSummarizer(t *testing.T, b *bench, window int, steps ...step) *script {
	t.Helper()
	other := &script{t: t, steps: steps, Ledger: b.Ledger}
	server := httptest.NewServer(other)
	t.Cleanup(server.Close)
	b.deps.Models.Add(llm.Endpoint{
		Name: "other", BaseURL: server.URL + "/v1", Key: "sk-other", Window: window, Tries: 1,
		Prices: map[string]pricing.Prices{
			"*": {Rates: pricing.PlainRates(dollars(1000), dollars(2000)), Source: "the configuration"},
		},
	})
	b.deps.SummaryRef = "other/notes"
	return other
}

// The configured model summarises: announced by its name, recorded with it, at its prices. What is excluded
// reaches it no more than any other, and the answer comes from the conversation's own model.
func TestAConfiguredModelWritesTheSummaries(t *testing.T) {
	b, s := discussed(t, 4, says("Yes."))
	other := withSummarizer(t, b, 4096, says("Notes: what was asked."))
	s = b.open(s.Info().ID)
	exclude(t, s, 3)
	events := completed(t, s.Compact(t.Context()))
	shown := notices(events)
	if len(shown) != 2 || !strings.HasPrefix(shown[0], "asking other/notes to summarise 4 older messages (about ") ||
		!strings.Contains(shown[0], " tokens, ~$0.") {
		t.Errorf("the turn says %q", shown)
	}
	asked := other.body(1)
	if b.last() != 4 || other.last() != 1 || !strings.Contains(asked, `"model":"notes"`) ||
		!strings.Contains(asked, "question1") ||
		strings.Contains(asked, "question2") || strings.Contains(asked, "question4") {
		t.Errorf("after %d and %d requests the summary is asked for with %s", b.last(), other.last(), asked)
	}
	completed(t, s.Send(t.Context(), say("Ready?")))
	if sent := b.body(5); !strings.Contains(sent, "Notes: what was asked.") || strings.Contains(sent, "question3") ||
		other.last() != 1 {
		t.Errorf("the answer is asked for with %s", sent)
	}
	all, err := b.deps.Store.Requests(t.Context(), s.Info().ID, store.RequestFilter{})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(all, func(r store.Request) bool { return r.Purpose == store.ForSummary })
	r := all[at]
	// 12 tokens or more at $1,000 a million, and one of the answer at $2,000.
	if r.Endpoint != "other" || r.Model != "notes" || r.BodyHash != hash([]byte(asked)) ||
		r.CostFrom != string(pricing.Priced) ||
		pricing.Money(r.Cost) != dollars((1000*float64(r.Prompt)+2000*float64(r.Answer))/1e6) {
		t.Errorf("the request is recorded as %+v, cost %s", r, pricing.Money(r.Cost))
	}
	if r, err := s.Records().ReplayOf(t.Context(), r.Turn, r.ID); err != nil || !r.Proven {
		t.Errorf("it is not proven: %v, %s", err, r.Doubt)
	}
	stored, err := b.deps.Store.Summaries(t.Context(), s.Info().ID)
	if err != nil || len(stored) != 1 || stored[0].Endpoint != "other" || stored[0].Model != "notes" {
		t.Errorf("the summaries are %+v, %v", stored, err)
	}
	if s.Model().Ref() != "test/m" {
		t.Errorf("the conversation goes on with %s", s.Model().Ref())
	}
}

func dollars(n float64) pricing.Money {
	m, _ := pricing.Dollars(n)
	return m
}

// Where the model for summaries cannot be found, the messages go to no other.
func TestAnUnknownSummarizerIsAnError(t *testing.T) {
	for ref, why := range map[string]string{
		"nowhere/notes": `there is no endpoint "nowhere"`, "notes": `there is no endpoint "notes"`,
	} {
		b, s := conversationOf(t, 4)
		other := withSummarizer(t, b, 8192)
		b.deps.SummaryRef = ref
		s = b.open(s.Info().ID)
		_, err := drain(s.Compact(t.Context()))
		if err == nil || !strings.Contains(err.Error(), "(summary.model)") || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", ref, err)
		}
		if b.last() != 4 || other.last() != 0 {
			t.Errorf("%s: after the conversation %d and %d requests were sent", ref, b.last()-4, other.last())
		}
	}
}
