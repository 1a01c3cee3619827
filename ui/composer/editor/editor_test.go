package editor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/ui/uitest"
)

// plain is the style of all that is drawn.
var plain lipgloss.Style

// label is an inset.
type label string

func (l label) Label() string { return string(l) }

// numbered is an inset with a number, of any width.
func numbered(n int) label { return label(strings.Repeat("x あ", n%13) + fmt.Sprint(n)) }

// named is an editor's text with its insets by their labels, and with | where the cursor is.
func named(e *Editor) string {
	var b strings.Builder
	for at, c := range append(slices.Clone(e.text), character{}) {
		if e.cursor == at {
			b.WriteByte('|')
		}
		if c.inset != nil {
			c.text = "<" + c.text + ">"
		}
		b.WriteString(c.text)
	}
	return b.String()
}

func TestKeys(t *testing.T) {
	for _, c := range []struct{ text, keys, want string }{
		{"one two", "left left", "one t|wo"},
		{"one two", "ctrl+left ctrl+left right", "o|ne two"},
		{"one two", "home ctrl+right", "one| two"},
		{"one two", "ctrl+w", "one |"},
		{"one two  ", "ctrl+w", "one |"},
		{"one two", "home alt+d", "| two"},
		{"one\ntwo", "left ctrl+u ctrl+u", "one\n|o"},
		{"one\ntwo", "ctrl+home right ctrl+k ctrl+k", "o|\ntwo"},
		{"one\ntwo", "home backspace", "one|two"},
		{"one\ntwo", "up delete", "one|two"},
		{"one\ntwo", "up left", "on|e\ntwo"},
		{"one\n\ntwo", "up up", "one|\n\ntwo"},
		{"e\u0301a", "left backspace", "|a"},
		{"👩‍👩‍👧x", "left backspace", "|x"},
		{"a🇫🇷🇩🇪", "backspace", "a🇫🇷|"},
		{"🇫a🇷", "left backspace", "🇫🇷|"},
		{"one", "up", "|one"},
		{"one", "home down", "one|"},
		{"a b§", "", "a b<7>|"},
		{"a b§", "left", "a b|<7>"},
		{"a b§", "backspace", "a b|"},
		{"a b§", "ctrl+w", "a |"},
		{"a b§", "left delete", "a b|"},
		{"a b§", "ctrl+left", "a |b<7>"},
		{"a b§", "home ctrl+right ctrl+right", "a b<7>|"},
	} {
		e := New()
		e.Resize(20, 5)
		text, _, inset := strings.Cut(c.text, "§")
		if e.Insert(text); inset {
			e.InsertInset(label("7"))
		}
		for name := range strings.FieldsSeq(c.keys) {
			e.HandleKey(uitest.Key(name))
		}
		if got := named(&e); got != c.want {
			t.Errorf("%q after %s is %q, want %q", c.text, c.keys, got, c.want)
		}
	}
}

// pad is an editor beside a plain text, where an inset is one character of its own.
type pad struct {
	e    Editor
	text []rune // insets are negative
	at   int
}

func (p *pad) write(text string) {
	p.e.Insert(text)
	p.text = append(p.text[:p.at:p.at], append([]rune(text), p.text[p.at:]...)...)
	p.at += len([]rune(text))
}

// Whatever is typed, the editor's text is the plain one's, and every row that it shows is in the screen.
func TestEditorIsATextWithACursor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := pad{e: New()}
		insets := 0
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				p.write(rapid.StringOfN(rapid.SampledFrom([]rune("ab あ\n\t")), 1, 30, -1).Draw(t, "text"))
			},
			"inset": func(t *rapid.T) {
				insets++
				p.e.InsertInset(numbered(insets))
				p.text = append(p.text[:p.at:p.at], append([]rune{rune(-insets)}, p.text[p.at:]...)...)
				p.at++
			},
			"unfold": func(t *rapid.T) {
				n := rapid.IntRange(1, 5).Draw(t, "number")
				text := rapid.StringOfN(rapid.SampledFrom([]rune("ab\n")), 0, 5, -1).Draw(t, "text")
				for i, r := range p.text {
					if r == rune(-n) {
						p.text = append(p.text[:i:i], append([]rune(text), p.text[i+1:]...)...)
						if p.at > i {
							p.at += len([]rune(text)) - 1
						}
						break
					}
				}
				p.e.ReplaceInset(numbered(n), func() { p.e.Insert(text) })
			},
			"left":      func(*rapid.T) { p.e.HandleKey(uitest.Key("left")); p.at = max(0, p.at-1) },
			"right":     func(*rapid.T) { p.e.HandleKey(uitest.Key("right")); p.at = min(len(p.text), p.at+1) },
			"ctrl+home": func(*rapid.T) { p.e.HandleKey(uitest.Key("ctrl+home")); p.at = 0 },
			"backspace": func(*rapid.T) {
				p.e.HandleKey(uitest.Key("backspace"))
				if p.at > 0 {
					p.text = append(p.text[:p.at-1:p.at-1], p.text[p.at:]...)
					p.at--
				}
			},
			"delete": func(*rapid.T) {
				p.e.HandleKey(uitest.Key("delete"))
				if p.at < len(p.text) {
					p.text = append(p.text[:p.at:p.at], p.text[p.at+1:]...)
				}
			},
			"resize": func(t *rapid.T) {
				p.e.Resize(rapid.IntRange(1, 12).Draw(t, "width"), rapid.IntRange(1, 4).Draw(t, "most"))
			},
			"click": func(t *rapid.T) {
				x, y := p.e.Cursor()
				before := p.e.cursor
				p.e.Click(x, y)
				if p.e.cursor != before && p.e.width > 4 && !hangs(&p.e, before) {
					t.Fatalf("a click on the cursor goes from %v to %v", before, p.e.cursor)
				}
				p.e.cursor = before
			},
			"": func(t *rapid.T) {
				var want strings.Builder
				for i, r := range append(p.text[:len(p.text):len(p.text)], 0) {
					if i == p.at {
						want.WriteByte('|')
					}
					switch {
					case r < 0:
						want.WriteString("<" + string(numbered(int(-r))) + ">")
					case r > 0:
						want.WriteRune(r)
					}
				}
				if got := named(&p.e); got != want.String() {
					t.Fatalf("it is %q, want %q", got, want.String())
				}
				p.inScreen(t)
			},
		})
	})
}

// hangs says that a place is among spaces that stand over the end of their row.
func hangs(e *Editor, p int) bool { return e.widthOf(e.rows()[e.row(p)], p) >= e.width }

func (p *pad) inScreen(t *rapid.T) {
	rows := p.e.View(plain, plain)
	if len(rows) != p.e.Height() {
		t.Fatalf("%d rows are drawn, want %d", len(rows), p.e.Height())
	}
	for _, row := range rows {
		if w := ansi.StringWidth(row); w > p.e.width && p.e.width > 1 {
			t.Fatalf("the row %q is %d wide, want at most %d", row, w, p.e.width)
		}
	}
	if x, y := p.e.Cursor(); x < 0 || x >= p.e.width || y < 0 || y >= len(rows) {
		t.Fatalf("the cursor is at %d, %d of %d rows of %d", x, y, len(rows), p.e.width)
	}
	if starts := p.e.rows(); !slices.IsSorted(starts) {
		t.Fatalf("the rows begin at %v", starts)
	}
}

func TestRowsEndBehindAWord(t *testing.T) {
	e := New()
	e.Resize(10, 8)
	e.Insert("the quick brown fox jumpsoverthelazydog")
	want := "the quick |brown fox |jumpsovert|helazydog"
	if got := strings.Join(e.View(plain, plain), "|"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	e.Insert("s")
	if x, y := e.Cursor(); x != 0 || y != 4 {
		t.Errorf("behind a full row the cursor is at %d, %d; want it at the beginning of the next", x, y)
	}
}
