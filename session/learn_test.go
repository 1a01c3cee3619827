package session

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
)

// sentMessage is a message as a server sees it.
type sentMessage struct{ Role, Content string }

// messagesOf returns the messages in the body of a request.
func messagesOf(t testing.TB, body string) []sentMessage {
	t.Helper()
	var request struct{ Messages []sentMessage }
	if err := json.Unmarshal([]byte(body), &request); err != nil {
		t.Fatalf("read the request: %v", err)
	}
	return request.Messages
}

// formula is the way in which a server counts the messages of a request.
type formula func([]sentMessage) int

// larger counts a quarter more than the bench does, and seven tokens for each message.
func larger(messages []sentMessage) (total int) {
	for _, m := range messages {
		total += 5*len(m.Content)/16 + 7
	}
	return total
}

// counting answers with the next text and reports the count of the request by a formula.
func (s *script) counting(count formula, answers func(n int) string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		n := s.requests()
		delta(w, map[string]any{"content": answers(n)})
		finish(w, "stop", count(messagesOf(s.t, s.body(n))), 50)
	}
}

// Plans, receipts and records agree on their numbers while the ratio to the server's counts is learned.
func TestNumbersShownAreTheNumbersChecked(t *testing.T) {
	b := newBench(t)
	answer := b.counting(larger, func(n int) string {
		return strings.Repeat(fmt.Sprintf("Answer %d says the same again. ", n), 60)
	})
	for range 30 {
		b.steps = append(b.steps, answer)
	}
	s := b.begin()
	for n := range 30 {
		events := completed(t, s.Send(t.Context(), say(fmt.Sprintf("Question %d?", n))))
		sum := only[Planned](events)[0].Plan.Sum
		if sum.Used() > sum.Limit {
			t.Errorf("turn %d uses %d of %d", n+1, sum.Used(), sum.Limit)
		}
		receipt := only[AnswerStored](events)[0].Receipt
		if receipt.Expected != sum.Tokens(sum.Total) || receipt.Estimate != sum.Total {
			t.Errorf("the receipt of turn %d expected %d of the server and counted %d, the plan %d and %d", n+1,
				receipt.Expected, receipt.Estimate, sum.Tokens(sum.Total), sum.Total)
		}
		if got, want := only[Planned](events)[0].Request.Estimate, sum.Total; got != want {
			t.Errorf("turn %d is recorded with %d counted tokens, shown with %d", n+1, got, want)
		}
		preview, err := s.Preview(say(""))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := preview.Sum.Ratio, float64(s.Model().ExpectedTokens(1_000_000))/1_000_000; math.Abs(got-want) > 1e-5 {
			t.Errorf("the preview after turn %d counts with %.3f, learned is %.3f", n+1, got, want)
		}
	}
}
