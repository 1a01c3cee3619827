package panel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/history/cause"
	"winnow/llm"
	"winnow/session/record"
	"winnow/ui/keymap"
	"winnow/ui/uitest"
)

// planned is a panel with the plan of a conversation in which each verdict occurs.
func planned() Model {
	plan := history.Plan{
		Entries: []history.Entry{
			{
				ID: 1, Role: history.User, Disposition: history.Dropped, Cause: history.Cause{Text: "over the budget"},
				TokensBefore: 612,
			},
			{
				ID: 2, Index: 1, Role: history.Assistant, Disposition: history.Cut,
				Cause: history.Cause{Text: "an older answer"}, TokensBefore: 577, TokensAfter: 37, CharsBefore: 2310,
				CharsAfter: 150,
			},
			{
				ID: 3, Index: 2, Role: history.User, Disposition: history.Kept, Pinned: true, Whole: true,
				Cause: history.Cause{Text: "pinned by you"}, TokensBefore: 18, TokensAfter: 18,
			},
			{
				ID: 4, Index: 3, Role: history.Assistant, Disposition: history.Kept, Whole: true,
				Cause: history.Cause{Text: "fits"}, TokensBefore: 31, TokensAfter: 31,
			},
		},
		Next: []int{3},
		Sum: history.Sum{
			System: 212, Pinned: 18, Body: 68, Draft: 22, Total: 320, Reserve: 1024, Window: 7556, Limit: 6000,
			Bound: history.BoundWindow, Ratio: 1, Sent: 3, Stored: 4,
		},
	}
	p := Model{Deps: Deps{Keys: keymap.Default(), Text: func(id int64) string {
		return map[int64]string{
			1: "Our grammar is left-recursive.", 2: "The usual cure is a loop.", 3: "Never touch generated files.",
			4: "Understood.",
		}[id]
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
	shown := func() string { return screen(p, 60, 24, true) }
	p.Judge(llm.Window{Tokens: 8192, Source: "the server"})
	if got := shown(); strings.Contains(got, "assuming") {
		t.Errorf("a window that the server said is shown as assumed:\n%s", got)
	}
	p.Judge(llm.Window{Tokens: 8192, Assumed: true})
	if got := shown(); !strings.Contains(got, "Context window unknown; assuming 8,192 (/window to set)") {
		t.Errorf("an assumed window is not shown as one:\n%s", got)
	}
}

func TestPanelCountsInTheServersMeasure(t *testing.T) {
	p := Model{Deps: Deps{Text: noTexts}}
	p.Set(history.Plan{
		Sum: history.Sum{Body: 100, Total: 100, Limit: 400, Ratio: 2, Margin: 0.1, Sent: 1, Stored: 1},
		Entries: []history.Entry{{
			ID: 1, Role: history.User, Disposition: history.Kept, TokensBefore: 100,
			TokensAfter: 100,
		}},
	}, nil)
	got := screen(p, 60, 24, true)
	for _, want := range []string{"messages ~200", "~200 of 400 tokens", "200 free", "●  1 you"} {
		if !strings.Contains(got, want) {
			t.Errorf("the panel lacks %q:\n%s", want, got)
		}
	}
}

func TestContradictedWindowIsShownWithItsKey(t *testing.T) {
	p := Model{Deps: Deps{Text: noTexts}}
	p.Contradict(llm.Window{Tokens: 40_960, Source: "the configuration"}, 4096, "W")
	if want := "The window of 40,960 (the configuration) is too large: the server has 4,096. W uses " +
		"that."; p.wrong != want {
		t.Errorf("got %q, want %q", p.wrong, want)
	}
}

// screen is what the panel shows in w by h cells.
func screen(p Model, w, h int, focused bool) string {
	return ansi.Strip(strings.Join(p.View(plain(), w, h, focused), "\n"))
}

// long is a conversation of sixty messages that is cut in many ways, as the panel shows it beside the page.
func long() Model {
	said := map[int64]string{
		1:  "Our grammar is left-recursive. How do I parse it with recursive descent?",
		44: "And error recovery? One missing brace", 47: "→ read_file grammar/decl.peg",
	}
	plan := history.Plan{
		Next: []int{43, 44}, Sum: history.Sum{
			System: 435, Tools: 60, Draft: 24, Limit: 6000, Budget: 6000, Bound: history.BoundBudget,
			Window: 128_000, Ratio: 1,
		},
	}
	for i := range 61 {
		e := history.Entry{
			ID: int64(i + 1), Index: i, Role: history.User, Disposition: history.Kept, Whole: true,
			Cause: history.Cause{Code: history.CauseFits}, TokensBefore: 30 + i, TokensAfter: 30 + i,
		}
		if i%2 == 1 {
			e.Role = history.Assistant
		}
		switch n := i + 1; {
		case n == 2 || n == 45 || n == 51:
			e.Disposition, e.Whole, e.TokensBefore, e.TokensAfter, e.CharsBefore, e.CharsAfter = history.Cut, false,
				302+n, 44, 1204+n, 150
			e.Cause = history.Cause{Code: cause.AssistantLimit, Have: 150, Want: 1204 + n, Limit: 150}
		case n == 3:
			e.Pinned, e.Cause = true, history.Cause{Code: cause.Pinned}
		case n >= 4 && n <= 39, n == 42, n == 43:
			e.Disposition, e.Whole, e.TokensBefore, e.TokensAfter = history.Dropped, false, 422, 0
			e.Cause = history.Cause{Code: history.CauseOlder}
		case n == 40 || n == 41:
			e.Disposition, e.Recalled, e.Cause = history.Recalled, true, history.Cause{
				Code: cause.SharedWords, Text: "re-parse",
			}
		case n == 48:
			e.Role, e.Repairs = history.Tool, []history.Repair{
				{Kind: "C1", Cause: history.Cause{Code: cause.ResultMissing, Text: "read_file"}},
			}
		}
		plan.Entries = append(plan.Entries, e)
		plan.Sum.Body += e.TokensAfter
		if said[e.ID] == "" {
			said[e.ID] = fmt.Sprintf("Message %d of the chat", e.ID)
		}
	}
	plan.Sum.Total = plan.Sum.System + plan.Sum.Tools + plan.Sum.Draft + plan.Sum.Body
	p := Model{
		Deps: Deps{
			Keys: keymap.Default(), Text: func(id int64) string { return said[id] }, ModelOf: func(int64) string {
				return "openai/gpt-5.2"
			},
		},
	}
	p.Model = "openai/gpt-5.2"
	p.Set(plan, nil)
	p.Forecast.Prefix = record.Prefix{Known: true, Tokens: 2936, IfNextDrops: 675}
	return p
}

func TestScreens(t *testing.T) {
	t.Parallel()
	st := plain()
	var screens uitest.Screens
	onPage := long()
	onPage.OnPage = Range{40, 49}
	onRun, opened := long(), long()
	onRun.GoTo(20, 21)
	opened.GoTo(20, 21)
	opened, _ = opened.Update(uitest.Key("enter"))
	assumed := planned()
	assumed.Judge(llm.Window{Tokens: 8192, Assumed: true})
	for _, c := range []struct {
		name    string
		h       int
		focused bool
		p       Model
	}{
		{"everything fits", 35, false, whole()},
		{"a long chat", 35, false, onPage},
		{"with the focus", 35, true, func() Model { p := long(); p.GoTo(44, 45); return p }()},
		{"on a line of several messages", 35, true, onRun},
		{"which is opened", 35, true, opened},
		{"a window that is assumed", 26, true, assumed},
		{"nothing planned", 6, false, Model{}},
	} {
		screens.Add(c.name, c.p.Pane(st, Width, c.h, c.focused))
	}
	for _, size := range [][2]int{{80, 20}, {40, 12}, {30, 8}, {20, 5}} {
		p := long()
		screens.Add(fmt.Sprintf("instead of the page, %d by %d", size[0], size[1]), p.View(st, size[0], size[1], true))
	}
	screens.Golden(t)
}

// whole is a conversation of which everything fits.
func whole() Model {
	p := long()
	entries := p.Next.Plan.Entries[52:56]
	for i := range entries {
		entries[i].Index = i
	}
	plan := history.Plan{Entries: entries, Sum: history.Sum{
		System: 12, Body: 338, Total: 350, Limit: 120_186,
		Window: 128_000, Bound: history.BoundWindow, Ratio: 1,
	}}
	p.Set(plan, nil)
	return p
}
