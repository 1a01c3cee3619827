package panel

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/llm"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// planned is a panel with the plan of a conversation in which each verdict occurs.
func planned() Model {
	plan := history.Plan{
		Entries: []history.Entry{
			{ID: 1, Role: history.User, Disposition: history.Dropped, Cause: history.Cause{Text: "over the budget"}, TokensBefore: 612},
			{ID: 2, Index: 1, Role: history.Assistant, Disposition: history.Cut, Cause: history.Cause{Text: "an older answer"}, TokensBefore: 577, TokensAfter: 37, CharsBefore: 2310, CharsAfter: 150},
			{ID: 3, Index: 2, Role: history.User, Disposition: history.Kept, Pinned: true, Whole: true, Cause: history.Cause{Text: "pinned by you"}, TokensBefore: 18, TokensAfter: 18},
			{ID: 4, Index: 3, Role: history.Assistant, Disposition: history.Kept, Whole: true, Cause: history.Cause{Text: "fits"}, TokensBefore: 31, TokensAfter: 31},
		},
		Next: []int{3},
		Sum:  history.Sum{System: 212, Pinned: 18, Body: 68, Draft: 22, Total: 320, Reserve: 1024, Window: 7556, Limit: 6000, Bound: history.BoundWindow, Ratio: 1, Sent: 3, Stored: 4},
	}
	p := Model{Deps: Deps{Keys: keymap.Default(), Text: func(id int64) string {
		return map[int64]string{1: "Our grammar is left-recursive.", 2: "The usual cure is a loop.", 3: "Never touch generated files.", 4: "Understood."}[id]
	}}}
	p.Set(plan, nil)
	return p
}

func TestTheCursorStaysAtTheEndUntilItIsMoved(t *testing.T) {
	p := planned()
	if e := p.Chosen().Entry; e == nil || e.ID != 4 {
		t.Fatalf("the cursor begins on %+v, want the newest message", e)
	}
	p.Move(-2)
	p.Set(p.Next.Plan, nil)
	if e := p.Chosen().Entry; e == nil || e.ID != 2 {
		t.Errorf("with another plan the cursor is on %+v, want it to stay on message 2", e)
	}
}

func noTexts(int64) string { return "" }

func TestPanelShowsAnAssumedWindowAsAssumed(t *testing.T) {
	p := Model{Deps: Deps{Text: noTexts}}
	p.Set(history.Plan{Sum: history.Sum{Limit: 6144, Window: 8192}}, nil)
	shown := func() string {
		return ansi.Strip(strings.Join(p.View(theme.New(theme.None, theme.Palette{}, 0), 60, 20, false), "\n"))
	}
	p.Judge(llm.Window{Tokens: 8192, Source: "the server"})
	if got := shown(); strings.Contains(got, "assuming") {
		t.Errorf("a window that the server said is shown as assumed:\n%s", got)
	}
	p.Judge(llm.Window{Tokens: 8192, Assumed: true})
	if got := shown(); !strings.Contains(got, "context window unknown; assuming 8,192 (/window to set)") {
		t.Errorf("an assumed window is not shown as one:\n%s", got)
	}
}

func TestPanelCountsInTheServersMeasure(t *testing.T) {
	p := Model{Deps: Deps{Text: noTexts}}
	p.Set(history.Plan{
		Sum:     history.Sum{Body: 100, Total: 100, Limit: 400, Ratio: 2, Margin: 0.1, Sent: 1, Stored: 1},
		Entries: []history.Entry{{ID: 1, Role: history.User, Disposition: history.Kept, TokensBefore: 100, TokensAfter: 100}},
	}, nil)
	got := ansi.Strip(strings.Join(p.View(theme.New(theme.None, theme.Palette{}, 0), 60, 20, false), "\n"))
	for _, want := range []string{"history 200", "~200 of 400 · 200 free", " 50 %", "200 "} {
		if !strings.Contains(got, want) {
			t.Errorf("the panel lacks %q:\n%s", want, got)
		}
	}
}

func TestContradictedWindowIsShownWithItsKey(t *testing.T) {
	p := Model{Deps: Deps{Text: noTexts}}
	p.Contradict(llm.Window{Tokens: 40_960, Source: "the configuration"}, 4096, "W")
	if want := "the window of 40,960 (the configuration) is too large: the server has 4,096; W takes that"; p.Doubt != want {
		t.Errorf("got %q, want %q", p.Doubt, want)
	}
}

func TestScreens(t *testing.T) {
	st := theme.New(theme.None, theme.Palette{}, 0)
	var screens uitest.Screens
	for _, c := range []struct {
		name string
		w, h int
		p    Model
	}{
		{"a plan", 44, 22, planned()},
		{"a plan in little room", 30, 8, planned()},
		{"a window that is assumed", 44, 22, func() Model {
			p := planned()
			p.Doubt = "context window unknown; assuming 8,192 (/window to set)"
			return p
		}()},
		{"nothing planned", 44, 6, Model{}},
	} {
		screens.Add(c.name, c.p.View(st, c.w, c.h, true))
	}
	screens.Golden(t)
}
