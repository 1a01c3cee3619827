package panel

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// drawnRequest is a panel with any plan: each verdict, texts that were added, a draft, a limit.
func drawnRequest(t *rapid.T) Model {
	plan := history.Plan{Sum: history.Sum{
		System: rapid.IntRange(0, 900).Draw(t, "system"), Tools: rapid.IntRange(0, 900).Draw(t, "tools"),
		Frame: rapid.IntRange(0, 90).Draw(t, "frame"),
		Draft: rapid.IntRange(0, 90).Draw(t, "draft"), Ratio: 1,
		Limit: rapid.SampledFrom([]int{0, 500, 6000, 1_000_000}).Draw(t, "limit"),
	}}
	s := &plan.Sum
	sent := []history.Disposition{history.Kept, history.Cut, history.Recalled}
	gone := []history.Disposition{
		history.Dropped, history.Dropped, history.Dropped, history.Excluded, history.Blank, history.Isolated,
	}
	for i := range rapid.IntRange(0, 25).Draw(t, "messages") {
		e := history.Entry{
			ID: int64(i + 1), Index: i, Role: rapid.SampledFrom([]history.Role{
				history.User, history.Assistant, history.Tool, history.System,
			}).Draw(t, "role"),
			TokensBefore: rapid.IntRange(0, 2000).Draw(t, "tokens"),
		}
		if rapid.IntRange(0, 3).Draw(t, "sent") == 0 {
			e.Disposition = rapid.SampledFrom(sent).Draw(t, "verdict")
			if e.TokensAfter = e.TokensBefore; e.Disposition == history.Cut {
				e.TokensAfter = rapid.IntRange(0, e.TokensBefore).Draw(t, "kept")
			}
			s.Body += e.TokensAfter
		} else {
			e.Disposition = rapid.SampledFrom(gone).Draw(t, "verdict")
		}
		plan.Entries = append(plan.Entries, e)
	}
	for range rapid.IntRange(0, 4).Draw(t, "added") {
		a := history.Added{
			Kind: "marker", At: rapid.IntRange(0, len(plan.Entries)).Draw(t, "at"), Text: "…",
			Tokens: rapid.IntRange(0, 30).Draw(t, "tokens"),
		}
		plan.Added = append(plan.Added, a)
		s.Added += a.Tokens
	}
	s.Total = s.System + s.Tools + s.Frame + s.Draft + s.Body + s.Added
	p := Model{
		Deps: Deps{Keys: keymap.Default(), Text: func(id int64) string {
			return "message " + strconv.FormatInt(id, 10)
		}},
	}
	p.Model = "openai/gpt-5.2"
	p.Set(plan, nil)
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
		r := &p.Next
		total, messages := r.share("system", "tools", "format"), 0
		for i := range r.Rows.lines(-1) {
			line := []rune(ansi.Strip(p.line(plain(), r.columns(textWidth, p.Model), i, -1, Width-1, false)))
			c := r.columns(textWidth, p.Model)
			place, folded := r.Rows.placeOf(i, -1)
			if tokens := numbers(string(line[1+c.tokens-tokensCells : 1+c.tokens])); folded < 0 && len(tokens) > 0 {
				total += tokens[0]
			}
			switch n := numbers(string(line)); {
			case folded >= 0:
				if n[1]-n[0]+1 != n[2] {
					t.Fatalf("a line stands for %d to %d and says %d: %q", n[0], n[1], n[2], string(line))
				}
				messages += n[2]
			case r.Rows.Row(place).Entry != nil:
				messages++
			}
		}
		if draft := p.draft(); draft > 0 {
			total += draft
		}
		if total != r.Plan.Sum.Used() || messages != len(r.Plan.Entries) {
			t.Fatalf("the rows add up to %d tokens of %d messages, the request has %d of %d", total, messages,
				r.Plan.Sum.Used(), len(r.Plan.Entries))
		}
	})
}

// Every message can be reached with the keys, and a line on the screen is where the cursor says it is.
func TestEveryMessageCanBeReached(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawnRequest(t)
		h := rapid.IntRange(1, 9).Draw(t, "height")
		p.Move(-p.Next.Rows.Len())
		reached := map[int64]bool{}
		for range 2*p.Next.Rows.Len() + 2 {
			if _, _, folded := p.Folded(); folded {
				p, _ = p.Update(uitest.Key("enter"))
			}
			if e := p.Chosen().Entry; e != nil {
				reached[e.ID] = true
			}
			lines := p.View(plain(), Width-1, h, true)
			marked := 0
			for _, line := range lines {
				if strings.HasPrefix(ansi.Strip(line), "▌") {
					marked++
				}
			}
			if marked != 1 && len(p.Next.Plan.Entries)+len(p.Next.Plan.Added) > 0 {
				t.Fatalf("in %d lines the cursor is on %d lines:\n%s", h, marked, strings.Join(lines, "\n"))
			}
			p.Move(1)
		}
		if len(reached) != len(p.Next.Plan.Entries) {
			t.Fatalf("%d of %d messages were reached", len(reached), len(p.Next.Plan.Entries))
		}
	})
}

// Lines and places are two ways to count the same rows.
func TestLinesAndPlacesAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := drawnRequest(t).Next.Rows
		opened := rapid.IntRange(-1, len(r.runs)-1).Draw(t, "opened")
		line := 0
		for place := 0; place < r.Len(); line++ {
			at, folded := r.placeOf(line, opened)
			if at != place {
				t.Fatalf("line %d shows place %d, want %d", line, at, place)
			}
			next := place + 1
			if folded >= 0 {
				next = r.runs[folded].to
			}
			for ; place < next; place++ {
				if got := r.lineOf(place, opened); got != line {
					t.Fatalf("place %d is on line %d, want %d", place, got, line)
				}
			}
		}
		if got := r.lines(opened); got != line {
			t.Fatalf("there are %d lines, want %d", got, line)
		}
	})
}

// No line is wider or narrower than the panel, and there are as many as it is high.
func TestThePanelFillsItsBox(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawnRequest(t)
		w, h, focused := rapid.IntRange(1, 160).Draw(t, "width"), rapid.IntRange(1, 50).Draw(t, "height"),
			rapid.Bool().Draw(t, "focused")
		if rapid.Bool().Draw(t, "page") {
			p.OnPage.From = rapid.IntRange(0, 30).Draw(t, "from")
			p.OnPage.To = rapid.IntRange(p.OnPage.From+1, 31).Draw(t, "to")
		}
		if rapid.Bool().Draw(t, "trial") {
			p.OpenWhatif(Current{Policy: history.Policy{Preset: "balanced"}, Model: "openai/gpt-5.2"})
		}
		for _, lines := range [][]string{p.View(plain(), w, h, focused), p.Pane(plain(), w, h, focused)} {
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

// The part of the list that is shown has the lines that are wanted, fills its height and says what is missing.
func TestTheWindowOnTheListHoldsWhatIsWanted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n, h := rapid.IntRange(1, 40).Draw(t, "lines"), rapid.IntRange(1, 12).Draw(t, "height")
		l := list{first: rapid.IntRange(-3, 50).Draw(t, "first")}
		from := rapid.IntRange(0, n-1).Draw(t, "from")
		to := min(n-1, from+rapid.IntRange(0, 15).Draw(t, "more"))
		l.window(n, h, from, to)
		signs := 0
		if l.above {
			signs++
		}
		if l.end < n && h >= leastRows+2 {
			signs++
		}
		switch used := l.end - l.first + signs; {
		case l.first < 0 || l.end > n || from < l.first || from >= l.end ||
			l.above != (l.first > 0 && h >= leastRows+2):
			t.Fatalf("of %d lines %d to %d are shown in %d, line %d is wanted", n, l.first, l.end, h, from)
		case used != min(n, h):
			t.Fatalf("of %d lines %d are used in %d: %+v", n, used, h, l)
		case to-from < h-2 && to >= l.end:
			t.Fatalf("line %d is wanted as well and fits: %+v", to, l)
		}
	})
}
