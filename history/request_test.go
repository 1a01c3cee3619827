package history

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"pgregory.net/rapid"

	"winnow/history/jsonrepair"
	"winnow/history/message"
)

// These properties look at a plan as a caller has it: the messages of the request, the entries and
// the sum.

// original is the message that an entry judges.
func (s scene) original(e Entry) Message { return slices.Concat(s.past, s.o.Turn)[e.Index] }

// stored is the text of that message, without faults.
func (s scene) stored(e Entry) string { return message.ToValidUTF8(s.original(e).Content) }

// sentText is how an entry says that its message is sent.
func (s scene) sentText(e Entry) string { return replay([]rune(s.stored(e)), e) }

func TestTheCurrentMessageIsSentOnceOrTheSumShowsTheCause(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		p, err := Build(s.past, s.o)
		if n := strings.Count(requestTexts(p), "the current question "); n != 1 {
			t.Fatalf("the current message stands in the request %d times\n%s\n%s", n, requestText(p), s)
		}
		var over *OverBudgetError
		if !errors.As(err, &over) {
			return
		}
		parts := 0
		for _, p := range over.Parts {
			parts += p.Tokens
		}
		if over.Need <= over.Have || over.Need != p.Sum.Used() || over.Have != p.Sum.Limit || parts != over.Need {
			t.Fatalf("%v, and the sum is %d\n%s", err, p.Sum.Total, s)
		}
	})
}

// Where what must be sent fits, there is a request, and it is within the budget.
func TestEveryBudgetForWhatMustBeSentIsKept(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		if s.o.Policy.Strategy == DropNone {
			s.o.Policy.Strategy = DropOldest
		}
		s.o.Policy.Budget = 1
		_, err := Build(s.past, s.o)
		var over *OverBudgetError
		if !errors.As(err, &over) {
			t.Fatalf("with a budget of nothing: %v\n%s", err, s)
		}
		s.o.Policy.Budget = over.Need + rapid.SampledFrom([]int{0, 0, 1, 7, 50, 300}).Draw(t, "spare")
		p, err := Build(s.past, s.o)
		if sum := p.Sum; err != nil || sum.Used() > sum.Limit {
			t.Fatalf("%d tokens must be sent and %d fit: %v, %+v\n%s", over.Need, sum.Limit, err, sum, s)
		}
	})
}

// A cut falls between what a reader sees as characters, makes no text longer and keeps it text.
func TestACutIsCleanWhereACallerSeesIt(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		p, _ := built(t, s)
		for _, e := range p.Entries {
			sent := s.sentText(e)
			if e.Level == LevelOut || e.Disposition != Cut {
				continue
			}
			before := s.stored(e)
			if e.Role == User && len(e.Cuts) > 0 && len(e.Repairs) == 0 && e.CharsBefore <= s.o.Policy.UserMaxChars {
				t.Fatalf("message %d of the user is within its limit and cut: %+v\n%s", e.Index, e, s)
			}
			if !utf8.ValidString(sent) {
				t.Fatalf("message %d is sent as %q\n%s", e.Index, sent, s)
			}
			if e.Role == Tool || len(s.original(e).ToolCalls) > 0 {
				continue // Told as text it is longer than what was said.
			}
			if s.o.Policy.Preset != "classic" && runes(sent) > runes(before)+runes(message.InterruptedSuffix) {
				t.Fatalf("message %d has %d characters and is cut to %d\n%s", e.Index, runes(before), runes(sent), s)
			}
			if len(e.Repairs) > 0 || !strings.Contains(requestTexts(p), sent) {
				continue
			}
			borders := map[int]bool{0: true}
			at := 0
			for g := graphemes.FromString(before); g.Next(); {
				at += runes(g.Value())
				borders[at] = true
			}
			for _, c := range e.Cuts {
				if !borders[c.From] || !borders[c.To] {
					t.Fatalf("message %d is cut from %d to %d, inside a character: %q\n%s", e.Index, c.From, c.To,
						before, s)
				}
			}
		}
	})
}

// Nothing is ever cut out of a call: its arguments are sent as they were repaired, whatever the limits.
func TestCallsAreNeverCut(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		p, _ := built(t, s)
		repaired := map[string]bool{}
		for _, m := range append(slices.Clip(s.past), s.o.Turn...) {
			for _, c := range m.ToolCalls {
				object, _ := jsonrepair.Repair(c.Arguments)
				repaired[object] = true
				for _, one := range jsonrepair.SplitObjects(c.Arguments) {
					object, _ = jsonrepair.Repair(one)
					repaired[object] = true
				}
			}
		}
		for i, m := range p.Messages {
			for _, c := range m.ToolCalls {
				if !repaired[c.Arguments] {
					t.Fatalf("call %s of request message %d is sent with %q\n%s", c.ID, i, c.Arguments, s)
				}
			}
		}
	})
}
