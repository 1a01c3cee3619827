package history

import (
	"testing"
)

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
