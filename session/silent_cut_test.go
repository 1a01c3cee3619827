package session

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/record"
)

// dropping is a server like Ollama's behind a proxy: it drops the oldest messages until the rest fits its
// window, counts what is left, and says nothing of it.
func (s *script) dropping(window int, count formula) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		messages := messagesOf(s.t, s.body(s.requests()))
		for len(messages) > 2 && count(messages) > window {
			messages = append(messages[:1:1], messages[2:]...)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		delta(w, map[string]any{"content": strings.Repeat("What I see of it is only its end. ", 6)})
		finish(w, "stop", count(messages), 10)
	}
}

// TestSilentCutIsNoticedAndMarked holds chats with servers whose window is far smaller than believed. The first
// request of which a server reads less than three quarters is said, its record and receipt are marked, and
// the next ones fit.
func TestSilentCutIsNoticedAndMarked(t *testing.T) {
	const window, turns = 4096, 40
	for _, factor := range []float64{0.6, 1.25, 3, 8} {
		t.Run(fmt.Sprint(factor), func(t *testing.T) {
			t.Parallel()
			count := func(messages []sentMessage) int {
				total := 0.0
				for _, m := range messages {
					total += factor*float64((len(m.Content)+3)/4) + 7
				}
				return int(total)
			}
			b := newBench(t)
			b.believing(200_000)
			for range turns {
				b.steps = append(b.steps, b.dropping(window, count))
			}
			s := b.begin()
			cuts, shown, repeated := 0, 0, 0
			for n := range turns {
				if n%5 == 4 {
					s = b.open(s.Info().ID) // As winnow run would.
				}
				text := strings.Repeat("What I already said stands. ", int(float64(30+n%7*10)/factor)+1)
				if n%8 == 7 {
					text = strings.Repeat("A longer text that somebody pasted. ", int(170/factor)+1)
				}
				events, err := drain(s.Send(t.Context(), fmt.Sprintf("Question %d. %s", n+1, text)))
				if err != nil {
					t.Fatalf("turn %d failed: %v", n+1, err)
				}
				answered := only[Answered](events)[0]
				receipt := answered.Receipt
				whole := count(messagesOf(t, b.body(n+1)))
				got := s.Past().Forecast(history.Plan{}).Shortfall
				short := got != nil
				if short != (receipt.Unread > 0) || short && (got.Expected != receipt.Unread || got.Reported != receipt.Usage.Prompt || got.Turn != n+1) {
					t.Errorf("turn %d: the shortfall is %+v; the receipt says %d", n+1, got, receipt.Unread)
				}
				if n > 2 && 4*receipt.Usage.Prompt < 3*whole {
					cuts++
				}
				if !short {
					continue
				}
				if shown++; receipt.Usage.Prompt == whole {
					t.Errorf("turn %d: all %d tokens were read, and it says that a part was not", n+1, whole)
				}
				if got := notices(events); len(got) == 0 || !strings.Contains(got[0], "dropped part of this request") || !strings.Contains(got[0], "OLLAMA_CONTEXT_LENGTH") {
					t.Errorf("turn %d said %q", n+1, got)
				}
				later := b.open(s.Info().ID)
				if err := later.LoadPast(t.Context()); err != nil {
					t.Fatal(err)
				}
				if again := later.Past().Forecast(history.Plan{}).Shortfall; again == nil || *again != *got {
					t.Errorf("turn %d: opened again the shortfall is %+v; want %+v", n+1, again, got)
				}
				repeated++
			}
			t.Logf("a tokenizer that counts %.2f: %d requests lost more than a quarter, %d were said", factor, cuts, shown)
			if shown == 0 || shown < cuts || shown > 2 {
				t.Errorf("%d requests lost more than a quarter, %d were said; want each, and soon none", cuts, shown)
			}
			kept, err := b.deps.Store.Endpoint(t.Context(), s.Model().Client.Endpoint().BaseURL, "m")
			if err != nil || kept.Window != 0 || kept.Stated != 0 {
				t.Errorf("a window of %d or %d tokens was kept (%v); the limit is for this session alone", kept.Window, kept.Stated, err)
			}
			if off := kept.Ratio / factor; off < 0.8 || off > 1.4 {
				t.Errorf("learned a ratio of %.2f of a tokenizer that counts %.2f", kept.Ratio, factor)
			}
		})
	}
}

// A wrong alarm is taken back by the next count, with its mark.
func TestWrongAlarmIsWithdrawn(t *testing.T) {
	share := 1.0
	counting := func(b *bench) step {
		return func(w http.ResponseWriter, _ *http.Request) {
			total := 0
			for _, m := range messagesOf(t, b.body(b.requests())) {
				total += len(m.Content)/4 + 4
			}
			w.Header().Set("Content-Type", "text/event-stream")
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
		events, err := drain(s.Send(t.Context(), strings.Repeat("And what do you say to that? ", 20)))
		if err != nil {
			t.Fatal(err)
		}
		return events
	}
	for range 5 {
		send()
	}
	share = 0.45 // The server was started again with another tokenizer.
	alarm := only[Answered](send())[0]
	if alarm.Receipt.Unread == 0 || s.Model().Limit() == 0 {
		t.Fatalf("a count of %d is no alarm; the limit is %d", alarm.Receipt.Usage.Prompt, s.Model().Limit())
	}
	events := send()
	if got := only[Withdrawn](events); len(got) != 1 || len(got[0].Requests) != 1 || got[0].Requests[0] != alarm.Message.Request {
		t.Errorf("withdrawn: %+v, want request %d", got, alarm.Message.Request)
	}
	receipts, err := s.Records().Receipts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := receipts[alarm.Message.Request].Unread; got != 0 || s.Model().Limit() != 0 {
		t.Errorf("the receipt says %d still, and the limit is %d", got, s.Model().Limit())
	}
}

// A trial that names no model, or the one in use, is of the same model still.
func TestShortfallStaysUnderOtherSettings(t *testing.T) {
	s := newBench(t).begin()
	s.before.Counted(&record.Shortfall{Turn: 1, Expected: 9000, Reported: 4096})
	budget := 2000
	for _, trial := range []Trial{{Budget: &budget}, {Preset: "classic", Model: s.Ref()}} {
		if err := s.Apply(t.Context(), trial); err != nil {
			t.Fatal(err)
		}
		if s.Past().Forecast(history.Plan{}).Shortfall == nil {
			t.Errorf("the shortfall is forgotten after %+v", trial)
		}
	}
}
