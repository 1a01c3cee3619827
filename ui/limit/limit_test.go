package limit

import (
	"testing"

	"winnow/llm/pricing"
	"winnow/session"
	"winnow/session/limits"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

func aboveALimit() Model {
	l := limits.Limits{Request: limits.Amount{Cost: pricing.Dollar / 4}}
	return Of(session.OverLimit{Over: l.Check(limits.Spent{}, limits.Estimate{
		Tokens: 12_000, Cost: pricing.Cost{Amount: 42 * pricing.Dollar / 100, From: pricing.Estimated},
	})})
}

func TestNothingIsAnsweredBeforeTheUserChooses(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want Event
	}{
		{[]string{"enter"}, Unchosen{}},
		{[]string{"y"}, Other{}},
		{[]string{"n"}, Other{}},
		{[]string{"space"}, Other{}},
		{[]string{"down", "enter"}, Decided{limits.No}}, // the safe answer is the first
		{[]string{"up", "enter"}, Decided{limits.No}},
		{[]string{"down", "down", "enter"}, Decided{limits.Once}},
		{[]string{"down", "down", "down", "down", "enter"}, Decided{limits.Raise}},
		{[]string{"down", "down", "up", "enter"}, Decided{limits.No}},
		{[]string{"esc"}, Decided{limits.No}},
	} {
		m := aboveALimit()
		var got Event
		for _, key := range c.keys {
			m, got = m.Update(keymap.Default(), uitest.Key(key))
		}
		if got != c.want {
			t.Errorf("%v: got %#v, want %#v", c.keys, got, c.want)
		}
	}
}

func TestAClickChoosesAndASecondOneAnswers(t *testing.T) {
	m := aboveALimit()
	const lines = 5 // two of the sentence, three of the answers
	if _, e := m.Clicked(0, lines); e != nil {
		t.Errorf("a click on the sentence is %#v", e)
	}
	m, e := m.Clicked(3, lines)
	if e != nil {
		t.Errorf("the first click is %#v", e)
	}
	if _, e = m.Clicked(3, lines); e != (Decided{limits.Once}) {
		t.Errorf("the second click is %#v", e)
	}
}

func TestScreens(t *testing.T) {
	st := theme.New(theme.None, theme.Palette{}, 0)
	m := aboveALimit()
	moved, _ := m.Update(keymap.Default(), uitest.Key("down"))
	summary := m
	summary.asked.For = store.ForSummary
	unknown := Of(session.OverLimit{Over: limits.Over{Unknown: true}})
	var screens uitest.Screens
	screens.Add("nothing is chosen", m.View(st, 60, m.Height(60)))
	screens.Add("the safe answer is chosen", moved.View(st, 60, m.Height(60)))
	screens.Add("narrow and low", moved.View(st, 40, 4))
	screens.Add("a summary", summary.View(st, 60, summary.Height(60)))
	screens.Add("the price is not known", unknown.View(st, 60, 6))
	screens.Golden(t)
}
