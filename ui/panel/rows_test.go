package panel

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// drawnRequest is a panel with any plan: each verdict, texts that were added, a draft, a limit.
func drawnRequest(t *rapid.T) *Model {
	number := func(name string, most int) int { return rapid.IntRange(0, most).Draw(t, name) }
	plan := history.Plan{Sum: history.TokenSum{
		System: number("system", 900), Tools: number("tools", 900), Frame: number("frame", 90),
		Draft: number("draft", 90), Ratio: rapid.SampledFrom([]float64{1, 2}).Draw(t, "ratio"),
		Limit: rapid.SampledFrom([]int{0, 500, 6000, 1_000_000}).Draw(t, "limit"),
	}}
	s := &plan.Sum
	dispositions := []history.Disposition{
		history.Kept, history.Cut, history.Recalled, history.Dropped, history.Dropped, history.Dropped, history.Dropped,
		history.Excluded, history.Blank, history.Unreadable,
	}
	roles := []history.Role{history.User, history.Assistant, history.Tool, history.System}
	for i := range number("messages", 25) {
		e := history.Entry{
			ID: int64(i + 1), Index: i, Role: rapid.SampledFrom(roles).Draw(t, "role"),
			Disposition: rapid.SampledFrom(dispositions).Draw(t, "verdict"), TokensBefore: number("tokens", 2000),
		}
		if e.Sent() {
			e.TokensAfter = e.TokensBefore
		}
		s.Body += e.TokensAfter
		plan.Entries = append(plan.Entries, e)
	}
	for range number("added", 4) {
		a := history.AddedText{Kind: "marker", At: number("at", len(plan.Entries)), Text: "…", Tokens: number("tokens", 30)}
		plan.Added = append(plan.Added, a)
		s.Added += a.Tokens
	}
	s.Total = s.System + s.Tools + s.Frame + s.Draft + s.Body + s.Added
	p, _ := empty(func(id int64) string { return "message " + strconv.FormatInt(id, 10) })
	p.SetPlan(plan, nil)
	return p
}

// numbers are the numbers in a text.
func numbers(text string) []int {
	var list []int
	for _, s := range regexp.MustCompile(`[0-9][0-9,]*`).FindAllString(text, -1) {
		n, _ := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
		list = append(list, n)
	}
	return list
}

// The numbers on the screen add up: the tokens of the rows, what is fixed and the draft are the total, and the lines
// that stand for several messages say how many.
func TestTheNumbersOfTheRowsAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawnRequest(t)
		r, c := &p.Next, p.columns(44)
		total, messages := r.share("system", "tools", "format")+p.draft(), 0
		for _, row := range r.rows(false) {
			line := []rune(ansi.Strip(p.item(row).Draw(&p.Themes.Styles, c)))
			if tokens := numbers(string(line[c.End-c.Saved-tokensCells : c.End-c.Saved])); len(tokens) > 0 {
				total += tokens[0]
			}
			switch n := numbers(string(line)); {
			case row.Count > 1 && n[1]-n[0]+1 != row.Count:
				t.Fatalf("a row stands for %d messages and says %q", row.Count, string(line))
			default:
				messages += row.Count
			}
		}
		if total != r.Plan.Sum.Used() || messages != len(r.Plan.Entries) {
			t.Fatalf("the rows add up to %d tokens of %d messages, the request has %d of %d", total, messages,
				r.Plan.Sum.Used(), len(r.Plan.Entries))
		}
	})
}

// Every message can be reached with the keys, and the cursor is always on the screen.
func TestEveryMessageCanBeReached(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawnRequest(t)
		p.Focused = true
		h := rapid.IntRange(1, 9).Draw(t, "height")
		p.MoveCursor(-100)
		reached := map[int64]bool{}
		for range 2*len(p.Next.rows(true)) + 2 {
			if p.SelectedRow().Count > 1 {
				p.Update(uitest.Key("enter"))
			}
			if e := p.SelectedRow().Entry; e != nil {
				reached[e.ID] = true
			}
			lines := ansi.Strip(strings.Join(p.View(Width-1, h), "\n"))
			if marked := strings.Count("\n"+lines, "\n▌"); marked != 1 && len(p.Next.rows(true)) > 0 {
				t.Fatalf("in %d lines the cursor is on %d lines:\n%s", h, marked, lines)
			}
			p.MoveCursor(1)
		}
		if len(reached) != len(p.Next.Plan.Entries) {
			t.Fatalf("%d of %d messages were reached", len(reached), len(p.Next.Plan.Entries))
		}
	})
}

// No line is wider or narrower than the panel, and there are as many as it is high.
func TestThePanelFillsItsBox(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawnRequest(t)
		w, h := rapid.IntRange(1, 160).Draw(t, "width"), rapid.IntRange(1, 50).Draw(t, "height")
		p.Focused = rapid.Bool().Draw(t, "focused")
		from := rapid.IntRange(0, 30).Draw(t, "from")
		p.VisibleMessages = func() (int, int) { return from, from + rapid.IntRange(0, 9).Draw(t, "on the page") }
		if rapid.Bool().Draw(t, "trial") {
			dials := []dial{{name: "budget", set: "auto", tried: "1,000"}, {name: "preset"}, {name: "model"}}
			p.Whatif = &Whatif{Request: p.Next, dials: dials}
		}
		for _, lines := range [][]string{p.View(w, h), p.Pane(w, h)} {
			if len(lines) != h {
				t.Fatalf("%d lines in a height of %d", len(lines), h)
			}
			for _, line := range lines {
				if theme.Width(line) != w {
					t.Fatalf("a line of %d cells in a width of %d: %q", theme.Width(line), w, ansi.Strip(line))
				}
			}
		}
	})
}
