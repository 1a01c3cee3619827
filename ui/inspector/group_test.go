package inspector

import (
	"fmt"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/theme"
)

// TestAGroupIsComparedCallByCall plans a message with three calls, of which one is sound, one is damaged and one has no
// result.
func TestAGroupIsComparedCallByCall(t *testing.T) {
	past := []history.Message{
		{ID: 1, Role: history.User, Content: "Look."},
		{ID: 2, Role: history.Assistant, Content: "I look.", ToolCalls: []history.ToolCall{
			{ID: "a", Name: "sound", Arguments: `{"at": 1}`},
			{ID: "b", Name: "damaged", Arguments: `{"at": 2, "to`},
			{ID: "c", Name: "lost", Arguments: `{"at": 3}`},
		}},
		{ID: 3, Role: history.Tool, Content: "one", ToolCallID: "a"},
		{ID: 4, Role: history.Tool, Content: "two, with a key", ToolCallID: "b"},
		{ID: 5, Role: history.Assistant, Content: "There are two."},
	}
	stored := func(id int64) (store.Message, bool) {
		if id < 1 || int(id) > len(past) {
			return store.Message{}, false
		}
		return store.Message{Message: past[id-1]}, true
	}
	secrets := theme.Secrets{Find: func(text string, _ bool) [][2]int {
		if i := strings.Index(text, "key"); i >= 0 {
			return [][2]int{{i, i + len("key")}}
		}
		return nil
	}}
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := history.Build(past, history.Options{
		Policy: policy, Window: 8192, Turn: []history.Message{{Role: history.User, Content: "And now?"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `assistant
  id "b" = "b"
  name "damaged" = "damaged"
  args {"at": 2, "to > {"at": 2}
tool
  id "b" = "b"
  text two, with a [redacted] = two, with a [redacted]
assistant
  id "c" = "c"
  name "lost" = "lost"
  args {"at": 3} = {"at": 3}
tool lacks missing
  id "" > "c"
  text  > [no result recorded for this call; do not assume it ran]
`
	for _, id := range []int64{2, 4} { // of a result the group is that of its call
		e, _ := plan.EntryOf(id)
		if got := written(group{&plan, stored, secrets}.blocks(e)); got != want {
			t.Errorf("message %d: the blocks are\n%s\nwant\n%s", id, got, want)
		}
	}
}

// written are blocks as text: = stands between values that are the same, > between others.
func written(list []block) string {
	var b strings.Builder
	for _, x := range list {
		b.WriteString(x.role)
		if x.lacks != "" {
			b.WriteString(" lacks " + x.lacks)
		}
		if x.gone != "" {
			b.WriteString(" gone " + x.gone)
		}
		b.WriteString("\n")
		for _, f := range x.fields {
			sign := ">"
			if f.stored == f.sent {
				sign = "="
			}
			fmt.Fprintf(&b, "  %s %s %s %s\n", f.name, f.stored, sign, f.sent)
		}
	}
	return b.String()
}
