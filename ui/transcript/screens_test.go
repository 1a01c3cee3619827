package transcript

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/uitest"
)

func TestScreens(t *testing.T) {
	var screens uitest.Screens
	add := func(name string, s *stage) { screens.Add(name, s.View()) }
	messages, entries := parser()
	for _, width := range []int{48, 72, 140} {
		s := shown(width, 90, messages, entries)
		s.GoTo(5)
		s.ScrollTo(1)
		add("every verdict in "+strconv.Itoa(width)+" cells", s)
	}

	s := shown(72, 20, messages, entries)
	tried := slices.Clone(entries)
	tried[2].Disposition, tried[4].Disposition, tried[4].Cuts = history.Kept, history.Kept, nil
	tried[4].CharsAfter, tried[3].Disposition = tried[4].CharsBefore, history.Dropped
	s.NextPlan, s.trial = history.Plan{Entries: entries}, true
	s.SetPlan(history.Plan{Entries: tried}, 0)
	s.ScrollTo(1)
	add("what other settings would change", s)

	middle := entries[4]
	tail := len(messages[4].Content) - len("to use. ")
	middle.Cuts = []history.CharRange{{From: middle.Cuts[0].From, To: tail}}
	s = shown(72, 12, messages[4:6], []history.Entry{middle, entries[5]})
	s.ScrollTo(1)
	add("a cut in the middle", s)

	s = shown(72, 7, messages[4:5], entries[4:5])
	s.ScrollTo(1)
	add("the newest answer, whole", s)
	s.Add(store.Message{Message: history.Message{ID: 6, Role: history.User, Content: "Go on."}}, record.Receipt{})
	s.ScrollTo(1)
	add("the same behind the next question, as it is sent", s)

	half := history.Message{Role: history.Assistant, Content: "Half", Status: history.Failed}
	add("what did not arrive as it should", shown(80, 20, []store.Message{
		{Message: history.Message{Status: history.Quarantined}},
		{Message: history.Message{Status: history.Quarantined}, Damaged: true},
		{Damaged: true, Remains: "Hel?o"},
		{Message: half},
		{Message: history.Message{Status: history.Failed}},
		{Message: history.Message{Role: history.Tool}},
	}, nil))

	s = shown(70, 16, []store.Message{message(history.User, "First"), message(history.User, "Second")}, nil)
	f := record.FailedTurn{After: 1, Request: 7, Turn: 1, Tries: 2, TurnFault: record.TurnFault{
		What: "here refused the request", Words: "the runner has stopped", Status: 500, Host: "localhost", NotCharged: true,
	}}
	s.ShowFailure(f)
	f.After, f.Request = 2, 8
	s.ShowFailure(f)
	s.ShowFailure(f)
	add("two turns that failed", s)
	s.GoTo(2)
	if request, _, ok := s.RequestAtCursor(); !ok || request != 8 {
		t.Errorf("the request of the message is %d", request)
	}

	s = staged(60, 6)
	s.AddDelta("# Hi\n\nsome **te", "")
	s.GoTo(streamingID)
	s.AddDelta("xt**", "")
	m := message(history.Assistant, "# Hi\n\nsome **text**")
	m.ID, m.Request = 7, 1
	s.AnswerStored(m, record.Receipt{
		VerdictCounts: store.VerdictCounts{Stored: 1, Of: map[history.Disposition]int{"kept": 1}},
		Expected:      9, Estimate: 9,
	})
	add("the stored answer in the place of the one that arrived", s)
	s = staged(60, 4)
	s.AddDelta("Half an answer", "")
	s.EndTurn()
	add("an answer that is not stored", s)

	for _, c := range []struct {
		name string
		w, h int
		keys []string
	}{
		{"a chat", 60, 13, nil},
		{"a narrow one", 30, 12, nil},
		{"a selection", 60, 12, []string{"g", "space", "space"}},
		{"a search", 60, 12, []string{"g", "/", "t", "h", "e"}},
	} {
		s := four(c.w, c.h).press(c.keys...)
		line, _ := s.SearchLine(c.w, "")
		screens.Add(c.name, append(s.View(), line))
	}
	screens.Golden(t)
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		keys []string
		said string
		did  keymap.Action
	}{
		{[]string{"enter"}, "", keymap.Inspect},
		{[]string{"c"}, "", keymap.Seen},
		{[]string{"n"}, "There is no search: / starts a search.", ""},
		{[]string{"g", "ctrl+o"}, "This message has nothing to expand.", ""},
		{[]string{"q"}, "q does nothing in the transcript; esc goes to the draft, ? lists the keys.", ""},
		{[]string{"p"}, "", keymap.Pin},
		{[]string{"/", "z", "enter"}, "No match in this chat; esc ends the search.", ""},
	} {
		s := four(60, 12).press(c.keys...)
		if s.said != c.said || s.did != c.did {
			t.Errorf("%v: says %q and does %q, want %q and %q", c.keys, s.said, s.did, c.said, c.did)
		}
	}
	if m, _ := four(60, 12).press("'").MessageAtCursor(); m.ID != 4 {
		t.Errorf("the model sees from message %d, want 4", m.ID)
	}
}

// A receipt loses what can be missed first.
func TestAReceiptBecomesShorter(t *testing.T) {
	t.Parallel()
	r := record.Receipt{
		VerdictCounts: store.VerdictCounts{
			Stored: 61, Of: map[history.Disposition]int{"kept": 19, "cut": 4}, Repaired: 1,
		},
		Took:  1900 * time.Millisecond,
		Usage: pricing.Usage{Prompt: 1912, Cached: 812, Answer: 301}, Cost: pricing.Cost{
			Amount: pricing.Dollar / 250, From: pricing.Charged,
		},
	}
	unread := record.Receipt{
		VerdictCounts: store.VerdictCounts{Stored: 7, Of: map[history.Disposition]int{"kept": 7}},
		Unread:        6753, Usage: pricing.Usage{Prompt: 4096, Cached: -1, Answer: 12},
	}
	quiet := record.Receipt{
		VerdictCounts: store.VerdictCounts{Stored: 2, Of: map[history.Disposition]int{"kept": 2}}, Expected: 9,
	}
	for _, c := range []struct {
		r    record.Receipt
		w    int
		want string
	}{
		{r, 120, "saw 23 of 61 · 4 cut · 1 repaired · 1,912 in (812 cached) / 301 out · $0.004 · 1.9 s"},
		{r, 83, "saw 23 of 61 · 4 cut · 1 repaired · 1,912 in (812 cached) / 301 out · $0.004"},
		{r, 70, "saw 23 of 61 · 4 cut · 1 repaired · 1,912 in / 301 out · $0.004"},
		{r, 50, "saw 23 of 61 · 1,912 in / 301 out · $0.004"},
		{r, 40, "1,912 in / 301 out · $0.004"},
		{r, 10, "1,912 in …"},
		{unread, 80, "saw 7 of 7 · server read 4,096 of ~6,753 / 12 out"},
		{quiet, 80, "~29 tokens"},
	} {
		if got := receiptLine(c.r, 20, c.w); got != c.want {
			t.Errorf("in %d cells: %q, want %q", c.w, got, c.want)
		}
	}
}

// drags is what is copied by dragging from the beginning of one text on the screen to the end of another.
func (s *stage) drags(from, to string) string {
	at := func(text string) (x, y int) {
		for y, line := range s.View() {
			if before, _, ok := strings.Cut(ansi.Strip(line), text); ok {
				return ansi.StringWidth(before), y
			}
		}
		return -1, -1
	}
	s.copied = ""
	s.MouseDown(at(from))
	x, y := at(to)
	s.MouseDrag(x+ansi.StringWidth(to)-1, y)
	s.MouseUp()
	return s.copied
}

func TestDraggingCopiesWhatIsDrawn(t *testing.T) {
	s := shown(64, 60, []store.Message{
		message(history.User, "How do I parse this grammar, which is left-recursive and long enough to be wrapped?"),
		message(history.Assistant, "Rewrite **the rule** as a loop:\n\n1. factor *it*\n2. stop\n\n```go\n汉字 := 1\n```"),
	}, nil)
	for _, c := range []struct{ from, to, want string }{
		{"How", "grammar", "How do I parse this grammar"},
		{"left", "wrapped", "left-recursive and\nlong enough to be wrapped"},
		{"the rule", "loop", "the rule as a loop"},
		{"wrapped", "the rule", "wrapped?\n\nRewrite the rule"}, // without the name between them
		{"汉字", "汉字", "汉字"},
		{"gpt", "5.2", "gpt-5.2"},
	} {
		if got := s.drags(c.from, c.to); got != c.want {
			t.Errorf("from %q to %q: got %q, want %q", c.from, c.to, got, c.want)
		}
	}
	s.ShowFailure(record.FailedTurn{After: 2, TurnFault: record.TurnFault{What: "It failed", Words: "the runner has stopped"}})
	if got, want := s.drags("It", "stopped"), "It failed\n“the runner has stopped"; got != want {
		t.Errorf("of a failure %q is copied, want %q", got, want)
	}
	x := ansi.StringWidth("  ▌ ")
	s.MouseDown(x, 1)
	s.MouseDrag(x+2, 1)
	if line := s.View()[1]; !strings.Contains(line, "\x1b[7mHow\x1b[m") {
		t.Errorf("the selection is drawn as %q", line)
	}
	s.MouseDown(x, 1)
	if _, clicked := s.MouseUp(); !clicked {
		t.Error("a press without a way is no click")
	}
	short := shown(60, 20, []store.Message{message(history.User, "one line")}, nil)
	if short.MouseDown(x, 15); short.Dragging() {
		t.Error("a press below the last message holds something")
	}
}

func TestTheLastCodeBlockIsCopiedAndThenTheOneBefore(t *testing.T) {
	s := shown(60, 20, []store.Message{
		message(history.Assistant, "```\nx\n```\n~~~~\n```\nsame\n~~~~\n~~~~\n```\nsame\n~~~~"),
		message(history.Assistant, "```\nother\n```\n~~~~\n```\nsame\n~~~~"),
		message(history.User, "no code"),
	}, nil)
	for _, c := range []struct {
		message int64
		want    string
	}{{1, "```\nsame"}, {1, "```\nsame"}, {1, "x"}, {1, "```\nsame"}, {2, "```\nsame"}, {2, "other"}} {
		s.GoTo(c.message)
		if s.CopyCommand("code"); s.copied != c.want {
			t.Errorf("of message %d %q is copied, want %q", c.message, s.copied, c.want)
		}
	}
	s.GoTo(3)
	if s.CopyCommand("code"); s.said != "This message has no code block." {
		t.Errorf("without code it says %q", s.said)
	}
}
