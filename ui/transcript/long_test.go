package transcript

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// tenMegabytes is a text of 10 MB, line after line.
func tenMegabytes(line string) string { return strings.Repeat(line, 10_000_000/len(line)) }

func longList(items ...Item) *itemList {
	m := newList(theme.Styles{})
	m.keys = keymap.Default()
	m.SetSize(100, 40)
	m.SetItems(items)
	return m
}

// Of ten megabytes a frame draws the beginning, and says how much is not shown.
func TestVeryLongMessageShowsItsBeginning(t *testing.T) {
	lines := []string{
		"a\n", "some words and more of them\n\n", "word ", "x", "- item\n", "\x00", "\xff",
		"e\u0301\u0301\u0301", "שלום \u202e", "a\u200b", "👩‍👩‍👧 ",
	}
	if testing.Short() {
		lines = lines[1:2]
	}
	for _, line := range lines {
		text := tenMegabytes(line)
		for name, it := range map[string]Item{
			"what the user said": {ID: 1, Role: history.User, Plain: true, Text: text},
			"an answer":          {ID: 1, Role: history.Assistant, Text: text},
			"a tool's output":    {ID: 1, Role: history.Tool, Plain: true, Fold: true, Text: text},
			"reasoning":          {ID: 1, Role: history.Assistant, Text: "Yes.", Reasoning: text},
		} {
			m := longList(it)
			if it.Fold {
				m.Toggle(1)
			}
			if it.Reasoning != "" {
				m.ToggleReasoning(1)
			}
			m.Top()
			d := m.drawn(0)
			size, said := 0, ""
			for _, s := range d.lines {
				size += len(s)
				if bare := ansi.Strip(s); strings.HasPrefix(bare, "┄┄┄ ") {
					said = bare
				}
			}
			if left := "┄┄┄ " + theme.Size(len(text)-len(shown(text))) +
				" more   enter reads it   y copies all"; said != left {
				t.Errorf("%s of %.12q says %q, want %q", name, line, said, left)
			}
			if most := 8 * maxShown; size > most {
				t.Errorf("%s of %.12q is drawn as %d bytes, want at most %d", name, line, size, most)
			}
			if whole, _ := m.Item(1); whole.Text+whole.Reasoning != it.Text+it.Reasoning {
				t.Errorf("%s of %.12q is not whole any more", name, line)
			}
			if total := m.slots[0].height; int(total) != len(d.lines) {
				t.Errorf("%s of %.12q counts %d lines, want %d", name, line, total, len(d.lines))
			}
		}
	}
}

// An answer that goes on and on is rendered once, as far as it is shown, and kept whole.
func TestVeryLongAnswerStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, where no race is found")
	}
	m := longList()
	m.Append(Item{ID: -1, Role: history.Assistant})
	piece := strings.Repeat("It goes on and on.\n\n", 500)
	var want strings.Builder
	var first *string
	for want.Len() < 4*maxStreamed {
		m.Write(-1, piece, "")
		want.WriteString(piece)
		lines := m.drawn(0).lines
		if want.Len() <= maxStreamed {
			if last := lines[len(lines)-2]; last != "It goes on and on." {
				t.Fatalf("at %d bytes the last line is %q", want.Len(), last)
			}
			continue
		}
		if say := "┄┄┄ " + theme.Size(want.Len()-len(shown(want.String()))) +
			" more"; !strings.HasPrefix(lines[len(lines)-2], say) {
			t.Fatalf("at %d bytes the last line is %q, want %q", want.Len(), lines[len(lines)-2], say)
		}
		begun := &m.entry(0).beginning.lines[0]
		if first != nil && begun != first {
			t.Fatalf("at %d bytes the beginning is rendered again", want.Len())
		}
		first = begun
	}
	it, _ := m.Item(-1)
	if it.Text != want.String() {
		t.Errorf("the answer has %d bytes, want all %d", len(it.Text), want.Len())
	}
	m.Replace(-1, Item{ID: 7, Role: history.Assistant, Text: "Short."})
	if lines := m.drawn(0).lines; len(lines) != 2 || lines[0] != "Short." {
		t.Errorf("another text in its place is shown as %q", lines)
	}
}

// An answer that is shown as it streamed is cut when its width changes: it would be rendered as a whole.
func TestLongStreamIsCutAtAnotherWidth(t *testing.T) {
	m := longList()
	m.Append(Item{ID: -1, Role: history.Assistant})
	m.Write(-1, strings.Repeat("It goes on and on.\n\n", 2*maxShown/20), "")
	tall := len(m.drawn(0).lines)
	m.SetSize(90, 40)
	d := m.drawn(0)
	if len(d.lines) >= tall || !strings.Contains(d.lines[len(d.lines)-2], " more   ") {
		t.Errorf("%d lines are %d at another width, the last %q", tall, len(d.lines), d.lines[len(d.lines)-2])
	}
	m.Write(-1, "The end.", "")
	if it, _ := m.Item(-1); !strings.HasSuffix(it.Text, "The end.") {
		t.Error("what is written behind it is lost")
	}
}

// A hit in what is not shown is the line that stands for it.
func TestHitAfterTheBeginning(t *testing.T) {
	text := strings.Repeat("nothing here\n", 10_000) + "the walrus"
	m := longList(Item{ID: 1, Role: history.User, Plain: true, Text: text}, Item{
		ID: 2, Role: history.User, Plain: true, Text: "after",
	})
	needle := "walrus"
	m.Mark(needle)
	hit := newFinder(needle).In(text)
	if len(hit) != 1 || !m.GoToHit(1, hit[0]) {
		t.Fatalf("hits: %v", hit)
	}
	if screen := ansi.Strip(m.View()); !strings.Contains(screen, "┄┄┄ ") {
		t.Errorf("want the line with what is left:\n%s", screen)
	}
}

// What is shown is the text's own beginning, and ends with a whole character.
func TestShownIsABeginning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.OneOf(rapid.StringN(1, 40, -1), rapid.Map(rapid.SliceOfN(rapid.Byte(), 1, 40),
			func(b []byte) string { return string(b) })).Draw(t, "piece")
		text := strings.Repeat(piece, rapid.IntRange(1, maxShown*2/len(piece)).Draw(t, "times"))
		got := shown(text)
		if !strings.HasPrefix(text, got) || len(got) > maxShown {
			t.Fatalf("%d bytes of %d are shown and are no beginning of them", len(got), len(text))
		}
		if len(text) <= maxShown && got != text || len(text) > maxShown && len(got) < maxShown/2 {
			t.Fatalf("%d bytes of %d are shown", len(got), len(text))
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Fatalf("a character is cut: %q", got[len(got)-8:])
		}
	})
}
