package panel

import (
	"testing"

	"winnow/history"
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
	var p Model
	p.Set(plan, nil, func(id int64) string {
		return map[int64]string{1: "Our grammar is left-recursive.", 2: "The usual cure is a loop.", 3: "Never touch generated files.", 4: "Understood."}[id]
	})
	return p
}

func TestTheCursorStaysAtTheEndUntilItIsMoved(t *testing.T) {
	p := planned()
	if e := p.Chosen().Entry; e == nil || e.ID != 4 {
		t.Fatalf("the cursor begins on %+v, want the newest message", e)
	}
	p.Move(-2)
	p.Set(p.Next.Plan, nil, p.Next.texts)
	if e := p.Chosen().Entry; e == nil || e.ID != 2 {
		t.Errorf("with another plan the cursor is on %+v, want it to stay on message 2", e)
	}
}

func TestScreens(t *testing.T) {
	st := theme.New(theme.None, theme.Palette{})
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
