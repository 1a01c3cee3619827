package transcript

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/theme"
)

// conversation is a short one with one of everything.
func conversation() []Item {
	return []Item{
		{ID: 1, Role: history.User, Name: "you", Plain: true, Text: "Our grammar is left-recursive, and the parser " +
			"never ends. What is the usual cure?"},
		{
			ID: 2, Role: history.Assistant, Name: "gpt-5.2", Text: "Rewrite it:\n\n1. **factor** the rule `expr`\n2. " +
				"loop instead of recursing\n\n```go\nfor p.tok == PLUS {\n\tp.next()\n}\n```\n\nA vector<int> " +
				"holds the " +
				"operands.", Reasoning: "The user has\na left-recursive rule.",
			Receipt: &record.Receipt{Tally: store.Tally{Stored: 9, Kept: 2, Cut: 1}, Expected: 1900, Took: 1900 * time.Millisecond},
			Trail:   "↳ 2 forks",
		},
		{
			ID: 3, Role: history.User, Name: "you", Plain: true, Text: "Never touch generated files.",
			Detail: "2 of 3  [ ]",
		},
		{ID: 4, Role: history.Tool, Name: "tool", Plain: true, Fold: true, Text: "package parser\n\nfunc x() {}\n"},
		{ID: 5, Role: history.Assistant, Name: "gpt", Text: "Understood. \x1b[2JThe generator", Note: Note{
			What: "connection lost", Rest: "after 38 tokens · this part is kept", Fault: true,
		}},
	}
}

func marks(id int64) Mark {
	return map[int64]Mark{
		1: {Glyph: "○"}, 2: {Glyph: "◐", Tag: "✂ 150/2.3k"}, 3: {Glyph: "◆", Tag: "pinned"},
		4: {Glyph: "⚠"}, 5: {Glyph: "●"},
	}[id]
}

// View is the lines of the list as one string.
func (m *itemList) View() string { return strings.Join(m.Lines(), "\n") }

func TestWhatEndsBelowTheScreenIsCounted(t *testing.T) {
	m := newList(theme.Styles{})
	m.SetSize(60, 5)
	m.SetItems(conversation())
	m.Append(Item{ID: 6, Text: "An answer"})
	if !m.Following() || m.Newer() != 0 {
		t.Fatalf("at the end: following %v, newer %d", m.Following(), m.Newer())
	}
	m.Scroll(-3)
	before := m.View()
	m.Write(6, " that goes on\n\nand on", "")
	if m.Following() || m.Newer() != 2 || m.View() != before {
		t.Errorf("scrolled up: following %v, newer %d, screen\n%s\nwant\n%s", m.Following(), m.Newer(),
			m.View(), before)
	}
	m.Top()
	if n := m.Newer(); n < 3 || n > 5 {
		t.Errorf("at the top %d of 6 items are newer", n)
	}
	m.Bottom()
	if !m.Following() || m.Newer() != 0 || !strings.Contains(m.View(), "and on") {
		t.Errorf("back at the end: following %v, newer %d, screen\n%s", m.Following(), m.Newer(), m.View())
	}
}

func TestMarksMoveNothing(t *testing.T) {
	m := newList(theme.Styles{})
	m.SetSize(60, 30)
	m.SetItems(conversation())
	bare := m.Lines()
	m.marks = marks
	for i, line := range m.Lines() {
		text := strings.TrimRight(ansi.Cut(bare[i], m.gutter(), 60), " ")
		if text != "" && !strings.Contains(line, text) {
			t.Errorf("line %d is %q, without marks %q", i, line, bare[i])
		}
	}
}

func TestCursorGoesByMessageAndStaysOnScreen(t *testing.T) {
	m := newList(theme.Styles{})
	m.SetSize(60, 4)
	m.SetItems(conversation())
	for step, want := range []int64{5, 4, 3, 2, 1, 1} {
		m.MoveCursor(-1)
		id, ok := m.Cursor()
		if !ok || id != want || !strings.Contains(m.View(), "▌") {
			t.Fatalf("step %d: cursor on %d, %v, want %d; screen\n%s", step, id, ok, want, m.View())
		}
	}
}

func TestStoredAnswerReplacesTheStreamedOneWithoutMoving(t *testing.T) {
	m := newList(theme.Styles{})
	m.SetSize(60, 20)
	m.Append(Item{ID: -1, Name: "gpt"})
	m.SetCursor(-1)
	m.Write(-1, "# Hi\n\nsome **te", "")
	m.Write(-1, "xt**", "")
	m.Replace(-1, Item{
		ID: 7, Name: "gpt", Text: "# Hi\n\nsome **text**", Receipt: &record.Receipt{Tally: store.Tally{Stored: 1, Kept: 1}, Expected: 9},
	})
	if id, _ := m.Cursor(); id != 7 {
		t.Errorf("the cursor is on %d, want 7", id)
	}
	if _, ok := m.Item(-1); ok {
		t.Error("the streaming item is still there")
	}
	got := strings.TrimSpace(ansi.Strip(m.View()))
	if want := "▌  gpt\n▌  Hi\n▌  \n▌  some text\n▌  ~9 tokens"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestEveryScreenSize(t *testing.T) {
	for w := range 30 {
		for h := range 8 {
			m := newList(theme.Styles{})
			m.SetItems(conversation())
			m.marks = marks
			m.SetBoundary(3, 0, 2)
			m.SetSize(w, h)
			m.MoveCursor(-1)
			m.Scroll(-3)
			lines := m.Lines()
			if len(lines) != h {
				t.Fatalf("%d×%d: %d lines", w, h, len(lines))
			}
			for _, line := range lines {
				if n := ansi.StringWidth(line); n > w {
					t.Fatalf("%d×%d: a line of %d cells: %q", w, h, n, line)
				}
			}
		}
	}
}
