package session

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/approval"
	"winnow/session/store"
)

// TestEveryRequestOfAnyConversationReplays talks at random and replays every request that left.
func TestEveryRequestOfAnyConversationReplays(t *testing.T) {
	b := newBench(t)
	b.deps.Approval.Mode = approval.Always
	b.offer(adder(t))
	proven, remedied := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		s := b.begin()
		b.mu.Lock()
		b.bodies, b.steps = nil, nil
		b.mu.Unlock()
		for range rapid.IntRange(1, 8).Draw(rt, "turns") {
			converse(rt, b, s)
		}
		if s.Info().ID == "" {
			return
		}
		sent := map[string]string{}
		for _, body := range b.bodies {
			sent[hash([]byte(body))] = body
		}
		later := b.open(s.Info().ID)
		records, err := b.deps.Store.Requests(t.Context(), s.Info().ID, store.RequestFilter{})
		if err != nil {
			rt.Fatalf("read the records: %v", err)
		}
		nth := map[int]int{}
		for _, r := range records {
			nth[r.Turn]++
			got := wantProven(rt, later, r.Turn, nth[r.Turn], sent[r.BodyHash])
			if proven++; slices.ContainsFunc(got.Plan.Entries, otherwise) {
				remedied++
			}
		}
	})
	t.Logf("%d requests are proven, %d of them with a remedy", proven, remedied)
	if remedied == 0 && !testing.Short() {
		t.Error("no request had a remedy")
	}
}

// otherwise says that a message is not mended, because the user has chosen another remedy.
func otherwise(e history.Entry) bool {
	return slices.ContainsFunc(e.Repairs, func(r history.Repair) bool { return r.Remedy != history.SendRepaired })
}

// talk does one thing that a person does with a conversation.
func converse(rt *rapid.T, b *bench, s *Session) {
	ctx := context.Background()
	answer := says(strings.Repeat(rapid.SampledFrom([]string{"word ", "größer ", "<&>\u2028 ", "\x00x"}).Draw(rt,
		"answer"), rapid.SampledFrom([]int{1, 40, 900}).Draw(rt, "times")))
	switch rapid.IntRange(0, 12).Draw(rt, "act") {
	case 0:
		s.Set(ctx, Settings{Budget: new(rapid.SampledFrom([]int{0, 700, 1500}).Draw(rt, "budget"))})
	case 1:
		s.Set(ctx, Settings{
			Preset: rapid.SampledFrom([]string{"balanced", "classic", "assistant-first", "recent"}).Draw(rt, "preset"),
		})
	case 2:
		if all := s.Messages(); len(all) > 0 {
			m := all[rapid.IntRange(0, len(all)-1).Draw(rt, "message")]
			s.SetFlags(ctx, flagged(rapid.SampledFrom([]history.Flag{history.Pin, history.Exclude, ""}).Draw(rt, "flag"), m.ID))
		}
	case 7, 8, 9, 10:
		remedy(rt, s)
	case 3:
		if len(s.Messages()) > 0 {
			b.steps = append(b.steps, answer)
			drain(s.Regenerate(ctx, 0, ""))
			return
		}
	case 4, 11, 12:
		b.steps = append(b.steps, calls(fmt.Sprintf("c%d", rapid.IntRange(0, 1).Draw(rt, "id")), "add",
			rapid.SampledFrom([]string{`{"a":1,"b":2}`, `{"a":1`, ``}).Draw(rt, "arguments")))
	case 5:
		b.steps = append(b.steps, carries)
		drain(s.Send(ctx, say("think")))
		return
	case 6:
		b.steps = append(b.steps, breaks("half an ans"))
		drain(s.Send(ctx, say("go on")))
		return
	}
	b.steps = append(b.steps, answer)
	drain(s.Send(ctx, say(rapid.SampledFrom([]string{
		"Hello?", "What is the word?", strings.Repeat("please ", 200),
	}).Draw(rt, "question"))))
}

// remedy gives a message, of those that are damaged where there are some, a remedy.
func remedy(rt *rapid.T, s *Session) {
	plan, err := s.Preview(say(""))
	var short *history.OverBudgetError
	if err != nil && !errors.As(err, &short) {
		rt.Fatalf("plan: %v", err)
	}
	var all, damaged []int64
	for _, e := range plan.Entries {
		if all = append(all, e.ID); len(e.Repairs) > 0 {
			damaged = append(damaged, e.ID)
		}
	}
	if len(damaged) > 0 {
		all = damaged
	}
	if len(all) > 0 {
		r := rapid.SampledFrom([]history.Remedy{
			history.SendRepaired, history.SendAsText, history.LeaveOut, history.LeaveOut,
		}).Draw(rt, "remedy")
		if err := s.SetRemedy(context.Background(), r, rapid.SampledFrom(all).Draw(rt, "message")); err != nil {
			rt.Fatalf("set a remedy: %v", err)
		}
	}
}

// carries answers with reasoning and with keys that only its server knows.
func carries(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	delta(w, map[string]any{"reasoning_content": "hm", "content": "So.", "signature": map[string]any{"of": "hm"}})
	finish(w, "stop", promptOf(r), 2)
}
