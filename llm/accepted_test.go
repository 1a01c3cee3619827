package llm

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
)

// numbered gives each message an id of its own.
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
