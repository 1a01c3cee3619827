package history

import (
	"strings"
	"testing"
)

func TestBuildKeepsAllThatFitsAndNoMoreThanTheBudget(t *testing.T) {
	p, err := Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	var past []Message
	for i := range 200 {
		past = append(past, Message{ID: int64(2*i + 1), Role: User, Content: "question"}, Message{ID: int64(2*i + 2), Role: Assistant, Content: strings.Repeat("answer ", 100)})
	}
	turn := []Message{{Role: User, Content: "now"}}
	few, err := Build(past[:10], Options{Policy: p, Turn: turn})
	if err != nil || len(few.Messages) != 11 || len(few.Added) != 0 || few.Messages[1].Content != past[1].Content {
		t.Errorf("ten small messages: got %d messages, %d added, %v; want 11, 0, nil", len(few.Messages), len(few.Added), err)
	}
	p.Budget = 4000
	many, err := Build(past, Options{Policy: p, Turn: turn})
	if err != nil || many.Sum.Used() > many.Sum.Limit {
		t.Errorf("400 messages in 4000 tokens: got sum %+v, %v", many.Sum, err)
	}
	if last := many.Messages[len(many.Messages)-1]; last.Content != "now" || many.Messages[0].Content != "question" || len(many.Added) != 1 {
		t.Errorf("got first %q, last %q, %d added; want the opener, the draft and one marker", many.Messages[0].Content, last.Content, len(many.Added))
	}
	for name := range map[string]bool{"full": true, "classic": true, "recent": true} {
		q, _ := Preset(name)
		if err := q.Check(); err != nil {
			t.Errorf("preset %s: %v", name, err)
		}
	}
}

func TestSystemPromptIsSentAsTextOrNotAtAll(t *testing.T) {
	p, err := Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	turn := []Message{{Role: User, Content: "now"}}
	for prompt, want := range map[string]string{" \n": "", "Be\x00kind\xff": "Be\ufffdkind\ufffd", "Be kind. ": "Be kind. "} {
		plan, err := Build(nil, Options{Policy: p, System: prompt, Turn: turn})
		got := ""
		if plan.Messages[0].Role == System {
			got = plan.Messages[0].Content
		}
		if err != nil || got != want || (plan.Sum.System > 0) != (want != "") {
			t.Errorf("prompt %q: got %q and %d tokens (%v), want %q", prompt, got, plan.Sum.System, err, want)
		}
	}
}
