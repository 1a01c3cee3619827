package session

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
)

// TestEveryRequestOfAnyConversationReplays talks at random and replays every request that left.
func TestEveryRequestOfAnyConversationReplays(t *testing.T) {
	b := newBench(t)
	b.deps.Approve = Always
	b.offer(adder(t))
	rapid.Check(t, func(rt *rapid.T) {
		s := b.begin()
		b.mu.Lock()
		b.bodies, b.steps = nil, nil
		b.mu.Unlock()
		for range rapid.IntRange(1, 6).Draw(rt, "turns") {
			talk(rt, b, s)
		}
		sent := map[string]string{}
		for _, body := range b.bodies {
			sent[hash([]byte(body))] = body
		}
		later := b.open(s.Info().ID)
		records, err := b.deps.Store.Requests(t.Context(), s.Info().ID)
		if err != nil {
			rt.Fatalf("read the records: %v", err)
		}
		nth := map[int]int{}
		for _, r := range records {
			nth[r.Turn]++
			wantProven(rt, later, r.Turn, nth[r.Turn], sent[r.BodyHash])
		}
	})
}

// talk does one thing that a person does with a conversation.
func talk(rt *rapid.T, b *bench, s *Session) {
	ctx := context.Background()
	answer := says(strings.Repeat(rapid.SampledFrom([]string{"word ", "größer ", "<&>\u2028 ", "\x00x"}).Draw(rt, "answer"), rapid.SampledFrom([]int{1, 40, 900}).Draw(rt, "times")))
	switch rapid.IntRange(0, 8).Draw(rt, "act") {
	case 0:
		s.SetBudget(ctx, rapid.SampledFrom([]int{0, 700, 1500}).Draw(rt, "budget"))
	case 1:
		s.SetPreset(ctx, rapid.SampledFrom([]string{"balanced", "classic", "assistant-first", "recent"}).Draw(rt, "preset"))
	case 2:
		if all := s.Messages(); len(all) > 0 {
			m := all[rapid.IntRange(0, len(all)-1).Draw(rt, "message")]
			s.SetFlag(ctx, m.ID, rapid.SampledFrom([]history.Flag{history.Pin, history.Exclude, ""}).Draw(rt, "flag"))
		}
	case 3:
		if len(s.Messages()) > 0 {
			b.steps = append(b.steps, answer)
			drain(s.Regenerate(ctx))
			return
		}
	case 4:
		b.steps = append(b.steps, calls(fmt.Sprintf("c%d", rapid.IntRange(0, 1).Draw(rt, "id")), "add", rapid.SampledFrom([]string{`{"a":1,"b":2}`, `{"a":1`, ``}).Draw(rt, "arguments")))
	case 5:
		b.steps = append(b.steps, carries)
		drain(s.Send(ctx, "think"))
		return
	case 6:
		b.steps = append(b.steps, breaks("half an ans"))
		drain(s.Send(ctx, "go on"))
		return
	}
	b.steps = append(b.steps, answer)
	drain(s.Send(ctx, rapid.SampledFrom([]string{"Hello?", "What is the word?", strings.Repeat("please ", 200)}).Draw(rt, "question")))
}

// carries answers with reasoning and with keys that only its server knows.
func carries(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	delta(w, map[string]any{"reasoning_content": "hm", "content": "So.", "signature": map[string]any{"of": "hm"}})
	finish(w, "stop", 12, 2)
}
