package session

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/llm"
	"winnow/session/approval"
	"winnow/session/store"
)

// previewed is a plan with the bytes it gives, and what it was made by.
type previewed struct {
	Plan   history.Plan
	Body   string
	Policy history.Policy
	Window llm.Window
}

// preview plans a draft by a trial.
func preview(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *Session, trial Settings,
) previewed {
	t.Helper()
	if err := s.Model().Find(context.Background()); err != nil {
		t.Fatalf("find the window: %v", err)
	}
	tried := s.Try(context.Background(), trial)
	plan, err := tried.Preview(say("Now?"))
	if err != nil {
		t.Fatalf("preview as %+v: %v", trial, err)
	}
	body, err := tried.Body(plan)
	if err != nil {
		t.Fatalf("the body as %+v: %v", trial, err)
	}
	if window := tried.To.Window(); window.Tokens != plan.Sum.Window {
		t.Fatalf("as %+v the window has %d tokens, and the plan goes by %d", trial, window.Tokens, plan.Sum.Window)
	}
	return previewed{plan, string(body), tried.Policy, tried.To.Window()}
}

// trialBench has a second model that is another in everything that a plan depends on.
func trialBench(t *testing.T) *bench {
	long := strings.Repeat("A long answer about one thing and the other. ", 60)
	b := newBench(t, says(long), calls("call-of-add-1", "add", `{"a":1,"b":2}`), says(long), says("Short."))
	b.deps.Approval.Mode, b.deps.Sampling.MaxTokens = approval.Always, 400
	b.offer(adder(t))
	small := "http://127.0.0.1:1/v1"
	b.deps.Models.Add(llm.Endpoint{Name: "bare", BaseURL: "http://127.0.0.1:2/v1"}) // It has no default model.
	b.deps.Models.Add(llm.Endpoint{
		Name: "small", BaseURL: small, Default: "tiny", Window: 2048,
		Profile: history.Profile{MergeSameRole: true, ToolIDLength: 9, NoToolToUser: true},
	})
	err := b.deps.Store.Learn(t.Context(), small, "tiny", func(l *store.Learned) {
		l.Ratio, l.Samples, l.Asked = 1.5, 3, []byte(`{"no_stream_options":true}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// talked holds the conversation of a trialBench, and names it.
func (b *bench) conversationOf() string {
	b.t.Helper()
	s := b.begin()
	for _, draft := range []string{"One thing?", "What is 1 + 2?", "And?"} {
		if _, err := drain(s.Send(b.t.Context(), say(draft))); err != nil {
			b.t.Fatal(err)
		}
	}
	if err := s.Set(b.t.Context(), Settings{Budget: new(1500)}); err != nil {
		b.t.Fatal(err)
	}
	return s.Info().ID
}

// TestAnyTrialIsAppliedWholeOrNotAtAll tries and applies one thing after the other on one conversation.
func TestAnyTrialIsAppliedWholeOrNotAtAll(t *testing.T) {
	b := trialBench(t)
	id := b.conversationOf()
	applied := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := b.open(id)
		for range rapid.IntRange(1, 5).Draw(rt, "times") {
			trial := Settings{
				Preset: rapid.SampledFrom([]string{"", "balanced", "classic", "recent", "unheard-of"}).Draw(rt,
					"preset"),
				Model: rapid.SampledFrom([]string{"", "small", "test/m", "test/other", "bare"}).Draw(rt, "model"),
			}
			if rapid.Bool().Draw(rt, "with a budget") {
				n := rapid.SampledFrom([]int{-1, 0, 900, 1500}).Draw(rt, "budget")
				trial.Budget = &n
			}
			possible := trial.Preset != "unheard-of" && trial.Model != "bare" &&
				(trial.Budget == nil || *trial.Budget >= 0)
			before, ref := s.Info(), s.Model().Ref()
			next := preview(rt, s, Settings{})
			var tried previewed
			if possible {
				tried = preview(rt, s, trial)
			}
			if after := preview(rt, s, Settings{}); !reflect.DeepEqual(after, next) || s.Model().Ref() != ref {
				rt.Fatalf("a trial of %+v changed the next request from\n%+v\nto\n%+v", trial, next, after)
			}
			err := s.Set(t.Context(), trial)
			switch {
			case !possible:
				if _, err := s.Try(t.Context(), trial).Preview(say("")); err == nil {
					rt.Fatalf("a trial of %+v is possible", trial)
				}
				if err == nil || !reflect.DeepEqual(s.Info(), before) ||
					!reflect.DeepEqual(preview(rt, s, Settings{}), next) {
					rt.Fatalf("applied %+v: %v, and it is\n%+v\nwant an error, and as before\n%+v", trial, err,
						s.Info(), before)
				}
			case err != nil:
				rt.Fatalf("apply %+v: %v", trial, err)
			default:
				applied++
				if got := preview(rt, s, Settings{}); !reflect.DeepEqual(got, tried) {
					rt.Fatalf("a trial of %+v shows\n%+v\napplied it is\n%+v", trial, tried, got)
				}
			}
			stored, err := b.deps.Store.Session(t.Context(), id)
			if err != nil || !reflect.DeepEqual(stored, s.Info()) {
				rt.Fatalf("stored is %+v (%v), and the conversation says %+v", stored, err, s.Info())
			}
		}
	})
	t.Logf("%d trials were applied", applied)
}
