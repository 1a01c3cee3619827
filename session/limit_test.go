package session

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"winnow/llm/pricing"
	"winnow/session/approval"
	"winnow/session/limits"
	"winnow/session/store"
)

const cent = pricing.Dollar / 100

// limited is a bench whose server asks a cent for each token of a request and nothing for those of an answer.
func limited(t *testing.T, l limits.Limits, steps ...step) *bench {
	t.Helper()
	b := newBench(t, steps...)
	b.hosted(perMillion(10_000, 0))
	b.deps.Limits = l
	return b
}

// answering reads a turn to its end and answers its questions about limits, one after the other; a question beyond
// the last answer is answered with no.
func answering(events <-chan Event, answers ...limits.Answer) (asked []limits.Over, all []Event, err error) {
	for e := range events {
		all = append(all, e)
		switch e := e.(type) {
		case OverLimit:
			answer := limits.No
			if len(asked) < len(answers) {
				answer = answers[len(asked)]
			}
			asked = append(asked, e.Over)
			e.Answer(answer)
		case Finished:
			err = e.Err
		}
	}
	return asked, all, err
}

// keysOf are the limits that were asked about.
func keysOf(asked []limits.Over) string {
	var keys []string
	for _, o := range asked {
		keys = append(keys, strings.Join(o.Keys(), " "))
	}
	return strings.Join(keys, ", ")
}

func TestAMessageAboveALimitIsNeitherStoredNorSent(t *testing.T) {
	for _, test := range []struct {
		name   string
		limits limits.Limits
		want   string
	}{
		{"cost", limits.Limits{Request: limits.Amount{Cost: 5 * cent}}, "request_cost"},
		// The reserve for the answer counts.
		{"tokens", limits.Limits{Request: limits.Amount{Tokens: 2000}}, "request_tokens"},
		{"session", limits.Limits{Session: limits.Amount{Cost: 5 * cent}}, "session_cost"},
		{"day and month", limits.Limits{
			Day: limits.Amount{Tokens: 10}, Month: limits.Amount{Cost: cent},
		}, "day_tokens month_cost"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := limited(t, test.limits)
			s := b.begin()
			asked, all, err := answering(s.Send(t.Context(), say("a question")))
			var over *LimitError
			if !errors.As(err, &over) || keysOf(asked) != test.want || !strings.Contains(err.Error(),
				"under [limits]") {
				t.Errorf("asked about %q, and the turn ended with %v; want %q and a LimitError", keysOf(asked),
					err, test.want)
			}
			if len(only[Stored](all)) != 0 || s.Info().ID != "" || b.requests() != 0 {
				t.Errorf("session %q, %d stored, %d requests; want nothing", s.Info().ID, len(only[Stored](all)),
					b.requests())
			}
			if list, err := b.deps.Store.Sessions(t.Context(), store.Filter{}); err != nil || len(list) != 0 {
				t.Errorf("%d sessions, %v; want none", len(list), err)
			}
		})
	}
}

func TestALimitIsPassedOnceOrRaised(t *testing.T) {
	b := limited(t, limits.Limits{Request: limits.Amount{Cost: 10 * cent}}, says("One."), says("Two."), says("Three."))
	s := b.begin()
	for i, turn := range []struct {
		answers []limits.Answer
		want    string
	}{
		{[]limits.Answer{limits.Once}, "request_cost"},
		{[]limits.Answer{limits.Raise}, "request_cost"}, // what was allowed once was not for ever
		{nil, ""}, // the limit is raised for the session
	} {
		asked, all, err := answering(s.Send(t.Context(), say(fmt.Sprint("question ", i))), turn.answers...)
		if err != nil || keysOf(asked) != turn.want || len(only[Answered](all)) != 1 {
			t.Fatalf("turn %d: asked about %q, %v; want %q and an answer", i+1, keysOf(asked), err, turn.want)
		}
	}
	other, err := New(b.deps, Start{Ref: "test/m"})
	if err != nil {
		t.Fatal(err)
	}
	if asked, _, _ := answering(other.Send(t.Context(), say("another session"))); keysOf(asked) != "request_cost" {
		t.Errorf("in another session it asks about %q; want the configured limit", keysOf(asked))
	}
}

// A tool round above the limit is not sent. The turn ends with the results stored, and the conversation goes on.
func TestAToolRoundAboveALimitEndsTheTurnInOrder(t *testing.T) {
	call := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		delta(w, map[string]any{"tool_calls": []any{map[string]any{
			"index": 0, "id": "c1", "type": "function", "function": map[string]any{
				"name": "add", "arguments": `{"a":1,"b":2}`,
			},
		}}})
		finish(w, "tool_calls", 1000, 3)
	}
	b := limited(t, limits.Limits{Session: limits.Amount{Tokens: 2500}}, call, says("It is 3."))
	b.deps.Approval.Mode = approval.Always
	b.offer(adder(t))
	s := b.begin()
	asked, all, err := answering(s.Send(t.Context(), say("1+2?")))
	var over *LimitError
	if !errors.As(err, &over) || keysOf(asked) != "session_tokens" || b.requests() != 1 {
		t.Fatalf("asked about %q after %d requests, %v", keysOf(asked), b.requests(), err)
	}
	if len(only[Ran](all)) != 1 || s.Messages()[2].Content != "3" {
		t.Errorf("the result is not stored: %s", transcript(s.Messages()))
	}
	asked, _, err = answering(s.Send(t.Context(), say("So?")), limits.Raise)
	if err != nil || keysOf(asked) != "session_tokens" {
		t.Fatalf("asked about %q, %v", keysOf(asked), err)
	}
	wantTranscript(t, s.Messages(),
		"user: 1+2?\nassistant:  [add {\"a\":1,\"b\":2}]\ntool: 3\nuser: So?\nassistant: It is 3.\n")
}

// A summary above the limit is not made: the messages are cut, and the answer, which is smaller, is sent.
func TestASummaryAboveALimitIsNotMade(t *testing.T) {
	b, s := condensing(t, says("Yes."))
	s.state.limits = limits.Limits{Request: limits.Amount{Tokens: 900}}
	asked, all, err := answering(s.Send(t.Context(), say("Ready?")), limits.Once, limits.No)
	if err != nil || keysOf(asked) != "request_tokens, request_tokens" {
		t.Fatalf("asked about %q, %v; want the answer and the summary", keysOf(asked), err)
	}
	if shown := strings.Join(notices(all), "\n"); !strings.Contains(shown,
		"are cut instead: the request was not sent: this request is estimated at") {
		t.Errorf("the turn says %q", shown)
	}
	if last := b.body(b.requests()); strings.Contains(last, "condense") || !strings.Contains(last, "Ready?") {
		t.Errorf("the last request is %s", last)
	}
}

func TestATitleAboveALimitIsNotAskedFor(t *testing.T) {
	b := limited(t, limits.Limits{}, says("Yes."))
	b.deps.TitleRef = "test/m"
	s := b.begin()
	completed(t, s.Send(t.Context(), say("Is it so?")))
	s.state.limits = limits.Limits{Session: limits.Amount{Cost: cent}}
	var over *LimitError
	if _, err := s.Retitle(t.Context(), true, func(Event) {}); !errors.As(err, &over) || b.requests() != 1 {
		t.Errorf("%v after %d requests; want a LimitError and no second one", err, b.requests())
	}
}

// The day is that of the local calendar, and counts what other sessions and a temporary chat use.
func TestADayCountsAllSessions(t *testing.T) {
	b := limited(t, limits.Limits{}, says("1"), says("2"), says("3"), says("4"))
	now := time.Date(2026, 11, 22, 23, 0, 0, 0, time.Local)
	b.deps.Now = func() time.Time { return now }
	if err := b.deps.Store.Close(); err != nil {
		t.Fatal(err)
	}
	var err error
	if b.deps.Store, err = store.Open(t.Context(), b.deps.Store.Path(), store.Options{Now: b.deps.Now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.deps.Store.Close() })
	draft := strings.Repeat("word ", 20)
	s := b.begin()
	plan, err := s.Preview(say(draft))
	if err != nil {
		t.Fatal(err)
	}
	// One request fits, and another after the 12 cents that the server counts of the first does not.
	b.deps.Limits.Day.Cost = estimateOf(s.Model(), 0, plan.Sum).Cost.Amount + 5*cent
	send := func(s *Session, want string) {
		t.Helper()
		asked, _, err := answering(s.Send(t.Context(), say(draft)))
		if keysOf(asked) != want || (err == nil) != (want == "") {
			t.Errorf("asked about %q, %v; want %q", keysOf(asked), err, want)
		}
	}
	one, two := b.begin(), b.begin()
	send(one, "")
	temporary, err := Temporary(t.Context(), b.deps, Start{Ref: "test/m"})
	if err != nil {
		t.Fatal(err)
	}
	defer temporary.Store().Close()
	send(temporary, "day_cost")
	send(two, "day_cost")
	err = two.ReadSpent(t.Context())
	sums := two.Now().Sums
	if err != nil || sums.Session.Requests != 0 || sums.Day.Prompt+sums.Day.Answer != 13 || sums.Day.Amount != 12*cent ||
		sums.Month != sums.Day {
		t.Errorf("the sums are %+v, %v; want nothing of the session, and 13 tokens of the day and the month", sums, err)
	}
	now = now.Add(2 * time.Hour)
	send(two, "")
	send(one, "day_cost")
}

func TestAnUnknownPriceIsSaidOnceOrAskedAbout(t *testing.T) {
	b := newBench(t, says("1"), says("2"), says("3"))
	b.hosted(nil)
	b.deps.Limits.Day.Cost = cent
	s := b.begin()
	for i, want := range []int{1, 0} {
		asked, all, err := answering(s.Send(t.Context(), say("hello")))
		said := slices.DeleteFunc(notices(all), func(n string) bool {
			return !strings.Contains(n, "its price is not known")
		})
		if err != nil || len(asked) != 0 || len(said) != want {
			t.Errorf("turn %d: asked about %q, said %q, %v; want %d notice", i+1, keysOf(asked), said, err, want)
		}
	}
	b.deps.Limits.AskUnknown = true
	s = b.begin()
	if asked, _, err := answering(s.Send(t.Context(), say("hello"))); err == nil || keysOf(asked) != "unknown_price" {
		t.Errorf("asked about %q, %v", keysOf(asked), err)
	}
	if asked, _, err := answering(s.Send(t.Context(), say("hello")), limits.Raise); err != nil ||
		keysOf(asked) != "unknown_price" {
		t.Errorf("asked about %q, %v", keysOf(asked), err)
	}
}

// Stopping a turn that waits for an answer about a limit sends and stores nothing.
func TestATurnThatWaitsForALimitCanBeStopped(t *testing.T) {
	b := limited(t, limits.Limits{Request: limits.Amount{Cost: cent}})
	s := b.begin()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	events := s.Send(ctx, say("hello"))
	until[OverLimit](events)
	stop()
	if _, err := drain(events); err != nil || s.Info().ID != "" || b.requests() != 0 {
		t.Errorf("%v, session %q, %d requests; want nothing", err, s.Info().ID, b.requests())
	}
}

// A request that is refused and asked again otherwise is asked about once.
func TestTheAttemptsOfARoundAreOneQuestion(t *testing.T) {
	b := limited(
		t, limits.Limits{Request: limits.Amount{Cost: cent}},
		refuses(http.StatusBadRequest,
			`{"error":{"message":"Unrecognized request argument supplied: stream_options"}}`),
		refuses(http.StatusBadRequest,
			`{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested `+
				`5000 tokens.","code":"context_length_exceeded"}}`),
		says("At last."),
	)
	s := b.begin()
	asked, all, err := answering(s.Send(t.Context(), say("hello")), limits.Once)
	if err != nil || keysOf(asked) != "request_cost" || len(only[Answered](all)) != 1 || b.requests() != 3 {
		t.Errorf("asked about %q, %v, %d requests; want one question and three requests", keysOf(asked),
			err, b.requests())
	}
}

// The preview says before Enter what would be asked, by the same sums.
func TestAPreviewSaysWhatItWouldExceed(t *testing.T) {
	b := limited(t, limits.Limits{Session: limits.Amount{Cost: 50 * cent}}, says("Yes."))
	s := b.begin()
	short := func(draft string) string {
		t.Helper()
		plan, err := s.Preview(say(draft))
		if err != nil {
			t.Fatal(err)
		}
		return s.Over(plan).Short()
	}
	if got := short("hello"); got != "" {
		t.Errorf("a short draft is %q", got)
	}
	if got := short(strings.Repeat("word ", 100)); got != "above $0.50 per chat" {
		t.Errorf("a long draft is %q", got)
	}
	completed(t, s.Send(t.Context(), say("hello")))
	if got := s.Now().Sums.Session.Spent.String(); got != "$0.12" {
		t.Errorf("the session has spent %s, want $0.12", got)
	}
	if got := short(strings.Repeat("word ", 20)); got != "above $0.50 per chat" {
		t.Errorf("after an answer the same draft is %q", got)
	}
}

// What is excluded while a turn waits for an answer about a limit is not in the request that is allowed then.
func TestAnExclusionHoldsForTheRequestThatIsAskedAbout(t *testing.T) {
	b := limited(t, limits.Limits{}, says("One."), calls("c1", "add", `{"a":1,"b":2}`), says("It is 3."))
	b.deps.Approval.Mode = approval.Always
	b.offer(adder(t))
	s := b.begin()
	completed(t, s.Send(t.Context(), say("A word: tangerine.")))
	s.state.limits = limits.Limits{Request: limits.Amount{Cost: cent}}
	asked := 0
	for e := range s.Send(t.Context(), say("1+2?")) {
		if e, ok := e.(OverLimit); ok {
			if asked++; asked == 2 { // about the request with the result
				exclude(t, s, 1)
			}
			e.Answer(limits.Once)
		}
	}
	if asked != 2 || b.requests() != 3 || strings.Contains(b.body(3), "tangerine") {
		t.Errorf("asked %d times, %d requests, the last: %s", asked, b.requests(), b.body(b.requests()))
	}
}
