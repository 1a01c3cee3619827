package session

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

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

const noNumber = `{"error":{"message":"Your input exceeds the context window of this model.",` +
	`"code":"context_length_exceeded"}}`

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
	if kept, err := b.deps.Store.ModelFacts(t.Context(), s.Model().Client.Endpoint().BaseURL, "m"); err != nil ||
		kept.Window != 0 {
		t.Errorf("a guess of %d tokens was kept (%v)", kept.Window, err)
	}
	if _, err := drain(s.Send(t.Context(), say("And now?"))); err != nil {
		t.Errorf("the next turn failed: %v", err)
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
