package history

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history/cause"
	"winnow/history/message"
)

func built(t *rapid.T, s scene) (Plan, bool) {
	p, err := Build(s.past, s.o)
	var over *OverBudgetError
	if err != nil && !errors.As(err, &over) {
		t.Fatalf("Build: %v\n%s", err, s)
	}
	return p, err == nil
}

// Every message is judged exactly once, and the sums are those of the rows.
func TestEachMessageHasOneVerdictAndTheSumsAddUp(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		p, fits := built(t, s)
		if len(p.Entries) != len(s.past)+len(s.o.Turn) {
			t.Fatalf("%d entries for %d messages\n%s", len(p.Entries), len(s.past)+len(s.o.Turn), s)
		}
		sum := p.Sum
		parts := sum.System + sum.Tools + sum.Pinned + sum.Body + sum.Recalled + sum.Draft + sum.Added + sum.Frame
		rows, added, sent := 0, 0, 0
		for i, e := range p.Entries {
			if e.Index != i || e.Cause.Code == cause.None || e.Cause.Sentence() == "" {
				t.Fatalf("entry %d: index %d, cause %+v\n%s", i, e.Index, e.Cause, s)
			}
			in := e.Disposition == Kept || e.Disposition == Cut || e.Disposition == Recalled
			if in == (e.Level == LevelOut) || in != (e.TokensAfter > 0 || e.CharsAfter > 0 || in) {
				t.Fatalf("entry %d: %+v\n%s", i, e, s)
			}
			if rows += e.TokensAfter; in && i < len(s.past) {
				sent++
			}
		}
		for _, a := range p.Added {
			added += a.Tokens
		}
		if sum.Total != parts || rows != sum.Body+sum.Recalled+sum.Pinned+sum.Draft || added != sum.Added ||
			sent != sum.Sent {
			t.Fatalf("rows %d, added %d, sent %d; sum %+v\n%s", rows, added, sent, sum, s)
		}
		if fits && sum.Used() > sum.Limit {
			t.Fatalf("the request exceeds its limit: %+v\n%s", sum, s)
		}
	})
}

func TestEveryRequestIsValid(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		p, _ := built(t, s)
		if err := validate(p.Messages, s.o.Profile); err != nil {
			t.Fatalf("%v\n%s\n%s", err, requestText(p), s)
		}
		// The pipeline itself must not need its fallbacks.
		plan, _ := NewConversation(s.past, s.o.Count).plan(s.o)
		if err := validate(plan.Messages, s.o.Profile); err != nil {
			t.Fatalf("before any fallback: %v\n%s\n%s", err, requestText(plan), s)
		}
	})
}

func TestTheCurrentMessageStandsLastAndThePromptFirst(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		p, _ := built(t, s)
		last := len(p.Messages) - 1
		for last >= 0 && p.Messages[last].Role != User {
			last--
		}
		if s.o.System != "" && !strings.HasPrefix(p.Messages[0].Content, s.o.System) {
			t.Fatalf("the prompt %q is not first: %q", s.o.System, p.Messages[0].Content)
		}
		current := message.ToValidUTF8(s.o.Turn[0].Content)
		byUser := func(m Message) bool { return m.Role == User }
		if running := s.o.Turn[1:]; slices.ContainsFunc(running, byUser) || s.o.Profile.ToolsAsText && len(running) > 0 {
			return // Results that are sent as text follow it.
		}
		if !strings.HasSuffix(p.Messages[last].Content, current) {
			t.Fatalf("the last user message is %q, want it to end in %q\n%s", p.Messages[last].Content, current, s)
		}
	})
}

// What is pinned is whole, and the opener is there where anything is that is neither pinned nor the question of a
// pinned answer: such a question stands at its limit, whether or not the opener would fit too.
func TestPinnedStaysWholeAndTheOpenerStays(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		b := NewConversation(s.past, s.o.Count).selectFor(s.o)
		p := b.plan()
		opener := -1
		for i, e := range p.Entries[:len(s.past)] {
			if e.Pinned && (!e.Whole && len(e.Repairs) == 0 && e.Cause.Code != cause.PinnedByNote || e.Level != LevelWhole) {
				t.Fatalf("pinned message %d: %+v\n%s", i, e, s)
			}
			if f := s.o.Flags[e.ID]; f == Exclude && e.Disposition != Excluded && e.Disposition != Unreadable &&
				e.Disposition != Blank && e.Disposition != Dropped {
				t.Fatalf("excluded message %d: %+v\n%s", i, e, s)
			}
			sendable := e.Disposition == Kept || e.Disposition == Cut || e.Disposition == Recalled ||
				e.Disposition == Dropped
			if opener < 0 && e.Role == User && sendable && !e.LeftOutByUser() {
				opener = i
			}
		}
		// Pins may use a cap on messages up.
		free := s.o.Policy.MaxMessages == NoLimit || s.o.Policy.MaxMessages > 0 && !slices.Contains(slices.Collect(maps.Values(s.o.Flags)), Pin)
		if !b.over && b.sendsUnpinned() && s.o.Policy.Strategy == DropMiddle && free && opener >= 0 &&
			p.Entries[opener].Level == LevelOut {
			t.Fatalf("history is sent without its opener %d: %+v\n%s%s", opener, p.Entries[opener], planText(p, nil), s)
		}
	})
}

// sendsUnpinned reports whether a request holds more of the history than what pins put there: whole messages, and their
// questions at the limits.
func (b *selection) sendsUnpinned() bool {
	explained := map[int]bool{}
	for i := range b.candidates {
		if b.chosen[i].cause != cause.Pinned {
			continue
		}
		explained[i] = true
		if q := b.questionOf(i); q >= 0 && b.chosen[q].body == short && b.chosen[q].recall == out {
			explained[q] = true
		}
	}
	for i, v := range b.candidates {
		if v.Role != System && b.inRequest(i) && !explained[i] {
			return true
		}
	}
	return false
}

func TestBuildIsDeterministicAndLeavesItsInputAlone(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		past, turn := cloned(s.past), cloned(s.o.Turn)
		first, _ := built(t, s)
		second, _ := NewConversation(cloned(s.past), s.o.Count).Build(s.o)
		if !reflect.DeepEqual(first, second) {
			t.Fatalf("two builds differ\n%s", s)
		}
		if !reflect.DeepEqual(past, s.past) || !reflect.DeepEqual(turn, s.o.Turn) {
			t.Fatalf("the input changed\n%s", s)
		}
	})
}

func cloned(list []Message) []Message {
	list = slices.Clone(list)
	for i := range list {
		list[i].ToolCalls = slices.Clone(list[i].ToolCalls)
		list[i].Parts = slices.Clone(list[i].Parts)
	}
	return list
}

// A larger budget never takes anything away, whichever of the bounds it is. Where a summary may stand for messages it
// can: with more room the summary fits, and takes their place.
func TestMoreBudgetNeverSendsLess(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		if s.o.Policy.Summarizes() {
			s.o.Summaries = nil
		}
		if s.o.Policy.Budget == 0 {
			s.o.Policy.Budget = s.o.Policy.MaxContextTokens
		}
		p := &s.o.Policy
		more := rapid.SampledFrom([]int{1, 2, 10, 100, 700, 4000}).Draw(t, "more")
		bound, raise := "budget", func() { p.Budget += more }
		switch rapid.IntRange(0, 6).Draw(t, "bound") {
		case 1:
			s.o.Window = rapid.IntRange(1, p.Budget).Draw(t, "window")
			bound, raise = "window", func() { s.o.Window += more }
		case 2:
			p.HistoryBudget = rapid.IntRange(1, 500).Draw(t, "history_budget")
			bound, raise = "history_budget", func() { p.HistoryBudget += more }
		case 3:
			p.BudgetChars = rapid.IntRange(1, 5000).Draw(t, "budget_chars")
			bound, raise = "budget_chars", func() { p.BudgetChars += more }
		case 4:
			s.o.Window = rapid.IntRange(2*more, 8000+2*more).Draw(t, "window")
			p.OutputReserve = more + 1
			bound, raise = "output_reserve", func() { p.OutputReserve = 1 }
		case 5:
			s.o.Tools = more
			bound, raise = "tools", func() { s.o.Tools = 0 }
		case 6:
			s.o.Ratio = 1 + float64(more)/100
			bound, raise = "ratio", func() { s.o.Ratio = 1 }
		}
		small, fits := built(t, s)
		if !fits {
			return
		}
		raise()
		large, _ := built(t, s)
		for i := range small.Entries {
			if small.Entries[i].Level > large.Entries[i].Level {
				t.Fatalf("message %d falls from level %d to %d with more room by its %s, %d\nless:\n%smore:\n%s%s", i,
					small.Entries[i].Level, large.Entries[i].Level, bound, more, planText(small, nil), planText(large,
						nil), s)
			}
		}
	})
}

func TestNothingChangesWhileEverythingFits(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		s.o.Policy.Budget, s.o.Policy.MaxMessages = 1<<24, NoLimit
		s.o.Policy.HistoryBudget, s.o.Policy.BudgetChars = 0, 0
		s.o.Policy.SummaryAlways = false
		if !s.o.Policy.Elastic && s.o.Policy.Strategy != DropNone {
			return
		}
		for id, f := range s.o.Flags {
			if f == Exclude {
				delete(s.o.Flags, id)
			}
		}
		p, _ := built(t, s)
		for i, e := range p.Entries {
			if e.Disposition == Cut || e.Disposition == Dropped && e.DroppedByLimit() {
				t.Fatalf("message %d: %+v\n%s", i, e, s)
			}
		}
		for _, a := range p.Added {
			if a.Kind == AddedMarker {
				t.Fatalf("a marker without a gap: %+v\n%s", a, s)
			}
		}
	})
}

// No answer and no tool result stands in the body without the user's message that it answers. A pinned
// answer to an excluded question follows the marker alone.
func TestNoAnswerStandsWithoutItsQuestion(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		c := NewConversation(s.past, s.o.Count)
		b := c.selectFor(s.o)
		p := b.plan()
		pinned, question := b.flagged(b.history, Pin), -1
		for i, v := range b.candidates {
			if v.Role == User {
				question = i
			}
			if v.Role == User || v.Role == System || question < 0 {
				continue
			}
			excluded := b.chosen[question].cause == cause.Excluded
			if b.inBody(i) && !b.inBody(question) && !(excluded && pinned[v.group]) {
				t.Fatalf("message %d is sent without message %d\n%s%s\n%s", v.From+1, b.candidates[question].From+1,
					planText(p, nil), requestText(p), s)
			}
			if e := p.Entries[v.From]; excluded && !v.Placeholder && !pinned[v.group] && !b.flagged(b.history, Exclude)[v.group] &&
				!(e.Cause.Code == cause.QuestionExcluded) {
				t.Fatalf("message %d answers an excluded question and is %+v\n%s", v.From+1, e, s)
			}
		}
	})
}

// What is said to be whole stands in the request, what is recalled in its order.
func TestWhatIsWholeStandsInTheRequest(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		p, _ := built(t, s)
		var all strings.Builder
		for _, m := range p.Messages {
			all.WriteString(m.Content + "\n")
		}
		block := ""
		for _, a := range p.Added {
			if a.Kind == AddedRecalled {
				_, after, begun := strings.Cut(p.Messages[a.Before].Content, recallHead)
				var ended bool
				if block, _, ended = strings.Cut(after, recallTail+separator); !begun || !ended {
					t.Fatalf("the block is not in message %d\n%s\n%s", a.Before, requestText(p), s)
				}
			}
		}
		for i, e := range p.Entries[:len(s.past)] {
			text := message.ToValidUTF8(s.past[i].Content)
			if e.Whole && (!strings.Contains(all.String(), text) && !message.IsBlank(text) || !e.Recalled && e.CharsAfter != e.CharsBefore) {
				t.Fatalf("message %d is not whole: %+v\n%s\n%s", i, e, requestText(p), s)
			}
			// A result that was moved to its call stands there in the block too.
			moved := slices.ContainsFunc(e.Repairs, func(r Repair) bool { return r.Kind == "C10" })
			if e.Recalled && !moved {
				// Behind the message before it, the number is left out.
				label, role := fmt.Sprintf("\n#%d ", i+1), "\n"+string(e.Role)
				_, after, found := strings.Cut(block, label)
				if !found && i > 0 && p.Entries[i-1].Recalled {
					_, after, found = strings.Cut(block, role)
				}
				if !found {
					t.Fatalf("message %d is not in the block, or not in its order\n%s\n%s", i, requestText(p), s)
				}
				block = after
			}
		}
	})
}
