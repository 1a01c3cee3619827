package panel

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/history/cause"
	"winnow/llm"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// empty is a panel without a plan. What it says goes to said, and what it has the screen do is nothing.
func empty(text func(id int64) string) (p *Model, said *string) {
	said = new(string)
	say := func(text string) tea.Cmd { *said = text; return nil }
	nothing := func() tea.Cmd { return nil }
	return &Model{
		Context: &app.Context{Ref: "openai/gpt-5.2", Shared: &app.Shared{
			Keys: keymap.Default(), Themes: &theme.Selection{Styles: theme.New(theme.None, theme.Palette{}, 0)},
			Say: say, Fail: say, ProgramContext: context.Background,
		}},
		Hooks: Hooks{
			Message: func(id int64) (store.Message, bool) {
				m := store.Message{Model: "openai/gpt-5.2"}
				m.ID = id
				return m, true
			},
			Gist: func(m store.Message) string { return text(m.ID) }, CursorMoved: func() {},
			RequestShown: nothing, VisibleMessages: func() (int, int) { return 0, 0 }, Inspect: nothing,
		},
	}, said
}

// long is a conversation of sixty messages that is cut in many ways, as the panel shows it beside the page.
func long() *Model {
	plan := history.Plan{NextToDrop: []int{43, 44}, Sum: history.TokenSum{
		System: 435, Tools: 60, Draft: 24, Limit: 6000, Budget: 6000, Bound: history.BoundBudget, Window: 128_000,
		Ratio: 1,
	}}
	for i := range 61 {
		e := history.Entry{
			ID: int64(i + 1), Index: i, Role: history.User, Disposition: history.Kept, Whole: true,
			Cause: history.Cause{Code: cause.Fits}, TokensBefore: 30 + i, TokensAfter: 30 + i,
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
			e.Disposition, e.Recalled = history.Recalled, true
			if e.Cause = (history.Cause{Code: cause.SharedWords, Text: "re-parse"}); n == 41 {
				e.Cause = history.Cause{Code: cause.Neighbour}
			}
		case n == 48:
			e.Role = history.Tool
			missing := history.Cause{Code: cause.ResultMissing, Text: "read_file"}
			e.Repairs = []history.Repair{{Kind: "C1", Cause: missing}}
		}
		plan.Entries = append(plan.Entries, e)
		plan.Sum.Body += e.TokensAfter
	}
	plan.Sum.Total = plan.Sum.System + plan.Sum.Tools + plan.Sum.Draft + plan.Sum.Body
	p, _ := empty(func(id int64) string {
		switch id {
		case 1:
			return "Our grammar is left-recursive. How do I parse it with recursive descent?"
		case 44:
			return "And error recovery? One missing brace"
		case 47:
			return "→ read_file grammar/decl.peg"
		}
		return fmt.Sprintf("Message %d of the chat", id)
	})
	p.SetPlan(plan, nil)
	return p
}

// whole is a conversation of which everything fits.
func whole() *Model {
	p := long()
	entries := slices.Clone(p.Next.Plan.Entries[52:56])
	for i := range entries {
		entries[i].Index = i
	}
	p.SetPlan(history.Plan{Entries: entries, Sum: history.TokenSum{
		System: 12, Body: 338, Total: 350, Limit: 120_186, Window: 128_000, Bound: history.BoundWindow, Ratio: 1,
	}}, nil)
	return p
}

// focused is a panel with the keys and its cursor on a message.
func focused(p *Model, index int) *Model {
	p.Focused = true
	p.GoTo(int64(index + 1))
	return p
}

func TestScreens(t *testing.T) {
	var screens uitest.Screens
	onPage, opened, assumed, tight := long(), focused(long(), 20), focused(long(), 60), long()
	onPage.VisibleMessages = func() (int, int) { return 40, 49 }
	opened.Update(uitest.Key("enter"))
	assumed.Window = llm.Window{Tokens: 8192, Assumed: true}
	assumed.Next.Plan.Sum.Bound, assumed.Next.Plan.Sum.Reserve = history.BoundWindow, 1024
	tight.Next.Plan.Sum.Limit = 2200
	nothing, _ := empty(nil)
	for _, c := range []struct {
		name string
		h    int
		p    *Model
	}{
		{"everything fits", 12, whole()},
		{"a long chat", 35, onPage},
		{"with little room left", 20, tight},
		{"with the focus", 35, focused(long(), 44)},
		{"on a line of several messages", 35, focused(long(), 20)},
		{"which is opened", 35, opened},
		{"a window that is assumed", 26, assumed},
		{"nothing planned", 6, nothing},
	} {
		screens.Add(c.name, c.p.Pane(Width, c.h))
	}
	for _, size := range [][2]int{{80, 20}, {40, 12}, {30, 8}} {
		name := fmt.Sprintf("instead of the page, %d by %d", size[0], size[1])
		screens.Add(name, focused(long(), 60).View(size[0], size[1]))
	}
	screens.Golden(t)
}

func TestTheCursorStaysAtTheEndUntilItIsMoved(t *testing.T) {
	p := long()
	if e := p.SelectedRow().Entry; e == nil || e.ID != 61 {
		t.Fatalf("the cursor begins on %+v, want the newest message", e)
	}
	p.MoveCursor(-2)
	p.SetPlan(p.Next.Plan, nil)
	if e := p.SelectedRow().Entry; e == nil || e.ID != 59 {
		t.Errorf("with another plan the cursor is on %+v, want it to stay on message 59", e)
	}
}

func TestTheStripSaysWhatIsSentAndWhatIsNext(t *testing.T) {
	tight, many, over := long(), long(), long()
	tight.Next.Plan.Sum.Limit, many.Next.Plan.Sum.Limit = 2200, 2200
	many.Next.Plan.NextToDrop = []int{0, 1, 2, 5, 7, 9}
	over.SetPlan(over.Next.Plan, &history.OverBudgetError{Need: 7144, Have: 6000})
	nothing, _ := empty(nil)
	for _, c := range []struct {
		p         *Model
		w, margin int
		want      string
	}{
		{tight, 80, 1, "─ sends 23 of 61  ◐ 3 cut  ○ 38 dropped  ↺ 2 recalled ──────── next out 44, 45 ─"},
		{tight, 61, 1, "─ sends 23 of 61  ◐ 3 cut  ○ 38 dropped ─── next out 44, 45 ─"},
		{many, 70, 1, "─ sends 23 of 61  ◐ 3 cut  ○ 38 dropped ────── next out 1–3, 6, 8, … ─"},
		{tight, 40, 1, "─ 23 of 61 · next 44, … ────────────────"},
		{whole(), 60, 2, "── sends 4 of 4 ────────────────────────────────────────────"},
		{over, 60, 2, "── 1,144 tokens too many ───────────────────────────────────"},
		{nothing, 10, 1, "──────────"},
	} {
		if got := ansi.Strip(c.p.DraftRule(c.w, c.margin, true)); got != c.want {
			t.Errorf("in %d cells the strip is\n%s\nwant\n%s", c.w, got, c.want)
		}
	}
}

func TestTheGaugeIsFullOnlyWhereNothingIsFree(t *testing.T) {
	p, _ := empty(nil)
	for _, c := range []struct {
		used, limit int
		want        string
	}{
		{1, 100_000, "~1 / 100,000 ━───────"},
		{5999, 6000, "~5,999 / 6,000 ━━━━━━━─"},
		{6000, 6000, "~6,000 / 6,000 ━━━━━━━━"},
	} {
		p.SetPlan(history.Plan{Sum: history.TokenSum{Total: c.used, Limit: c.limit, Ratio: 1}}, nil)
		if got := ansi.Strip(p.Gauge(true)); got != c.want {
			t.Errorf("%d of %d: got %q, want %q", c.used, c.limit, got, c.want)
		}
	}
}

func TestTheBudgetTurnsInSteps(t *testing.T) {
	for _, c := range []struct {
		set    string
		window int
		want   string
	}{
		{"auto", 4096, "auto 1,000 2,000 4,000 4,096"},
		{"4,096", 4096, "auto 1,000 2,000 4,000 4,096"},
		{"5,312", 9000, "auto 1,000 2,000 4,000 5,312 8,000 9,000"},
	} {
		w := Whatif{Request: Request{Plan: history.Plan{Sum: history.TokenSum{Window: c.window}}}}
		w.dials = []dial{{set: c.set}}
		if got := strings.Join(w.budgets(), " "); got != c.want {
			t.Errorf("set to %s with a window of %d the steps are %s, want %s", c.set, c.window, got, c.want)
		}
	}
}
