package transcript

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/uitest"
)

// all is all lines of a transcript, drawn on a screen with room for them, and the line that is at the top of the screen.
func (s *stage) all() (lines []string, top int) {
	for i := range s.rows() {
		if i == s.top {
			top = len(lines) + s.line
		}
		lines = append(append(lines, s.block(i).lines...), make([]string, s.gap(i))...)
	}
	return lines, top
}

// Whatever happens, the screen is a part of all lines; scrolling goes through them line by line, and what happens
// elsewhere moves nothing on it, unless the end is followed.
func TestTheScreenIsAPartOfAllLines(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{
		"word", "a longer one", "\n\n", "\n- item", "\n```\ncode\n```\n", "**bold**", "汉字",
	}), 0, 60)
	rapid.Check(t, func(t *rapid.T) {
		s := staged(60, 12)
		say := func(id int64) store.Message {
			m := message(rapid.SampledFrom([]history.Role{history.User, history.Assistant, history.Tool}).Draw(t, "role"),
				strings.Join(words.Draw(t, "words"), " "))
			m.ID = id
			return m
		}
		first, next := int64(1000), int64(1000)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			before, top := s.all()
			newer, place := s.Newer(), [2]int64{0, int64(s.line)}
			if s.rows() > 0 {
				place[0] = s.id(s.top)
			}
			stays := true
			op := rapid.IntRange(0, 7).Draw(t, "op")
			switch op {
			case 0:
				s.Add(say(next), record.Receipt{})
				next++
			case 1:
				s.Stream(strings.Join(words.Draw(t, "more"), " "), "")
			case 2:
				first--
				s.Prepend(branch.Branch{}.With(say(first)).With(all(s.Messages)...), nil)
			case 3:
				n := rapid.IntRange(-20, 20).Draw(t, "lines")
				s.Scroll(n)
				last := max(0, len(before)-1-s.height)
				if lines, now := s.all(); len(lines) > s.height && now != max(0, min(top+n, last)) {
					t.Fatalf("scrolled from line %d by %d to %d of %d", top, n, now, last)
				}
				stays = false
			case 4:
				s.Resize(rapid.IntRange(20, 100).Draw(t, "width"), rapid.IntRange(1, 30).Draw(t, "height"), 2)
				stays = false
			case 5:
				s.step(rapid.IntRange(-3, 3).Draw(t, "step"))
				s.Expand()
				stays = false
			case 6:
				s.Bottom()
				if !s.follow || s.Newer() != 0 {
					t.Fatalf("at the end %d are newer", s.Newer())
				}
				stays = false
			case 7:
				if s.arrives() {
					answer := message(history.Assistant, s.answer.Text())
					answer.ID = next
					s.Answer(answer, record.Receipt{})
					next++
					stays = false
				}
			}
			lines, at := s.all()
			screen := s.View()
			for y, line := range screen {
				want := ""
				if at+y < len(lines) {
					want = strings.TrimSpace(ansi.Strip(lines[at+y]))
				}
				if !strings.Contains(ansi.Strip(line), want) {
					t.Fatalf("line %d is %q, want %q", y, line, want)
				}
			}
			if stays && newer > 0 && s.Newer() > 0 && (s.id(s.top) != place[0] || int64(s.line) != place[1]) {
				t.Fatalf("after op %d the screen begins at %d line %d, before at %v", op, s.id(s.top), s.line, place)
			}
		}
	})
}

func all(b branch.Branch) (list []store.Message) {
	for i := range b.Len() {
		m, _ := b.Message(i)
		list = append(list, m)
	}
	return list
}

func TestTheStoredAnswerTakesThePlaceOfTheOneThatArrived(t *testing.T) {
	s := staged(60, 20)
	s.Name = "gpt"
	s.Stream("# Hi\n\nsome **te", "")
	s.GoTo(arriving)
	s.Stream("xt**", "")
	m := message(history.Assistant, "# Hi\n\nsome **text**")
	m.ID, m.Request, m.Model = 7, 1, "gpt"
	s.Answer(m, record.Receipt{Tally: store.Tally{Stored: 1, Kept: 1}, Expected: 9, Estimate: 9})
	got := strings.TrimSpace(uitest.Plain(s.View()))
	if want := "▌ ● gpt\n▌   Hi\n▌\n▌   some text\n▌   ~13 tokens"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAnAnswerThatIsNotStoredSaysSo(t *testing.T) {
	s := staged(60, 20)
	s.Stream("Half an answer", "")
	s.Settle()
	if page := uitest.Plain(s.View()); !strings.Contains(page, "Half an answer\n    ✗ not saved") {
		t.Errorf("the page is\n%s", page)
	}
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
	s.Judge(history.Plan{Entries: kept}, 0)
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
			s.Expand()
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
		s.Stream(piece, "")
		text += piece
		lines := s.block(0).lines
		if last := ansi.Strip(lines[len(lines)-1]); strings.HasPrefix(last, "┄┄┄ ") {
			t.Fatalf("at %d bytes the last line is %q", len(text), last)
		}
	}
	tall := len(s.block(0).lines)
	m := message(history.Assistant, text)
	m.ID = 1
	s.Answer(m, record.Receipt{})
	if got := len(s.block(0).lines); got != tall {
		t.Errorf("stored it has %d lines, before %d", got, tall)
	}
	s.Resize(90, 40, 2)
	if got := len(s.block(0).lines); got >= tall {
		t.Errorf("at another width %d lines are %d", tall, got)
	}
}

// A failure stands behind what was stored before its request, and says what, why and the ways out, one a line.
func TestFailures(t *testing.T) {
	s := shown(70, 30, []store.Message{message(history.User, "First"), message(history.User, "Second")}, nil)
	f := record.Failure{User: 1, Request: 7, Turn: 1, Tries: 2, Fault: record.Fault{
		What: "here refused the request", Words: "the runner has stopped", Status: 500, Host: "localhost", Free: true,
	}}
	s.TurnFailed(f)
	f.User, f.Request = 2, 8
	s.TurnFailed(f)
	s.TurnFailed(f)
	failed := `
  ✗ here refused the request                        500 from localhost
    “the runner has stopped”
    Tried 2 times. Your message is saved. Nothing was charged.
`
	want := "\n    First\n" + failed + "\n    Second\n" + failed +
		"    /retry try again\n    ctrl+l another model\n    /doctor find the cause\n"
	got := uitest.Plain(s.View())
	got = strings.ReplaceAll(strings.ReplaceAll(got, "    you\n", ""), "  ▌ ", "    ")
	if !strings.HasPrefix("\n"+got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s.GoTo(2)
	if request, _, ok := s.RequestOf(); !ok || request != 8 {
		t.Errorf("the request of the message is %d", request)
	}
}
