package inspector

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// inspecting is an inspector of messages as a plan sends them.
func inspecting(t testing.TB, w int, past []history.Message) *Model {
	t.Helper()
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
	return &Model{
		Context: &app.Context{Shared: &app.Shared{
			Themes:  &theme.Set{Styles: theme.New(theme.None, theme.Palette{}, 0)},
			Secrets: theme.Secrets{Find: findKey},
		}},
		Screen: Screen{Message: func(id int64) (store.Message, bool) {
			return store.Message{Message: past[id-1]}, true
		}},
		Request: Request{Plan: plan}, w: w,
	}
}

// ourKey is what findKey finds.
const ourKey = "our-own-key"

func findKey(text string, _ bool) (spans [][2]int) {
	for at := 0; ; {
		i := strings.Index(text[at:], ourKey)
		if i < 0 {
			return spans
		}
		at += i + len(ourKey)
		spans = append(spans, [2]int{at - len(ourKey), at})
	}
}

// asking is a conversation with a call that was cut off, and one without a result.
func asking(arguments, result string) []history.Message {
	return []history.Message{
		{ID: 1, Role: history.User, Content: "Look."},
		{ID: 2, Role: history.Assistant, ToolCalls: []history.ToolCall{
			{ID: "a", Name: "list", Arguments: arguments}, {ID: "b", Name: "read", Arguments: `{"at": 2}`},
		}},
		{ID: 3, Role: history.Tool, Content: result, ToolCallID: "a"},
		{ID: 4, Role: history.Assistant, Content: "There it is."},
	}
}

// Of a damaged message, and of the calls and results that go with it, every row that only one side has is marked.
func TestARepairIsComparedRowByRow(t *testing.T) {
	in := inspecting(t, 100, asking(`{"at": 1, "to`, "one, with "+ourKey))
	e, _ := in.Plan.EntryOf(2)
	const want = `  Stored  as received                               Sent  now
  │                                                 │
  │  assistant                                      │  assistant
  │    id    "a"                                    │    id    "a"
  │    name  "list"                                 │    name  "list"
  │−   args  {"at": 1, "to                          │+   args  {"at": 1}
  │    id    "b"                                    │    id    "b"
  │    name  "read"                                 │    name  "read"
  │    args  {"at": 2}                              │    args  {"at": 2}
  │                                                 │
  │  tool                                           │  tool
  │    id    "a"                                    │    id    "a"
  │    text  one, with [redacted]                   │    text  one, with [redacted]
  │                                                 │
  │                                                 │  tool
  │                                                 │+   id    "b"
  │                                                 │+   text  [no result recorded for this call;
  │                                                 │+         do not assume it ran]
  │                                                 │
`
	if got := uitest.Plain(in.comparison(&in.Plan, e, "now")); got != want {
		t.Errorf("the comparison is\n%s\nwant\n%s", got, want)
	}
	in.w = 60 // one below the other
	if got := uitest.Plain(in.comparison(&in.Plan, e, "now")); strings.Index(got, "Sent") < strings.Index(got, "one,") {
		t.Errorf("on a narrow screen the comparison is\n%s", got)
	}
}

func TestAComparisonFitsEveryWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab {\"\n\t猫é\u0301👩\u200d🚀\x1b\u202e")))
		w := rapid.IntRange(5, 140).Draw(t, "w")
		in := inspecting(&testing.T{}, w, asking(text.Draw(t, "arguments"), strings.Repeat(text.Draw(t, "result"), 99)))
		e, _ := in.Plan.EntryOf(2)
		for _, line := range in.comparison(&in.Plan, e, "now") {
			if n := ansi.StringWidth(line); n > w {
				t.Fatalf("at %d cells the line %q has %d", w, ansi.Strip(line), n)
			}
		}
	})
}
