package llm

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/llm/llmtest"
)

// numbered gives each message an id of its own.
func numbered(list []history.Message, from int64) []history.Message {
	list = append([]history.Message(nil), list...)
	for i := range list {
		list[i].ID = from + int64(i)
	}
	return list
}

// twoRounds is a short conversation with two rounds of tools.
func twoRounds() past {
	say := func(role history.Role, text string) history.Message {
		return history.Message{Role: role, Content: text, Status: history.Complete}
	}
	h := past{say(history.User, "What is in a.txt and b.txt?")}
	h = append(h, history.Message{
		Role: history.Assistant, Content: "I look.", Reasoning: "Two files.", Status: history.Complete,
		ToolCalls: []history.ToolCall{{ID: "call_0", Name: "read", Arguments: `{"path":"a.txt"}`}, {ID: "call_1", Name: "read", Arguments: `{"path":"b.txt"}`}},
	})
	h = append(h, history.Message{Role: history.Tool, ToolCallID: "call_0", Content: "hello"}, history.Message{Role: history.Tool, ToolCallID: "call_1", Content: "there"})
	h = append(h, say(history.Assistant, "They say hello there."), say(history.User, "And c.txt?"))
	h = append(h, group("call_2", "read", `{"path":"c.txt"}`, "猫")...)
	return append(h, say(history.Assistant, "A cat. "+strings.Repeat("It is a nice cat. ", 30)), say(history.User, "Thanks."), say(history.Assistant, "You are welcome."))
}

// currentTurn is the running turn of the tables.
func currentTurn() []history.Message {
	return []history.Message{{ID: 1000, Role: history.User, Content: "And now?", Status: history.Complete}}
}

// ways is a pick that takes the n-th way wherever there are so many.
func ways(n int) pick { return func(of int) int { return n % of } }

// maxWays is the most ways that a corruption has.
const maxWays = 10

// TestUnmendedCorruptionsAreRefused sees to it that the servers of these tests would notice: what is
// sent as it is stored is refused. The arguments of calls are not, because the body never holds bad ones.
func TestUnmendedCorruptionsAreRefused(t *testing.T) {
	for _, c := range corruptions {
		var refusals []string
		for _, target := range strictTargets() {
			for n := range maxWays {
				h := target.mine(append(c.harm(twoRounds(), ways(n)), currentTurn()...))
				body, err := NewClient(target.endpoint).Body(Request{Model: targetModel, Messages: h})
				if err != nil {
					t.Fatal(err)
				}
				if err := llmtest.Check(target.profile, body); err != nil {
					refusals = append(refusals, err.Error())
				}
			}
		}
		repaired := c.kind == "C1" || c.kind == "C2" || c.kind == "C3" || c.kind == "C4"
		if len(refusals) == 0 && !repaired {
			t.Errorf("%s: every server takes it as it is", c.kind)
		}
	}
	sound := append(twoRounds(), currentTurn()...)
	body, err := NewClient(strictTargets()[0].endpoint).Body(Request{Model: targetModel, Messages: sound})
	if err == nil {
		err = llmtest.Check(llmtest.OpenAI, body)
	}
	if err != nil {
		t.Errorf("the conversation before any corruption: %v", err)
	}
}

func shown(messages []history.Message) string {
	var b strings.Builder
	for i, m := range messages {
		fmt.Fprintf(&b, "%d id=%d %s %s %.200q calls %.200q answers %q parts %.200v\n", i, m.ID, m.Role, m.Status, m.Content, m.ToolCalls, m.ToolCallID, m.Parts)
	}
	return b.String()
}

// TestEveryServerAcceptsEveryHistory repairs random damaged conversations for every server. RAPID_CHECKS takes more
// of them.
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

// TestEachCorruptionIsRepairedForEveryServer takes each corruption alone, in each of its ways.
func TestEachCorruptionIsRepairedForEveryServer(t *testing.T) {
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	o := history.Options{Policy: policy, System: "Be brief.", Turn: currentTurn(), Ratio: 1}
	for _, target := range strictTargets() {
		t.Run(target.endpoint.Name+" "+string(target.profile), func(t *testing.T) {
			t.Parallel()
			for _, c := range corruptions {
				for n := range maxWays {
					messages := numbered(c.harm(twoRounds(), ways(n)), 1)
					if err := target.wantAccepted(messages, o); err != nil {
						t.Errorf("%s way %d: %v\n%s", c.kind, n, err, shown(messages))
					}
				}
			}
		})
	}
}
