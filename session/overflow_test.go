package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"winnow/llm"
)

// believing makes the endpoint one whose window is configured as this; 0 is to be found out.
func (b *bench) believing(window int) {
	e := b.deps.Models.Endpoints()[0]
	e.Window, e.Tries = window, 1
	b.deps.Models = new(llm.Catalog).With(e)
}

// talked is a conversation of some turns of about 100 counted tokens each, before the steps given. The
// server counts nothing meanwhile.
func conversationOf(t *testing.T, turns int, steps ...step) (*bench, *Session) {
	t.Helper()
	b := newBench(t)
	b.believing(0)
	for range turns {
		b.steps = append(b.steps, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			delta(w, map[string]any{"content": strings.Repeat("An answer of some length. ", 14)})
			finish(w, "stop", 0, 80)
		})
	}
	b.steps = append(b.steps, steps...)
	s := b.begin()
	for n := range turns {
		completed(t, s.Send(t.Context(), say(fmt.Sprintf("Question %d?", n+1))))
	}
	return b, s
}

// maxTokensOf is the longest reply that the nth request asks for, 0 where it leaves that open.
func (s *script) maxTokensOf(n int) int {
	s.t.Helper()
	var request struct {
		MaxTokens int `json:"max_tokens"`
	}
	if err := json.Unmarshal([]byte(s.body(n)), &request); err != nil {
		s.t.Fatal(err)
	}
	return request.MaxTokens
}

// last is the number of the last request.
func (s *script) last() int { return s.requests() }

// notices are the sentences that a turn said by itself.
func notices(events []Event) []string {
	var all []string
	for _, n := range only[Notice](events) {
		all = append(all, n.Text)
	}
	return all
}

const noNumber = `{"error":{"message":"Your input exceeds the context window of this model.",` +
	`"code":"context_length_exceeded"}}`

func TestRefusalWithNumbersTeachesWindowAndRatio(t *testing.T) {
	b, s := conversationOf(t, 20,
		refuses(400,
			`{"error":{"message":"request (3000 tokens) exceeds the available context size (2048 tokens), try `+
				`increasing it","n_prompt_tokens":3000,"n_ctx":2048}}`),
		says("It fits."), says("And again."))
	events := completed(t, s.Send(t.Context(), say("And?")))
	plans := only[Planned](events)
	if len(plans) != 2 {
		t.Fatalf("there were %d plans, want 2", len(plans))
	}
	sum := plans[1].Plan.Sum
	if want := 3000 / float64(plans[0].Request.Estimate); math.Abs(sum.Ratio-want) > 1e-9 {
		t.Errorf("the second plan counts with %.3f, want %.3f", sum.Ratio, want)
	}
	if sum.Window != 2048 || sum.Used() > 2048 {
		t.Errorf("the second plan uses %d of a window of %d, want 2048", sum.Used(), sum.Window)
	}
	if got := notices(events); len(got) != 1 || !strings.Contains(got[0], "2048") {
		t.Errorf("it said %q, want one sentence with the window", got)
	}
	again := b.open(s.Info().ID)
	if err := again.LoadRest(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w := again.Model().Window(); w.Tokens != 2048 {
		t.Errorf("the next start believes in %d tokens, want 2048", w.Tokens)
	}
}

func TestRefusalWithoutNumberShrinksInThreeSteps(t *testing.T) {
	b, s := conversationOf(t, 20, refuses(400, noNumber), refuses(413, ``), refuses(400, noNumber), says("It fits."),
		says("Still."))
	events := completed(t, s.Send(t.Context(), say("And?")))
	plans := only[Planned](events)
	if len(plans) != 4 {
		t.Fatalf("there were %d plans, want 4", len(plans))
	}
	first := plans[0].Plan.Sum
	for i, share := range shrinkTo {
		sum := plans[i+1].Plan.Sum
		if limit := int(share*float64(first.Tokens(first.Total))) + 1; sum.Tokens(sum.Total) > limit ||
			sum.Total >= plans[i].Plan.Sum.Total {
			t.Errorf("try %d has %d tokens of %d at first, want at most %d and less than before", i+2, sum.Total,
				first.Total, limit)
		}
	}
	if got := notices(events); len(got) != 3 || !strings.Contains(got[0], "70 %") ||
		!strings.Contains(got[1], "35 %") || !strings.Contains(got[2], "15 %") {
		t.Errorf("it said %q, want three sentences with 70, 35 and 15 %%", got)
	}
	if kept, err := b.deps.Store.Endpoint(t.Context(), s.Model().Client.Endpoint().BaseURL, "m"); err != nil ||
		kept.Window != 0 {
		t.Errorf("a guess of %d tokens was kept (%v)", kept.Window, err)
	}
	if _, err := drain(s.Send(t.Context(), say("And now?"))); err != nil {
		t.Errorf("the next turn failed: %v", err)
	}
}

func TestLastRefusalWithoutNumberEndsTheTurnAndTheGuesses(t *testing.T) {
	refusal := refuses(400, noNumber)
	b, s := conversationOf(t, 20, refusal, refusal, refusal, refusal)
	before, err := s.Preview(say("And?"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = drain(s.Send(t.Context(), say("And?")))
	if !errors.Is(err, llm.Overflow) {
		t.Errorf("got %v, want llm.Overflow", err)
	}
	if got := b.last() - 20; got != 4 {
		t.Errorf("the question was asked %d times, want 4", got)
	}
	after, err := s.Preview(say("And?"))
	if err != nil || after.Sum.Window != before.Sum.Window || after.Sum.Limit != before.Sum.Limit {
		t.Errorf("the next plan is below %d tokens of a window of %d, want %d of %d (%v)", after.Sum.Limit,
			after.Sum.Window, before.Sum.Limit, before.Sum.Window, err)
	}
}

// A long question that is not the whole request is sent alone at last: no retry is below what must be sent.
func TestRetryIsNeverBelowWhatMustBeSent(t *testing.T) {
	b, s := conversationOf(t, 10, refuses(400, noNumber), says("It fits."))
	events := completed(t, s.Send(t.Context(), say(strings.Repeat("A long question. ", 250))))
	plans := only[Planned](events)
	if last := plans[len(plans)-1].Plan.Sum; len(plans) != 2 || last.Total >= plans[0].Plan.Sum.Total {
		t.Errorf("there were %d plans of %d and %d tokens, want a second that is smaller", len(plans),
			plans[0].Plan.Sum.Total, last.Total)
	}
	if got := messagesOf(t, b.body(b.last())); got[0].Role != "system" || !strings.Contains(got[len(got)-1].Content,
		"A long question.") {
		t.Errorf("the retry holds %d messages without the system prompt or the question", len(got))
	}
}

// wantReply has replies of so many tokens asked for.
func wantReply(t *testing.T, s *Session, tokens int) {
	t.Helper()
	s.deps.Sampling.MaxTokens = tokens
	s.set(func(st *State) { clear(st.models) })
	to, err := s.target(s.Model().Ref())
	if err != nil {
		t.Fatal(err)
	}
	s.set(func(st *State) { st.Model = to })
}

func TestReplyThatIsTooMuchIsShortenedFirst(t *testing.T) {
	b, s := conversationOf(t, 10,
		refuses(400,
			`{"message":"This model's maximum context length is 2400 tokens. However, you requested 3240 tokens `+
				`(1240 in the messages, 2000 in the completion). Please reduce the length of the messages or `+
				`completion.","code":400}`),
		says("Short."), says("Next."))
	wantReply(t, s, 2000)
	events := completed(t, s.Send(t.Context(), say("And?")))
	if got, want := b.maxTokensOf(12), 2400-1240-1240/replySlack; got != want {
		t.Errorf("the second try asks for %d tokens, want %d", got, want)
	}
	plans := only[Planned](events)
	if first, second := plans[0].Plan.Sum, plans[1].Plan.Sum; second.Sent != first.Sent || second.Total != first.Total {
		t.Errorf("the second try sends %d messages with %d tokens, the first %d with %d: only the reply was too much",
			second.Sent, second.Total, first.Sent, first.Total)
	}
	if got := notices(events); len(got) != 1 || !strings.Contains(got[0], "reply") {
		t.Errorf("it said %q, want one sentence about the reply", got)
	}
	completed(t, s.Send(t.Context(), say("Next?")))
	if got, want := b.maxTokensOf(13), 2400/2; got != want {
		t.Errorf("the next turn asks for %d tokens, want %d: what is asked, but at most half of the window", got, want)
	}
}

// TestOverflowInTheMiddleKeepsWhatArrived teaches the window, but asks no second time by itself.
func TestOverflowInTheMiddleKeepsWhatArrived(t *testing.T) {
	b, s := conversationOf(t, 10, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		delta(w, map[string]any{"content": "Half an"})
		event(w, map[string]any{
			"error": map[string]any{
				"code": 400, "message": "This endpoint's maximum context length is 1000 tokens. However, you " +
					"requested about 1300 tokens (1200 of text input, 100 in the output).",
			},
		})
	}, says("Whole."))
	_, err := drain(s.Send(t.Context(), say("And?")))
	if !errors.Is(err, llm.Overflow) {
		t.Errorf("got %v, want llm.Overflow", err)
	}
	messages := s.Messages()
	if got := messages[len(messages)-1].Content; got != "Half an" || b.last() != 11 {
		t.Errorf("the last message is %q after %d requests, want what arrived after 11", got, b.last())
	}
	completed(t, s.Send(t.Context(), say("Again?")))
}

// TestRequestThatFillsTheWindowIsOverflow has a server that counts the request at the window and
// ends the answer before its first word.
func TestRequestThatFillsTheWindowIsOverflow(t *testing.T) {
	b, s := conversationOf(t, 20, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		finish(w, "length", 2040, 0)
	}, says("It fits."))
	events := completed(t, s.Send(t.Context(), say("And?")))
	if got := notices(events); len(got) != 1 || !strings.Contains(got[0], "2040") {
		t.Errorf("it said %q, want one sentence with a window of 2040", got)
	}
	plans := only[Planned](events)
	if len(plans) != 2 || plans[1].Plan.Sum.Used() > 2048*3/4 {
		t.Errorf("there were %d plans, the last uses %d; want 2, at most %d", len(plans),
			plans[len(plans)-1].Plan.Sum.Used(), 2048*3/4)
	}
	wantTail := "user: And?\nassistant: It fits.\n"
	if got := transcript(b.open(s.Info().ID).Messages()); !strings.HasSuffix(got, wantTail) {
		t.Errorf("the conversation ends with %q, want %q", got[max(0, len(got)-80):], wantTail)
	}
}

// TestCountAboveTheWindowIsNoticed has a server that takes what it should refuse and says so only by its
// count.
func TestCountAboveTheWindowIsNoticed(t *testing.T) {
	over := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		delta(w, map[string]any{"content": "Yes."})
		finish(w, "stop", 1300, 2)
	}
	b := newBench(t)
	b.believing(1024)
	b.steps = []step{over, over, says("Next.")}
	s := b.begin()
	for _, question := range []string{strings.Repeat("A long question. ", 120), "Again?"} {
		events := completed(t, s.Send(t.Context(), say(question)))
		if got := notices(events); len(got) != 1 || !strings.Contains(got[0], "1300") ||
			!strings.Contains(got[0], "1024") {
			t.Errorf("it said %q, want one sentence with 1300 and 1024", got)
		}
	}
	plan, _ := s.Preview(say("Next?"))
	if plan.Sum.Used() > plan.Sum.Limit || plan.Sum.Ratio < 2 {
		t.Errorf("the next request counts with %.2f and uses %d of %d", plan.Sum.Ratio, plan.Sum.Used(), plan.Sum.Limit)
	}
}

// TestNothingAtAllForALongRequestIsOverflow has a server that ends its answer without a word, and
// never said how large its window is.
func TestNothingAtAllForALongRequestIsOverflow(t *testing.T) {
	nothing := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
	b, s := conversationOf(t, 40, nothing, says("It fits."))
	events := completed(t, s.Send(t.Context(), say("And?")))
	if got := notices(events); len(got) != 1 || !strings.Contains(got[0], "70 %") || b.last() != 42 {
		t.Errorf("it said %q after %d requests, want one sentence after 42", got, b.last())
	}
	b, s = conversationOf(t, 2, nothing)
	if _, err := drain(s.Send(t.Context(), say("And?"))); err == nil || errors.Is(err, llm.Overflow) || b.last() != 3 {
		t.Errorf("nothing for a short request: got %v after %d requests, want a sentence after 3", err, b.last())
	}
	b, s = conversationOf(t, 40, nothing)
	if err := s.Model().SetWindow(t.Context(), s.Model().Window().Tokens); err != nil {
		t.Fatal(err)
	}
	if _, err := drain(s.Send(t.Context(), say("And?"))); err == nil || errors.Is(err, llm.Overflow) || b.last() != 41 {
		t.Errorf("nothing from a server whose window is known: got %v after %d requests, want a sentence after 41", err,
			b.last())
	}
}
