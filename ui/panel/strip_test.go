package panel

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/ui/theme"
)

// plain are the styles without colours.
func plain() theme.Styles { return theme.New(theme.None, theme.Palette{}, 0) }

func TestStripSaysWhatIsSentAndWhatIsNext(t *testing.T) {
	t.Parallel()
	cut, tight, whole, over, empty := planned(), planned(), planned(), planned(), Model{}
	tight.Next.Plan.Sum.Limit = 360
	whole.Set(history.Plan{Entries: cut.Next.Plan.Entries[3:]}, nil)
	over.Set(over.Next.Plan, &history.OverBudgetError{Need: 7144, Have: 6000})
	for _, c := range []struct {
		p         Model
		w, margin int
		want      string
	}{
		{tight, 80, 1, "─ sends 3 of 4  ◐ 1 cut  ○ 1 dropped  ◆ 1 pinned ────────────────── next out 4 ─"},
		{tight, 61, 1, "─ sends 3 of 4  ◐ 1 cut  ○ 1 dropped ─────────── next out 4 ─"},
		{tight, 40, 1, "─ 3 of 4 · next 4 ──────────────────────"},
		{tight, 15, 1, "───────────────"},
		{cut, 61, 1, "─ sends 3 of 4  ◐ 1 cut  ○ 1 dropped  ◆ 1 pinned ────────────"},
		{cut, 0, 1, ""},
		{whole, 60, 2, "── sends 1 of 1 ────────────────────────────────────────────"},
		{over, 60, 2, "── 1,144 tokens too many ───────────────────────────────────"},
		{empty, 10, 1, "──────────"},
	} {
		if got := ansi.Strip(c.p.Strip(plain(), c.w, c.margin)); got != c.want {
			t.Errorf("in %d cells the strip is\n%s\nwant\n%s", c.w, got, c.want)
		}
	}
	for w := range 200 {
		for _, p := range []Model{cut, tight, whole, over, empty} {
			if got := theme.Width(p.Strip(plain(), w, 2)); got != w {
				t.Errorf("a strip for %d cells has %d", w, got)
			}
		}
	}
}

func TestNumberedMessagesFoldIntoRanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		indexes []int
		want    string
	}{
		{nil, ""},
		{[]int{43}, "44"},
		{[]int{43, 44}, "44, 45"},
		{[]int{2, 3, 4, 5, 8}, "3–6, 9"},
		{[]int{0, 4, 8, 12, 16}, "1, 5, 9, 13, …"},
	} {
		if got := numbered(c.indexes, 4); got != c.want {
			t.Errorf("%v: got %q, want %q", c.indexes, got, c.want)
		}
	}
}

func TestGaugeIsFullOnlyWhereNothingIsFree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		used, limit int
		want        string
	}{
		{1, 100_000, "~1 / 100,000 ────────"},
		{5108, 6000, "~5,108 / 6,000 ━━━━━━━─"},
		{5999, 6000, "~5,999 / 6,000 ━━━━━━━─"},
		{6000, 6000, "~6,000 / 6,000 ━━━━━━━━"},
		{0, 6000, "~0 / 6,000 ────────"},
	} {
		p := Model{}
		p.Set(history.Plan{Sum: history.Sum{Total: c.used, Limit: c.limit, Ratio: 1}}, nil)
		if got := ansi.Strip(p.Gauge(plain(), true)); got != c.want {
			t.Errorf("%d of %d: got %q, want %q", c.used, c.limit, got, c.want)
		}
	}
	if got := (&Model{}).Gauge(plain(), true); strings.TrimSpace(got) != "" {
		t.Errorf("without a plan the gauge is %q", got)
	}
}
