package transcript

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// grammar is a transcript of five messages, of which the model does not see the first.
func grammar(w, h int) *stage {
	var messages []store.Message
	var entries []history.Entry
	for i, text := range []string{
		"How do I parse this?", "Rewrite the rule.", "Which rule?", "The first rule of the grammar.", "Thanks.",
	} {
		messages = append(messages, message([]history.Role{history.User, history.Assistant}[i%2], text))
		entries = append(entries, history.Entry{Disposition: history.Kept, TokensBefore: 10, TokensAfter: 10})
	}
	entries[0].Disposition, entries[0].TokensAfter = history.Dropped, 0
	s := shown(w, h, messages, entries)
	s.Next = s.Plan
	s.Enter()
	return s
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
		{[]string{"ctrl+o"}, "This message has nothing to expand.", ""},
		{[]string{"q"}, "q does nothing in the transcript; esc goes to the draft, ? lists the keys.", ""},
		{[]string{"p"}, "", keymap.Pin},
		{[]string{"/", "z", "enter"}, "No match in this chat; esc ends the search.", ""},
	} {
		s := grammar(60, 12).press(c.keys...)
		if s.said != c.said || s.did != c.did {
			t.Errorf("%v: says %q and does %q, want %q and %q", c.keys, s.said, s.did, c.said, c.did)
		}
	}
	if m, _ := grammar(60, 12).press("'").Selected(); m.ID != 2 {
		t.Errorf("the model sees from message %d, want 2", m.ID)
	}
}

func TestScreens(t *testing.T) {
	var screens uitest.Screens
	for _, c := range []struct {
		name string
		w, h int
		keys []string
	}{
		{"a chat", 60, 12, nil},
		{"a narrow one", 30, 12, nil},
		{"a selection", 60, 12, []string{"g", "space", "space"}},
		{"a search", 60, 12, []string{"g", "/", "r", "u", "l", "e"}},
	} {
		s := grammar(c.w, c.h).press(c.keys...)
		line, _ := s.SearchLine(c.w, "")
		screens.Add(c.name, append(s.View(), line))
	}
	screens.Golden(t)
}

func TestASearchIsLiteral(t *testing.T) {
	for _, c := range []struct {
		needle, text string
		want         [][]int
	}{
		{"parse", "Parse it, then PARSE it", [][]int{{0, 5}, {15, 20}}},
		{"Parse", "Parse it, then PARSE it", [][]int{{0, 5}}},
		{"two words", "two\n  words two words twowords", [][]int{{0, 11}, {12, 21}}},
		{"ärger", "ÄRGER", [][]int{{0, 6}}},
		{"a.c", "abc a.c", [][]int{{4, 7}}},
	} {
		if got := patternOf(c.needle).FindAllStringIndex(c.text, -1); !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%q in %q: got %v, want %v", c.needle, c.text, got, c.want)
		}
	}
	if patternOf(" ") != nil {
		t.Error("a blank is searched for")
	}
}

// Every hit of random texts at random sizes is on the screen when the user is at it, and marked, also where it is
// wrapped or folded. What was unfolded for it is folded again.
func TestEveryHitIsReached(t *testing.T) {
	word := rapid.SampledFrom([]string{"ab", "abab", "a b", "Ab", "c", "cab\n", "\n\n", "日本", "x\ty"})
	rapid.Check(t, func(t *rapid.T) {
		var messages []store.Message
		for range rapid.IntRange(1, 6).Draw(t, "messages") {
			role := rapid.SampledFrom([]history.Role{history.User, history.Tool, history.Assistant}).Draw(t, "role")
			m := message(role, strings.Join(rapid.SliceOfN(word, 0, 80).Draw(t, "words"), " "))
			if role == history.Assistant {
				m.ToolCalls = []history.ToolCall{{Name: "find", Arguments: m.Content}}
				m.Content = ""
			}
			messages = append(messages, m)
		}
		s := shown(rapid.IntRange(24, 70).Draw(t, "w"), rapid.IntRange(1, 20).Draw(t, "h"), messages, nil)
		st := theme.New(theme.Dark, theme.BuiltIn()[theme.Dark], 0)
		s.Themes.Styles = st
		s.Restyle()
		folded := uitest.Plain(s.block(0).lines)
		cmd := s.SearchFor(rapid.SampledFrom([]string{"ab", "Ab", "a b", "日", "b c"}).Draw(t, "needle"), false)
		s.run(cmd)
		for range s.Search.hits {
			if page := strings.Join(s.View(), "\n"); !strings.Contains(page, strings.Split(st.Hit.Render("x"), "x")[0]) {
				t.Fatalf("hit %d is not on the screen:\n%s", s.Search.current, page)
			}
			s.nextHit(1)
		}
		s.Leave()
		if s.EndSearch(); uitest.Plain(s.block(0).lines) != folded {
			t.Fatal("what the search unfolded stays open")
		}
	})
}

// A hit in what is not shown is the line that stands for it.
func TestAHitBehindTheBeginning(t *testing.T) {
	text := strings.Repeat("nothing here\n", 10_000) + "the walrus"
	s := shown(100, 40, []store.Message{message(history.User, text), message(history.User, "after")}, nil)
	s.run(s.SearchFor("walrus", false))
	if page := uitest.Plain(s.View()); !strings.Contains(page, "┄┄┄ ") {
		t.Errorf("want the line with what is left:\n%s", page)
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
	s.Press(at(from))
	x, y := at(to)
	s.Drag(x+ansi.StringWidth(to)-1, y)
	s.Release()
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
	s.TurnFailed(record.Failure{After: 2, Fault: record.Fault{What: "It failed", Words: "the runner has stopped"}})
	if got, want := s.drags("It", "stopped"), "It failed\n“the runner has stopped"; got != want {
		t.Errorf("of a failure %q is copied, want %q", got, want)
	}
	x := ansi.StringWidth("  ▌ ")
	s.Press(x, 1)
	s.Drag(x+2, 1)
	if line := s.View()[1]; !strings.Contains(line, "\x1b[1;7mHow\x1b[m") {
		t.Errorf("the selection is drawn as %q", line)
	}
	s.Press(x, 1)
	if _, clicked := s.Release(); !clicked {
		t.Error("a press without a way is no click")
	}
}

func TestTheLastCodeBlockIsCopiedAndThenTheOneBefore(t *testing.T) {
	text := "one\n```go\na\n```\ntwo\n~~~~\nb\n```\nc\n~~~~\nend"
	s := shown(60, 20, []store.Message{message(history.Assistant, text), message(history.User, "no code")}, nil)
	for _, want := range []string{"b\n```\nc", "a", "b\n```\nc"} {
		if s.CopyText("code"); s.copied != want {
			t.Errorf("got %q, want %q", s.copied, want)
		}
	}
	s.GoTo(2)
	if s.CopyText("code"); s.said != "This message has no code block." {
		t.Errorf("without code it says %q", s.said)
	}
}
