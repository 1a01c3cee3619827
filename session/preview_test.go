package session

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm"
)

// TestTrialPlansAsTheSettingWould compares what a trial shows with what the conversation shows once
// it is set to the same.
func TestTrialPlansAsTheSettingWould(t *testing.T) {
	long := strings.Repeat("A long answer about one thing and the other. ", 60)
	budget := func(n int) *int { return &n }
	for _, test := range []struct {
		name  string
		trial Trial
		set   func(s *Session) error
	}{
		{"nothing", Trial{}, func(*Session) error { return nil }},
		{"budget", Trial{Budget: budget(900)}, func(s *Session) error { return s.SetBudget(t.Context(), 900) }},
		{"automatic budget", Trial{Budget: budget(0)}, func(s *Session) error { return s.SetBudget(t.Context(), 0) }},
		{"preset", Trial{Preset: "assistant-first"}, func(s *Session) error { return s.SetPreset(t.Context(), "assistant-first") }},
		{"both", Trial{Preset: "classic", Budget: budget(700)}, func(s *Session) error {
			return errors.Join(s.SetPreset(t.Context(), "classic"), s.SetBudget(t.Context(), 700))
		}},
		{"placement", Trial{Placement: history.InOrder}, func(s *Session) error { s.policy.Placement = history.InOrder; return nil }},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, says(long), says(long), says("Short."))
			s := b.begin()
			for _, draft := range []string{"One thing?", "The other thing?", "And?"} {
				drain(s.Send(t.Context(), draft))
			}
			if err := s.SetBudget(t.Context(), 1500); err != nil {
				t.Fatal(err)
			}
			policy := s.Policy()
			row, err := b.deps.Store.Session(t.Context(), s.Info().ID)
			if err != nil {
				t.Fatal(err)
			}
			tried, err := s.PreviewAs("Now?", test.trial)
			if err != nil {
				t.Fatal(err)
			}
			stored, err := b.deps.Store.Session(t.Context(), row.ID)
			if err != nil || !reflect.DeepEqual(stored, row) || s.Policy() != policy {
				t.Errorf("the trial left its mark: %+v, %v; was %+v", stored, err, row)
			}
			if err := test.set(s); err != nil {
				t.Fatal(err)
			}
			set, err := s.Preview("Now?")
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(tried, set) {
				t.Errorf("the trial shows\n%+v\nset so it is\n%+v", tried, set)
			}
		})
	}
}

func TestTrialOfWhatCannotBe(t *testing.T) {
	b := newBench(t, says("One."))
	s := b.begin()
	drain(s.Send(t.Context(), "First"))
	minus := -1
	for _, trial := range []Trial{{Preset: "unheard-of"}, {Budget: &minus}, {Placement: "sideways"}} {
		if _, err := s.PreviewAs("", trial); err == nil || !errors.As(err, new(*TrialError)) {
			t.Errorf("a trial of %+v: %v, want a *TrialError", trial, err)
		}
	}
}

func TestTriedModelIsNotKept(t *testing.T) {
	b := newBench(t, says("One."))
	b.deps.Models.Add(llm.Endpoint{Name: "small", BaseURL: "http://127.0.0.1:1/v1", Window: 1024})
	s := b.begin()
	drain(s.Send(t.Context(), "First"))
	if err := s.TryModel(t.Context(), "small/tiny"); err != nil {
		t.Fatal(err)
	}
	plan, err := s.Preview("And?")
	if err != nil || plan.Sum.Window != 1024 {
		t.Errorf("the preview says a window of %d, %v; want 1024", plan.Sum.Window, err)
	}
	if body, err := s.Body(plan); err != nil || !strings.Contains(string(body), `"model":"tiny"`) {
		t.Errorf("the body is %s, %v; want one for tiny", body, err)
	}
	if row, err := b.deps.Store.Session(t.Context(), s.Info().ID); err != nil || row.Endpoint != "test" || row.Model != "m" {
		t.Errorf("the conversation is now with %s/%s (%v), want test/m", row.Endpoint, row.Model, err)
	}
}
