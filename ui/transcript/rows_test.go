package transcript

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// all are all lines of the transcript without what is put together for each frame, and which of them is the first one
// on the screen.
func (s *stage) all() (lines []string, top int) {
	for i := range s.rows() {
		if i == s.top {
			top = len(lines) + s.line
		}
		lines = append(append(append(lines, ""), s.block(i).lines[1:]...), make([]string, s.gap(i))...)
	}
	return lines, top
}

// anyText, anyMessage and anyEntry are of every kind that changes how a row is drawn.
func anyText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
		"word", "a longer one", "\n\n", "\n- item\n  - deeper\n", "**bold**", "汉字", strings.Repeat("x", 300),
		"👩‍👩‍👧 ZWJ 👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽", "שלום עולם, العربية", "\u202e\x1b[31m\a", "e\u0301\u0301 a\u200b", "\n# Heading\n",
		"\n```go\n" + strings.Repeat("line := of(code) // and more of it, until it is long\n", 20) + "```\n",
		"\n| a | b |\n|---|---|\n| " + strings.Repeat("cell ", 30) + "| b |\n",
	}), 0, 30).Draw(t, "words"), " ")
}

func anyMessage(t *rapid.T, id int64) store.Message {
	text := anyText(t)
	m := message(rapid.SampledFrom([]history.Role{
		history.User, history.Assistant, history.Tool, history.System, "strange \x1b[31m",
	}).Draw(t, "role"), text)
	m.ID, m.Siblings, m.Sibling = id, 3, 2
	m.Reasoning = rapid.SampledFrom([]string{"", "汉字 reasoning\nof two lines"}).Draw(t, "reasoning")
	m.Model = rapid.SampledFrom([]string{"gpt-5.2", "汉字-👩‍👩‍👧/" + strings.Repeat("模型", 20), ""}).Draw(t, "model")
	m.Request = int64(rapid.IntRange(0, 1).Draw(t, "request"))
	m.Status = rapid.SampledFrom([]history.Status{
		history.Complete, history.Interrupted, history.Failed, history.Quarantined,
	}).Draw(t, "status")
	if m.Role == history.Assistant && rapid.Bool().Draw(t, "calls") {
		m.ToolCalls = []history.ToolCall{
			{ID: "1", Name: "read_" + text[:min(9, len(text))], Arguments: text}, {Name: "b", Arguments: `{"a":"b","c":[1]}`},
		}
	}
	return m
}

func anyEntry(t *rapid.T, m store.Message) history.Entry {
	e := history.Entry{ID: m.ID, Role: m.Role, Disposition: rapid.SampledFrom([]history.Disposition{
		history.Kept, history.Cut, history.Dropped, history.Excluded,
	}).Draw(t, "disposition")}
	if n := len([]rune(m.Content)); e.Disposition == history.Cut && n > 2 {
		from := rapid.IntRange(0, n-1).Draw(t, "from")
		e.Cuts = []history.CharRange{{From: from, To: rapid.IntRange(from, n).Draw(t, "to")}}
		e.Inserted, e.CharsBefore, e.CharsAfter = []history.Insertion{{At: from, Text: " ... [汉字 cut]"}}, n, from
	}
	return e
}

// Whatever happens, the screen is a part of all lines, and none is too wide; scrolling goes through them line by line,
// and what happens elsewhere moves nothing on it, unless the end is followed.
func TestTheScreenIsAPartOfAllLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := staged(60, 12)
		first, next := int64(1000), int64(1000)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			before, top := s.all()
			newer, place := s.RowsBelow(), [2]int64{s.id(s.top), int64(s.line)}
			op := rapid.IntRange(0, 9).Draw(t, "op")
			switch op {
			case 0:
				tally := store.VerdictCounts{Stored: 9, Of: map[history.Disposition]int{"kept": 3, "cut": 2}}
				s.Add(anyMessage(t, next), record.Receipt{VerdictCounts: tally, Estimate: 9})
				next++
			case 1:
				s.AddDelta(anyText(t), "")
			case 2:
				first--
				s.Prepend(branch.Branch{}.Append(anyMessage(t, first)).Append(all(s.Messages)...), nil)
			case 3:
				n := rapid.IntRange(-20, 20).Draw(t, "lines")
				s.Scroll(n)
				last := max(0, len(before)-1-s.height)
				if lines, now := s.all(); len(lines) > s.height && now != max(0, min(top+n, last)) {
					t.Fatalf("scrolled from line %d by %d to %d of %d", top, n, now, last)
				}
			case 4:
				s.Resize(rapid.IntRange(20, 130).Draw(t, "width"), rapid.IntRange(1, 30).Draw(t, "height"), 2)
			case 5:
				s.step(rapid.IntRange(-3, 3).Draw(t, "step"))
				s.ToggleExpanded()
				s.ShowReasoning(!s.ShowsReasoning)
			case 6:
				s.GotoBottom()
				if !s.followEnd || s.RowsBelow() != 0 {
					t.Fatalf("at the end %d are newer", s.RowsBelow())
				}
			case 7:
				if s.streaming() {
					answer := message(history.Assistant, s.answer.Text())
					answer.ID = next
					s.AnswerStored(answer, record.Receipt{})
					next++
				}
			case 8:
				var plan history.Plan
				for _, m := range all(s.Messages) {
					plan.Entries = append(plan.Entries, anyEntry(t, m))
				}
				s.SetPlan(plan, 0)
			case 9:
				s.ShowFailure(record.FailedTurn{After: first, Request: 7, TurnFault: record.TurnFault{
					What: strings.Repeat("x", 99), Words: strings.Repeat("汉字", 200),
				}})
			}
			screen := s.View()
			lines, at := s.all()
			if end := at + s.height; s.followEnd && end < len(lines)-1 {
				t.Fatalf("the end is followed, and line %d of %d is the last one on the screen", end, len(lines))
			}
			if len(screen) != s.height {
				t.Fatalf("%d lines, want %d", len(screen), s.height)
			}
			for y, line := range screen {
				want := ""
				if at+y < len(lines) {
					want = strings.TrimSpace(ansi.Strip(lines[at+y]))
				}
				if !strings.Contains(ansi.Strip(line), want) || ansi.StringWidth(line) > s.width {
					t.Fatalf("line %d is %q, want %q in at most %d cells", y, line, want, s.width)
				}
			}
			// A newer message may shorten the row that is first on the screen: it is shown as it is sent, or has no
			// ways out.
			steady := op <= 2 && len(s.Plan.Entries)+len(s.failed) == 0
			if now := [2]int64{s.id(s.top), int64(s.line)}; steady && newer > 0 && s.RowsBelow() > 0 && now != place {
				t.Fatalf("after op %d the screen begins at %v, before at %v", op, now, place)
			}
		}
	})
}

func all(b branch.Branch) []store.Message {
	list, _ := b.All(context.Background())
	return list
}

// A verdict that changes the lines of a message above the screen moves nothing on it.
func TestAVerdictAboveTheScreenMovesNothing(t *testing.T) {
	t.Parallel()
	messages, entries := parser()
	s := shown(72, 20, messages, entries)
	s.ScrollTo(6)
	before := s.View()
	kept := slices.Clone(entries)
	for i := range 5 {
		kept[i] = history.Entry{ID: entries[i].ID, Index: i, Role: entries[i].Role, Disposition: history.Kept}
	}
	s.SetPlan(history.Plan{Entries: kept}, 0)
	if after := s.View(); !slices.Equal(before, after) {
		t.Errorf("the screen was\n%s\nand is\n%s", uitest.Plain(before), uitest.Plain(after))
	}
	s.ScrollTo(1)
	if text := uitest.Plain(s.View()); strings.Contains(text, "truncated") || strings.Contains(text, "sees from here") {
		t.Errorf("what is sent whole is shown as cut:\n%s", text)
	}
}

// Of ten megabytes a frame draws the beginning, and says how much is not shown.
func TestAVeryLongMessageShowsItsBeginning(t *testing.T) {
	for _, line := range []string{"some words and more of them\n\n", "x", "\xff", "👩‍👩‍👧 "} {
		text := strings.Repeat(line, 10_000_000/len(line))
		reasons := message(history.Assistant, "Yes.")
		reasons.Reasoning = text
		for name, m := range map[string]store.Message{
			"what the user said": message(history.User, text), "an answer": message(history.Assistant, text),
			"a tool's output": message(history.Tool, text), "reasoning": reasons,
		} {
			s := shown(100, 40, []store.Message{m}, nil)
			s.ShowReasoning(true)
			s.selectRow(0)
			s.ToggleExpanded()
			size, page := 0, ansi.Strip(strings.Join(s.block(0).lines, "\n"))
			for _, drawn := range s.block(0).lines {
				size += len(drawn)
			}
			if most := 8 * maxShown; size > most || !strings.Contains(page, " more   enter reads it   y copies all") {
				t.Errorf("%s of %.12q is drawn as %d bytes, want at most %d; it ends\n%s", name, line, size, most,
					page[max(0, len(page)-200):])
			}
		}
	}
}

// An answer is shown to its end while it arrives, and stays so when it is stored.
func TestAVeryLongAnswerArrives(t *testing.T) {
	s := staged(100, 40)
	piece := strings.Repeat("It goes on and on.\n\n", 500)
	text := ""
	for len(text) < 16*maxShown {
		s.AddDelta(piece, "")
		text += piece
		lines := s.block(0).lines
		if last := ansi.Strip(lines[len(lines)-1]); strings.HasPrefix(last, "┄┄┄ ") {
			t.Fatalf("at %d bytes the last line is %q", len(text), last)
		}
	}
	tall := len(s.block(0).lines)
	m := message(history.Assistant, text)
	m.ID = 1
	s.AnswerStored(m, record.Receipt{})
	if got := len(s.block(0).lines); got != tall {
		t.Errorf("stored it has %d lines, before %d", got, tall)
	}
	s.Resize(90, 40, 2)
	if got := len(s.block(0).lines); got >= tall {
		t.Errorf("at another width %d lines are %d", tall, got)
	}
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
		st := theme.New(theme.Dark, theme.BuiltInPalettes()[theme.Dark], 0)
		s.Themes.Styles = st
		s.Restyle()
		folded := uitest.Plain(s.block(0).lines)
		cmd := s.SearchFor(rapid.SampledFrom([]string{"ab", "Ab", "a b", "日", "b c"}).Draw(t, "needle"))
		s.run(cmd)
		for range s.Search.hits {
			marked, _, _ := strings.Cut(st.CurrentMatch.Render("x"), "x")
			if page := strings.Join(s.View(), "\n"); !strings.Contains(page, marked) {
				t.Fatalf("hit %d is not on the screen:\n%s", s.Search.current, page)
			}
			s.nextHit(1)
		}
		s.Blur()
		if s.EndSearch(); uitest.Plain(s.block(0).lines) != folded {
			t.Fatal("what the search unfolded stays open")
		}
	})
}

// A hit in what is not shown is the line that stands for it.
func TestAHitBehindTheBeginning(t *testing.T) {
	text := strings.Repeat("nothing here\n", 10_000) + "the walrus"
	s := shown(100, 40, []store.Message{message(history.User, text), message(history.User, "after")}, nil)
	s.run(s.SearchFor("walrus"))
	if page := uitest.Plain(s.View()); !strings.Contains(page, "┄┄┄ ") {
		t.Errorf("want the line with what is left:\n%s", page)
	}
}

// Opening a chat reads its receipts while a message may already be sent and answered.
func TestReceiptsFromTheStoreDoNotReplaceNewerOnes(t *testing.T) {
	answer := message(history.Assistant, "Done.")
	answer.Request = 7
	s := shown(100, 10, []store.Message{answer}, nil)
	s.Prepend(branch.Branch{}, map[int64]record.Receipt{7: {Estimate: 4870}})
	if page := uitest.Plain(s.View()); !strings.Contains(page, "$0.0074") {
		t.Errorf("the receipt lost its cost:\n%s", page)
	}
}
