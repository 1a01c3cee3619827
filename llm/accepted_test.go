package llm

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/llm/llmtest"
	"winnow/llm/tool"
)

// numbered returns messages with consecutive IDs.
func numbered(list []history.Message, from int64) []history.Message {
	list = append([]history.Message(nil), list...)
	for i := range list {
		list[i].ID = from + int64(i)
	}
	return list
}

func shown(messages []history.Message) string {
	var b strings.Builder
	for i, m := range messages {
		fmt.Fprintf(&b, "%d id=%d %s %s %.200q calls %.200q answers %q parts %.200v\n", i, m.ID, m.Role, m.Status, m.Content, m.ToolCalls, m.ToolCallID, m.Parts)
	}
	return b.String()
}

// Random damaged conversations are repaired for every kind of server. RAPID_CHECKS sets their number.
func TestEveryServerAcceptsEveryHistory(t *testing.T) {
	for _, target := range strictTargets() {
		t.Run(target.endpoint.Name+" "+string(target.profile), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				s := strictScenes().Draw(t, "scene")
				if err := target.wantAccepted(s.messages, s.o); err != nil {
					t.Fatalf("%v\n%s", err, s)
				}
			})
		})
	}
}

func TestOllamaTakesEveryHistory(t *testing.T) {
	t.Parallel()
	scenes := strictScenes()
	rapid.Check(t, func(t *rapid.T) {
		scene := scenes.Draw(t, "scene")
		alternates := rapid.Bool().Draw(t, "alternates")
		known := Learned{Native: true, Thinks: true, Profile: history.Profile{
			ToolsAsText: rapid.Bool().Draw(t, "tools as text"), NoImages: rapid.Bool().Draw(t, "no images"),
			MergeSameRole: alternates, NoToolToUser: alternates, EchoReasoning: rapid.Bool().Draw(t, "echo reasoning"),
		}}
		c := NewClient(Endpoint{Name: "own", BaseURL: "http://127.0.0.1:11434/v1", Learned: known, KeepAlive: rapid.SampledFrom([]string{"", "5m", "-1"}).Draw(t, "keep")})
		scene.o.Profile, scene.o.To = c.Profile("m"), c.Origin("m")
		plan, err := history.Build(scene.messages, scene.o)
		if damaged := (*history.DamagedError)(nil); errors.As(err, &damaged) {
			return
		}
		r := Request{Model: "m", Messages: plan.Messages, Window: 8192, Effort: "high", Tools: []tool.Tool{{Name: "read"}}}
		body, err := c.RequestBody(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := llmtest.CheckOllamaBody(body); err != nil {
			t.Fatalf("%v\n%s", err, body)
		}
		if again, err := c.RequestBody(r); err != nil || string(again) != string(body) {
			t.Fatalf("the same request has other bytes: %v\n%s\n%s", err, body, again)
		}
	})
}
