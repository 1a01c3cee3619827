package transcript

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// cellOf is where the n-th line of the screen with a text has it.
func cellOf(t testing.TB, c *Model, text string) (x, y int) {
	t.Helper()
	for y, line := range c.View() {
		if before, _, ok := strings.Cut(ansi.Strip(line), text); ok {
			return ansi.StringWidth(before), y
		}
	}
	t.Fatalf("the screen lacks %q:\n%s", text, uitest.Plain(c.View()))
	return 0, 0
}

// mouse is the text that is selected by dragging from one cell to another, "" for none.
func (c *Model) mouse(x, y, toX, toY int) string {
	c.press(x, y)
	c.drag(toX, toY)
	c.release(toY)
	c.calm(CalmMsg{c.list.picked.number})
	for _, e := range c.Events() {
		if picked, ok := e.(Picked); ok {
			return picked.Text
		}
	}
	return ""
}

func TestDraggingSelectsTheStoredText(t *testing.T) {
	t.Parallel()
	question := "How do I parse this grammar, which is left-recursive and long enough to be wrapped at this " +
		"width?\n\tAn indented line."
	answer := "Rewrite **the rule** as a loop, with `next()`:\n\n1. factor *it*\n2. see [the " +
		"page](https://example.org/a_b) for more\n\n```go\nfor p.tok == PLUS {\n\tp.next() // 汉字 " +
		"here\n}\n```\n\nThen *stop*."
	for _, c := range []struct{ from, to, want string }{
		{"How", "grammar", "How do I parse this grammar"},
		{"grammar,", "enough", "grammar, which is left-recursive and long enough"},
		{"width?", "indented", "width?\n\tAn indented"},
		{"indented", "width?", "width?\n\tAn indented"}, // backwards
		{"Rewrite", "loop", "Rewrite **the rule** as a loop"},
		{"the rule", "the rule", "the rule"},
		{"rule as", "loop", "rule** as a loop"},
		{"factor", "more", "1. factor *it*\n2. see [the page](https://example.org/a_b) for more"},
		{"page", "more", "page](https://example.org/a_b) for more"},
		{"for p.tok", "PLUS {", "for p.tok == PLUS {"},
		{"for p.tok", "here", "for p.tok == PLUS {\n\tp.next() // 汉字 here"},
		{"汉字", "字", "汉字"},
		{"Then", "stop", "Then *stop*"},
		{"indented", "Rewrite", "indented line.\n\nRewrite"}, // over two messages, without the name between them
		{"gpt-5.2", "gpt-5.2", "gpt-5.2"},
	} {
		m := page(64, 60, []store.Message{message(history.User, question), message(history.Assistant, answer)}, nil)
		x, y := cellOf(t, m, c.from)
		toX, toY := cellOf(t, m, c.to)
		size := ansi.StringWidth(c.to)
		if y > toY || y == toY && x > toX {
			x, size = x+ansi.StringWidth(c.from), 1
		}
		if got := m.mouse(x, y, toX+size-1, toY); got != c.want {
			t.Errorf("from %q to %q: got %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

func TestTwoAndThreePressesSelectAWordAndALine(t *testing.T) {
	t.Parallel()
	line := "The second line is so long that it is wrapped into several lines of the screen, each of them full."
	m := page(40, 30, []store.Message{message(history.User, "The first.\n"+line+"\nThe third.")}, nil)
	x, y := cellOf(t, m, "wrapped")
	var got []string
	for range 4 {
		m.press(x+2, y)
		m.release(y)
		text := ""
		for _, e := range m.Events() {
			if picked, ok := e.(Picked); ok {
				text = picked.Text
			}
		}
		got = append(got, text)
	}
	if want := []string{"", "wrapped", line, ""}; strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("pressed four times it selects %q, want %q", got, want)
	}
	m.press(x+2, y)
	m.calm(CalmMsg{m.list.picked.number})
	m.press(x+2, y)
	if m.list.picked.on {
		t.Error("two presses with a pause between them select a word")
	}
}

// A click selects no text, and dragging beyond the edge scrolls.
func TestDraggingScrolls(t *testing.T) {
	t.Parallel()
	var messages []store.Message
	for range 20 {
		messages = append(messages, message(history.User, "One of many messages."))
	}
	m := page(60, 12, messages, nil)
	x, y := cellOf(t, m, "many")
	m.press(x, y)
	for range 12 {
		m.drag(x, -1)
	}
	m.release(0)
	picked, ok := m.Events()[0].(Picked)
	if parts := strings.Split(picked.Text, "\n\n"); !ok || len(parts) < 5 || parts[1] != messages[0].Content {
		t.Errorf("dragging beyond the edge selects %q", picked.Text)
	}
	m.Unpick()
	m.press(x, y)
	m.release(y)
	if events := m.Events(); len(events) != 1 || events[0] != (Clicked{y}) {
		t.Errorf("a click is %v", events)
	}
}

// What is selected between any two cells stands in the stored text as it is.
func TestWhatIsSelectedIsStored(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{
		"word ", "**bold** ", "`code` ", "*it* ", "\n\n", "\n- item ", "\n1. first ",
		"\n\n```go\nx := 1\n\ty()\n```\n\n", "汉字 ", "👩‍👩‍👧 ", "שלום ", "[link](https://a.b/c) ",
		"<b>html</b> ", "&amp; ",
		"\n\n| a | b |\n|---|---|\n| one two three | four |\n\n", "# Heading\n", "> quote ", "\x1b[31m", "e\u0301 ",
		strings.Repeat("long", 40), "a_b_c ", "\t", "$x$ ",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 1, 30).Draw(t, "text"), "")
		m := message(rapid.SampledFrom([]history.Role{history.User, history.Assistant}).Draw(t, "role"), text)
		var entries []history.Entry
		if n := len([]rune(text)); rapid.Bool().Draw(t, "cut") && n > 2 {
			from := rapid.IntRange(0, n-1).Draw(t, "from")
			entries = []history.Entry{
				{Disposition: history.Cut, Cuts: []history.Range{
					{From: from, To: rapid.IntRange(from, n).Draw(t, "until")},
				}, Inserted: []history.Insert{{At: from, Text: " ... (truncated)"}}},
			}
		}
		w, h := rapid.IntRange(14, 100).Draw(t, "width"), rapid.IntRange(2, 30).Draw(t, "height")
		c := page(w, h, []store.Message{m, message(history.User, "Go on.")}, entries)
		if rapid.Bool().Draw(t, "expanded") {
			c.First()
			c.Expand()
		}
		c.list.Top()
		i, d := 0, c.list.drawn(0)
		from := place{1, rapid.IntRange(0, d.below-1).Draw(t, "line"), rapid.IntRange(0, w).Draw(t, "cell")}
		to := place{1, rapid.IntRange(0, d.below-1).Draw(t, "to line"), rapid.IntRange(0, w).Draw(t, "to cell")}
		c.list.picked = picked{on: true, from: from, to: to}
		if got := c.list.pickedOf(i, d); !strings.Contains(text, got) {
			t.Fatalf("%q is not a part of %q", got, text)
		}
		for _, line := range c.View() {
			if n := ansi.StringWidth(line); n > w {
				t.Fatalf("with a selection a line has %d cells, want at most %d", n, w)
			}
		}
		// All of it selected is all of it, but for the marks at its ends, the lines that frame code and what is not
		// shown.
		if all := (picked{on: true, from: place{1, 0, 0}, to: place{1, d.below, w}}); entries == nil &&
			m.Role == history.User && !strings.ContainsAny(text, "\x1b") && !tooLong(text) {
			c.list.picked = all
			if got := c.list.pickedOf(i, d); strings.TrimSpace(got) != strings.TrimSpace(text) {
				t.Fatalf("all of it selected is %q, want %q", got, text)
			}
		}
	})
}

// The selection is drawn, and goes with the width.
func TestTheSelectionIsDrawn(t *testing.T) {
	t.Parallel()
	m := page(60, 12, []store.Message{message(history.User, "Some words.")}, nil)
	m.Restyle(theme.New(theme.None, theme.Palette{}, 0))
	x, y := cellOf(t, m, "words")
	m.mouse(x, y, x+4, y)
	if line := m.View()[y]; !strings.Contains(line, "\x1b[1;7mwords\x1b[m") {
		t.Errorf("the selection is drawn as %q", line)
	}
	m.Resize(50, 12, 2, 1)
	if line := m.View()[y]; strings.Contains(line, "\x1b[1;7m") {
		t.Errorf("at another width the selection is drawn as %q", line)
	}
	m.Update(tea.MouseMotionMsg{X: 1, Y: 1})
	if m.Held() || m.list.picked.on {
		t.Error("a mouse that only moves selects something")
	}
}
