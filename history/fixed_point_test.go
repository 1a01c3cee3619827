package history

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// repairedBy is a history as it may be sent, with these remedies.
func repairedBy(past []Message, remedies map[int64]Remedy) *prepared {
	return NewConversation(past, words).prepare(readOptions{endpointForm: endpointForm{tools: ToolsKeep}, remedies: remedies})
}

// listOf are the messages of a history as they may be sent.
func listOf(t *prepared) []Message {
	var list []Message
	for _, v := range t.candidates {
		m := v.Message
		m.Status = Complete
		list = append(list, m)
	}
	return list
}

func listed(messages []Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s %q %q calls %q\n", m.Role, m.ToolCallID, m.Content, m.ToolCalls)
	}
	return b.String()
}

// A repaired history is repaired twice more. The second time finds nothing to repair, and the third changes nothing:
// what was repaired is sound.
func TestRepairingReachesAFixedPoint(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		once := listOf(repairedBy(s.past, nil))
		for pass := 2; pass <= 3; pass++ {
			repaired := repairedBy(once, nil)
			for i, e := range repaired.entries {
				for _, r := range e.Repairs {
					// A late system message is noted and stays: where it goes is the policy's to say.
					if r.Kind != "C12" {
						t.Fatalf("pass %d repairs message %d %q again: %+v\n%s", pass, i, once[i].Content, r, s)
					}
				}
			}
			again := listOf(repaired)
			if !reflect.DeepEqual(again, once) {
				t.Fatalf("pass %d makes\n%s\nof\n%s\n%s", pass, listed(again), listed(once), s)
			}
			once = again
		}
	})
}
