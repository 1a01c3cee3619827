package session

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"winnow/history"
	"winnow/history/cause"
)

// condensing is a conversation of some turns under the summary preset and a small budget, before the
// steps given.
func condensing(t *testing.T, steps ...step) (*bench, *Session) {
	t.Helper()
	b, s := conversationOf(t, 12, steps...)
	if err := s.Set(t.Context(), Settings{Preset: "summary"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Set(t.Context(), Settings{Budget: new(1200)}); err != nil {
		t.Fatal(err)
	}
	return b, s
}

// uncounted answers with these pieces and reports no tokens.
func uncounted(pieces ...string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, p := range pieces {
			delta(w, map[string]any{"content": p})
		}
		finish(w, "stop", 0, 0)
	}
}

func TestOldMessagesAreCondensedOnce(t *testing.T) {
	b, s := condensing(t, uncounted("Notes: twelve questions, ", "all answered."), uncounted("Yes."),
		uncounted("Still yes."))
	events := completed(t, s.Send(t.Context(), say("Ready?")))
	if shown := notices(events); len(shown) != 1 ||
		shown[0] != "asking test/m to summarise 12 older messages (about 729 tokens)" {
		t.Errorf("the turn says %q", shown)
	}
	asked, sent := b.body(13), b.body(14)
	if !strings.Contains(asked, "Question 1?") || strings.Contains(asked, "Ready?") ||
		strings.Contains(asked, `"tools"`) {
		t.Errorf("the model is asked to condense with %s", asked)
	}
	if strings.Count(sent, "Notes: twelve questions, all answered.") != 1 || strings.Contains(sent, "Question 3?") {
		t.Errorf("the request holds not what was condensed: %s", sent)
	}
	plan := only[Planned](events)[0].Plan
	if len(plan.Entries) != 25 || plan.Entries[4].Level != history.Out ||
		plan.Entries[4].Cause.Code != cause.Summarized {
		t.Errorf("the verdict on a condensed message is %+v", plan.Entries[4])
	}
	completed(t, s.Send(t.Context(), say("Sure?")))
	if b.last() != 15 || !strings.Contains(b.body(15), "Notes: twelve questions") {
		t.Errorf("after %d requests the summary is not used again: %s", b.last(), b.body(15))
	}
	again, err := Open(t.Context(), b.deps, s.Info().ID, s.Model().Ref())
	if err != nil {
		t.Fatal(err)
	}
	for turn := 13; turn <= 14; turn++ {
		if r, err := again.Records().Replay(t.Context(), turn, 0); err != nil || !r.Proven {
			t.Errorf("turn %d is not proven: %v, %s", turn, err, r.Doubt)
		}
	}
}

func TestASummaryThatFailsLeavesTheMessagesToBeCut(t *testing.T) {
	for name, failure := range map[string]step{
		"refused": refuses(http.StatusBadRequest, `{"error":{"message":"no"}}`),
		"nothing": says("  "),
	} {
		t.Run(name, func(t *testing.T) {
			b, s := condensing(t, failure, says("Yes."))
			events := completed(t, s.Send(t.Context(), say("Ready?")))
			shown := notices(events)
			if len(shown) != 2 || !strings.Contains(shown[1], "could not be summarised") {
				t.Errorf("the turn says %q", shown)
			}
			if sent := b.body(14); !strings.Contains(sent, "(truncated)") || strings.Contains(sent, "Summary of") {
				t.Errorf("the request is %s", sent)
			}
		})
	}
}

// A server that finds the request for a summary too long is asked for one of fewer messages, and the summary stands for
// those alone: the rest is summarized behind them.
func TestASummaryOfTooMuchIsAskedForWithLess(t *testing.T) {
	for name, refusal := range map[string]step{
		"with the window": refuses(400, `{"error":{"message":"request (3000 tokens) exceeds the available `+
			`context size (2048 tokens), try increasing it","n_prompt_tokens":3000,"n_ctx":2048}}`),
		"without a number": refuses(400, noNumber),
	} {
		t.Run(name, func(t *testing.T) {
			b, s := conversationOf(t, 12, refusal, uncounted("First notes."), uncounted("More notes."),
				uncounted("All notes."))
			_, err := drain(s.Compact(t.Context()))
			if err != nil {
				t.Fatal(err)
			}
			if first, second := b.body(13), b.body(14); len(second) >= len(first) {
				t.Errorf("after a refusal %d bytes are sent, which were %d", len(second), len(first))
			}
			if last := b.body(b.last()); !strings.Contains(last, " notes.\\n\\n") {
				t.Errorf("the rest is summarized with %s", last)
			}
			var covered int
			for _, m := range s.Now().summaries {
				covered = max(covered, m.Messages)
			}
			if covered != 22 {
				t.Errorf("the summary stands for %d messages, want all 22 before the newest turn", covered)
			}
		})
	}
}

func TestCompactThatCannotBeChangesNothing(t *testing.T) {
	_, s := conversationOf(t, 1)
	if _, err := drain(s.Compact(t.Context())); !errors.Is(err, ErrNothingOlder) {
		t.Errorf("one turn alone is condensed: %v", err)
	}
	b, s := conversationOf(t, 3, refuses(http.StatusBadRequest, `{"error":{"message":"no"}}`))
	_, err := drain(s.Compact(t.Context()))
	if err == nil || s.Now().Policy.SummaryAlways || b.last() != 4 {
		t.Errorf("the model refused: %v, after %d requests the policy says %v", err, b.last(), s.Now().Policy.SummaryAlways)
	}
}

// Of several branches each has its own summary, and the widest that fits, whichever was written last.
func TestEachBranchHasItsSummary(t *testing.T) {
	b, s := conversationOf(t, 6, uncounted("Wide notes."), uncounted("Otherwise."), uncounted("Narrow notes."),
		uncounted("On."))
	end, third := s.Info().Leaf, s.Messages()[6].ID
	sent := func() string {
		t.Helper()
		plan, err := s.Preview(say("And?"))
		if err != nil {
			t.Fatal(err)
		}
		body, err := s.Try(t.Context(), Settings{}).Body(plan)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	completed(t, s.Compact(t.Context()))
	completed(t, s.Send(t.Context(), Draft{Instead: third, Text: "Something else?"}))
	if body := b.body(8); strings.Contains(body, "notes.") || !strings.Contains(body, "Question 2?") {
		t.Errorf("the edit is sent with a summary of what stood behind it: %s", body)
	}
	completed(t, s.Compact(t.Context()))
	if body := sent(); !strings.Contains(body, "Narrow notes.") || strings.Contains(body, "Wide") ||
		strings.Contains(body, "Question 2?") {
		t.Errorf("the branch of the edit is sent as %s", body)
	}
	fork, err := s.Fork(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // as it is, and as it is stored
		if err := s.Switch(t.Context(), end); err != nil {
			t.Fatal(err)
		}
		if body := sent(); !strings.Contains(body, "Wide notes.") || strings.Contains(body, "Narrow") {
			t.Errorf("the first branch is sent as %s", body)
		}
		s = b.open(s.Info().ID)
	}
	s = b.open(fork.ID)
	if body := sent(); !strings.Contains(body, "Narrow notes.") || strings.Contains(body, "Wide") ||
		strings.Contains(body, "Question 2?") {
		t.Errorf("the fork is sent as %s", body)
	}
}
