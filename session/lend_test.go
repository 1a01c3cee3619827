package session

import (
	"net/http"
	"strings"
	"testing"

	"winnow/session/approval"
)

// twoModels is a bench with a second endpoint, which has another key, other prices and a smaller window.
func twoModels(t *testing.T, steps ...step) *bench {
	b := newBench(t, steps...)
	other := b.deps.Models.Endpoints()[0]
	other.Name, other.Key, other.Default, other.Window, other.Prices = "other", "sk-other", "large", 4096,
		perMillion(10_000, 0)
	b.deps.Models.With(other)
	return b
}

// keyed is a step that wants a key.
func keyed(t *testing.T, key string, next step) step {
	return func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer "+key {
			t.Errorf("the request has the key %q, want %q", got, key)
		}
		next(w, r)
	}
}

// wantModel wants the conversation to be with a model, here and in the store.
func wantModel(t *testing.T, b *bench, s *Session, want string) {
	t.Helper()
	if row := stored(t, b, s); s.Model().Ref() != want || row.Endpoint+"/"+row.Model != want {
		t.Errorf("the conversation is with %s, asks %s, and is stored with %s/%s; want %s", s.Model().Ref(), s.Model().Ref(),
			row.Endpoint, row.Model, want)
	}
}

func TestAnotherModelAnswersOnce(t *testing.T) {
	t.Parallel()
	b := twoModels(
		t, keyed(t, "sk-test", says("One.")), keyed(t, "sk-other", calls("c1", "add", `{"a":1,"b":2}`)),
		keyed(t, "sk-other", says("Uno.")), keyed(t, "sk-test", says("Two.")),
	)
	b.deps.Approval.Mode, b.deps.Tokenizer = approval.Always, "quarters"
	e := b.deps.Models.Endpoints()[1]
	e.Tools = adder(t)
	b.deps.Models.Add(e)
	s := b.begin()
	drain(s.Send(t.Context(), say("First")))
	first := s.Messages()[1].ID
	events := completed(t, s.Regenerate(t.Context(), first, "other/large"))
	for _, p := range only[Planned](events) {
		if p.Request.Endpoint != "other" || p.Request.Model != "large" || p.Plan.Sum.Window != 4096 {
			t.Errorf("the record names %s/%s and a window of %d, want other/large with 4096", p.Request.Endpoint,
				p.Request.Model, p.Plan.Sum.Window)
		}
	}
	messages := s.Messages()
	last := messages[len(messages)-1]
	if last.Endpoint != "other" || last.Model != "large" || messages[1].Sibling != 2 || messages[1].Siblings != 2 {
		t.Errorf("the answer is of %s/%s, version %d of %d", last.Endpoint, last.Model, messages[1].Sibling,
			messages[1].Siblings)
	}
	if answered := only[Answered](events); len(answered) != 2 || answered[1].Receipt.Cost.Amount == 0 {
		t.Errorf("the receipts are %+v, want two with the other model's prices", answered)
	}
	wantModel(t, b, s, "test/m")
	drain(s.Send(t.Context(), say("Second")))
	for n, model := range []string{"m", "large", "large", "m"} {
		if body := b.body(n + 1); !strings.Contains(body, `"model":"`+model+`"`) {
			t.Errorf("request %d is not for %s: %s", n+1, model, body)
		}
	}
	again := b.open(s.Info().ID)
	wantModel(t, b, again, "test/m")
	for nth := range 3 { // the first answer, and the two requests of the other one
		wantProven(t, again, 1, nth+1, b.body(nth+1))
	}
	wantProven(t, again, 2, 1, b.body(4))
}

func TestAModelThatIsNotThereAnswersNothing(t *testing.T) {
	t.Parallel()
	b := twoModels(t, says("One."), refuses(http.StatusBadRequest, `{"error":{"message":"no"}}`))
	s := b.begin()
	drain(s.Send(t.Context(), say("First")))
	want := transcript(s.Messages())
	for _, ref := range []string{"othr/large", "other/large"} { // the second is refused
		if _, err := drain(s.Regenerate(t.Context(), 0, ref)); err == nil {
			t.Errorf("%s: there is no error", ref)
		}
		wantTranscript(t, s.Messages(), want)
		wantModel(t, b, s, "test/m")
	}
	if n := b.requests(); n != 2 {
		t.Errorf("%d requests, want none to a model that is not there", n)
	}
}
