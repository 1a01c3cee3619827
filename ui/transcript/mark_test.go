package transcript

import (
	"fmt"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/ui/theme"
)

// marking is a list whose hits can be read from its lines: «hit» is where the user is, ‹hit› another.
func marking(w, h int, items ...Item) *itemList {
	around := func(open, shut string) lipgloss.Style {
		return lipgloss.NewStyle().Transform(func(s string) string { return open + ansi.Strip(s) + shut })
	}
	m := newList(theme.Styles{Found: around("‹", "›"), Hit: around("«", "»")})
	m.SetSize(w, h)
	m.SetItems(items)
	return m
}

func user(id int64, text string) Item {
	return Item{ID: id, Role: history.User, Name: "you", Text: text, Plain: true}
}

func TestHitsAreMarked(t *testing.T) {
	long := "The grammar " + strings.Repeat("and so on, word by word, ", 8) + "until the\nGrammar ends."
	m := marking(60, 40, user(1, long), Item{
		ID: 2, Role: history.Assistant, Name: "gpt", Text: "A *gram*mar, and `grammar`. [text](http://grammar)",
	})
	needle := "grammar"
	m.Mark(needle)
	hits := newFinder(needle).In(long)
	m.GoToHit(1, hits[1])
	got := m.View()
	for _, want := range []string{"The ‹grammar› and", "«Grammar» ends."} {
		if !strings.Contains(got, want) {
			t.Errorf("the list lacks %q:\n%s", want, got)
		}
	}
	if at := strings.Count(got, "«"); at != 1 {
		t.Errorf("%d hits are the current one:\n%s", at, got)
	}
	m.Mark("")
	if got := m.View(); strings.ContainsAny(got, "«‹") {
		t.Errorf("without a needle there are marks:\n%s", got)
	}
}

func TestAHitIsMarkedAcrossTheLinesThatItIsWrappedInto(t *testing.T) {
	m := marking(30, 20, user(1, "It is somewhat longer, an incontrovertibly long line."))
	needle := "longer, an incontrovertibly"
	m.Mark(needle)
	m.GoToHit(1, Span{15, 42})
	got := m.View()
	if strings.Count(got, "«") < 2 || !strings.Contains(got, "«longer,") {
		t.Errorf("the hit is not marked in all of its lines:\n%s", got)
	}
}

func TestBlanksThatWrappingTookAreNoHits(t *testing.T) {
	m := marking(60, 10, user(1, "into in to"))
	m.Mark("in to")
	if got := m.View(); !strings.Contains(got, "into ‹in to›") {
		t.Errorf("got\n%s", got)
	}
}

func TestAHitInALongMessageIsScrolledTo(t *testing.T) {
	var lines []string
	for i := range 400 {
		lines = append(lines, fmt.Sprintf("line %d", i))
	}
	text := strings.Join(lines, "\n")
	tool := Item{ID: 2, Role: history.Tool, Name: "tool", Text: text, Plain: true, Fold: true}
	m := marking(60, 12, user(1, "Look."), tool, user(3, "And?"))
	needle := "line 30"
	m.Mark(needle)
	spans := newFinder(needle).In(text)
	for k, want := range map[int]string{0: "«line 30»", 1: "«line 30»0", 10: "«line 30»9"} {
		m.GoToHit(2, spans[k])
		if got := m.View(); !strings.Contains(got, want) {
			t.Errorf("hit %d: the screen lacks %q:\n%s", k, want, got)
		}
		if id, _ := m.Cursor(); id != 2 {
			t.Errorf("hit %d: the cursor is on %d", k, id)
		}
	}
	m.SetCursor(3)
	m.Mark("")
	if !strings.Contains(m.View(), "399 more lines") {
		t.Errorf("what the search unfolded stays open:\n%s", m.View())
	}
}

// TestEveryHitIsReached goes to every hit of random texts at random sizes: it is on the screen, marked,
// and the only one that is.
func TestEveryHitIsReached(t *testing.T) {
	word := rapid.SampledFrom([]string{"ab", "abab", "a b", "Ab", "c", "cab\n", "\n\n", "日本", "ß", "x\ty"})
	rapid.Check(t, func(t *rapid.T) {
		var items []Item
		for i := range rapid.IntRange(1, 6).Draw(t, "items") {
			it := user(int64(i+1), strings.Join(rapid.SliceOfN(word, 0, 80).Draw(t, "words"), " "))
			it.Fold = rapid.Bool().Draw(t, "fold")
			items = append(items, it)
		}
		m := marking(rapid.IntRange(12, 70).Draw(t, "w"), rapid.IntRange(1, 20).Draw(t, "h"), items...)
		needle := rapid.SampledFrom([]string{"ab", "Ab", "a b", "日", "ss", "b c"}).Draw(t, "needle")
		m.Mark(needle)
		for _, it := range items {
			for _, s := range newFinder(needle).In(it.Text) {
				if !m.GoToHit(it.ID, s) {
					t.Fatalf("item %d is not there", it.ID)
				}
				got := m.View()
				if !strings.Contains(got, "«") {
					t.Fatalf("the hit %v of %q is not on the screen:\n%s", s, it.Text, got)
				}
			}
		}
	})
}
