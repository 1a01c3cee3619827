package session

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/record"
)

// dropping behaves like Ollama behind a proxy: it silently drops the oldest messages until the rest fits its window,
// and counts the rest.
func (s *script) dropping(window int, count formula) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		messages := messagesOf(s.t, s.body(s.requests()))
		for len(messages) > 2 && count(messages) > window {
			messages = append(messages[:1:1], messages[2:]...)
		}
		delta(w, map[string]any{"content": strings.Repeat("What I see of it is only its end. ", 6)})
		finish(w, "stop", count(messages), 10)
	}
}

// If a server reads less than seven tenths of a request, the user is told at once, the record and the receipt are
// marked, and the next requests fit what was read. Nothing of it is stored for other chats.
func TestSilentCutIsNoticedAndMarked(t *testing.T) {
	const window, turns = 4096, 12
	b := newBench(t)
	b.believing(200_000)
	for range turns {
		b.steps = append(b.steps, b.dropping(window, larger))
	}
	s := b.begin()
	said := 0
	for n := range turns {
		text := strings.Repeat("What I already said stands. ", 90)
		events := completed(t, s.Send(t.Context(), say(fmt.Sprintf("Question %d. %s", n+1, text))))
		receipt := only[AnswerStored](events)[0].Receipt
		whole := larger(messagesOf(t, b.body(n+1)))
		if said > 0 && receipt.Usage.Prompt != whole {
			t.Errorf("turn %d: %d of %d tokens were read, and the cut was said before", n+1,
				receipt.Usage.Prompt, whole)
		}
		short := s.Forecast(history.Plan{}).Truncation
		if lost := 10*receipt.Usage.Prompt < 7*whole; lost != (short != nil) || lost != (receipt.Unread > 0) {
			t.Fatalf("turn %d: %d of %d tokens were read; the receipt says %d, the next request %+v",
				n+1, receipt.Usage.Prompt, whole, receipt.Unread, short)
		}
		if short == nil {
			continue
		}
		said++
		want := record.ServerTruncation{Turn: n + 1, Expected: receipt.Unread, Reported: receipt.Usage.Prompt}
		if *short != want {
			t.Errorf("turn %d: the shortfall is %+v, want %+v", n+1, *short, want)
		}
		if off := float64(receipt.Unread) / float64(whole); off < 0.95 || off > 1.05 {
			t.Errorf("turn %d: about %d tokens are said of %d", n+1, receipt.Unread, whole)
		}
		if got := notices(events); len(got) != 1 || !strings.Contains(got[0], "dropped part of this request") ||
			!strings.Contains(got[0], "OLLAMA_CONTEXT_LENGTH") {
			t.Errorf("turn %d said %q", n+1, got)
		}
		later := b.open(s.Info().ID)
		if err := later.LoadPastRequests(t.Context()); err != nil {
			t.Fatal(err)
		}
		if again := later.Forecast(history.Plan{}).Truncation; again == nil || *again != *short {
			t.Errorf("turn %d: opened again the shortfall is %+v; want %+v", n+1, again, short)
		}
	}
	if said != 1 {
		t.Errorf("a cut was said %d times, want once", said)
	}
	kept, err := b.deps.Store.ModelFacts(t.Context(), s.Model().Client.Endpoint().BaseURL, "m")
	if err != nil || kept.Window != 0 || kept.Stated != 0 || kept.Ratio < 1.1 || kept.Ratio > 1.4 {
		t.Errorf("kept: %+v, %v; want no window, and a ratio of about 1.25", kept, err)
	}
}

// A wrong alarm is withdrawn after the next count, together with its mark.
func TestWrongAlarmIsWithdrawn(t *testing.T) {
	share := 1.0
	counting := func(b *bench) step {
		return func(w http.ResponseWriter, _ *http.Request) {
			total := 0
			for _, m := range messagesOf(t, b.body(b.requests())) {
				total += len(m.Content)/4 + 4
			}
			delta(w, map[string]any{"content": strings.Repeat("An answer of some length. ", 20)})
			finish(w, "stop", int(share*float64(total)), 80)
		}
	}
	b := newBench(t)
	for range 8 {
		b.steps = append(b.steps, counting(b))
	}
	s := b.begin()
	send := func() []Event {
		t.Helper()
		events := completed(t, s.Send(t.Context(), say(strings.Repeat("And what do you say to that? ", 20))))
		return events
	}
	for range 5 {
		send()
	}
	share = 0.45 // the server was restarted with another tokenizer
	alarm := only[AnswerStored](send())[0]
	if alarm.Receipt.Unread == 0 || s.Model().TokenLimit() == 0 {
		t.Fatalf("a count of %d is no alarm; the limit is %d", alarm.Receipt.Usage.Prompt, s.Model().TokenLimit())
	}
	events := send()
	got := only[CutWithdrawn](events)
	if len(got) != 1 || len(got[0].Requests) != 1 || got[0].Requests[0] != alarm.Message.Request {
		t.Errorf("withdrawn: %+v, want request %d", got, alarm.Message.Request)
	}
	receipts, err := s.Records().Receipts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := receipts[alarm.Message.Request].Unread; got != 0 || s.Model().TokenLimit() != 0 {
		t.Errorf("the receipt says %d still, and the limit is %d", got, s.Model().TokenLimit())
	}
}
