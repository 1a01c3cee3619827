package session

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm"
	"winnow/session/approval"
	"winnow/session/store"
)

// previewed is a plan with its body and with the settings that made it.
type previewed struct {
	Plan   history.Plan
	Body   string
	Policy history.Policy
	Window llm.Window
}

// preview plans a draft with other settings.
func preview(t *testing.T, s *Session, trial Settings) previewed {
	t.Helper()
	if err := s.Model().FindWindow(context.Background()); err != nil {
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
	if window := tried.Target.Window(); window.Tokens != plan.Sum.Window {
		t.Fatalf("as %+v the window has %d tokens, and the plan goes by %d", trial, window.Tokens, plan.Sum.Window)
	}
	return previewed{plan, string(body), tried.Policy, tried.Target.Window()}
}

// trialBench has a second model that differs in everything that affects a plan.
func trialBench(t *testing.T) *bench {
	long := strings.Repeat("A long answer about one thing and the other. ", 60)
	b := newBench(t, says(long), calls("call-of-add-1", "add", `{"a":1,"b":2}`), says(long), says("Short."))
	b.deps.Approval.Mode, b.deps.Sampling.MaxTokens = approval.ModeAlways, 400
	b.offer(adder())
	small := "http://127.0.0.1:1/v1"
	b.deps.Models.Add(llm.Endpoint{Name: "bare", BaseURL: "http://127.0.0.1:2/v1"}) // no default model
	b.deps.Models.Add(llm.Endpoint{
		Name: "small", BaseURL: small, DefaultModel: "tiny", Window: 2048,
		Profile: history.Profile{MergeSameRole: true, ToolIDLength: 9, NoToolToUser: true},
	})
	err := b.deps.Store.UpdateModelFacts(t.Context(), small, "tiny", func(l *store.ModelFacts) {
		l.Ratio, l.Samples, l.Asked = 1.5, 3, []byte(`{"no_stream_options":true}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// conversationOf holds the conversation of a trialBench and returns its id.
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

// A trial changes nothing. Once applied and stored, the next request is the one that was tried. Impossible settings
// change nothing at all.
func TestATrialIsAppliedWholeOrNotAtAll(t *testing.T) {
	b := trialBench(t)
	id := b.conversationOf()
	s := b.open(id)
	for _, c := range []struct {
		trial    Settings
		possible bool
	}{
		{Settings{Preset: "classic", Model: "small"}, true},
		{Settings{Preset: "recent", Model: "unheard-of/m"}, false},
		{Settings{Budget: new(900)}, true},
		{Settings{Model: "bare", Budget: new(1500)}, false},
		{Settings{Model: "test/m", Preset: "unheard-of"}, false},
		{Settings{Model: "test/other", Preset: "balanced", Budget: new(0)}, true},
		{Settings{Model: "small", Budget: new(-1)}, false},
		{Settings{Model: "test/m"}, true},
	} {
		before, next := s.Info(), preview(t, s, Settings{})
		var tried previewed
		if c.possible {
			tried = preview(t, s, c.trial)
		} else if _, err := s.Try(t.Context(), c.trial).Preview(say("")); err == nil {
			t.Errorf("a trial of %+v is possible", c.trial)
		}
		if after := preview(t, s, Settings{}); !reflect.DeepEqual(after, next) {
			t.Errorf("a trial of %+v changed the next request from\n%+v\nto\n%+v", c.trial, next, after)
		}
		err := s.Set(t.Context(), c.trial)
		got := preview(t, s, Settings{})
		switch {
		case (err == nil) != c.possible:
			t.Errorf("apply %+v: %v", c.trial, err)
		case c.possible && !reflect.DeepEqual(got, tried):
			t.Errorf("a trial of %+v shows\n%+v\napplied it is\n%+v", c.trial, tried, got)
		case !c.possible && (!reflect.DeepEqual(s.Info(), before) || !reflect.DeepEqual(got, next)):
			t.Errorf("%+v was refused, and it is\n%+v\nwant\n%+v", c.trial, s.Info(), before)
		}
		row := b.stored(s)
		if row.Changes = s.Info().Changes; !reflect.DeepEqual(row, s.Info()) { // counts its own writes too
			t.Errorf("stored is %+v, and the conversation says %+v", row, s.Info())
		}
	}
}
