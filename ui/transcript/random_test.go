package transcript

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/theme"
)

// naive is the list as one would write it first: at every step it renders everything and works
// with one offset into all lines.
type naive struct {
	items         []Item
	text          map[int64]string
	open          map[int64]bool
	width, height int
	top           int64 // the item at the top of the screen and the line within it
	line          int
	follow        bool
	made          map[string][]string // blocks by everything that decides them
}

// block returns the lines of one item, rendered by itself.
func (n *naive) block(it Item) []string {
	it.Text = n.text[it.ID]
	key := fmt.Sprint(n.width, n.open[it.ID], it)
	if lines, ok := n.made[key]; ok {
		return lines
	}
	m := newList(theme.Styles{})
	m.SetSize(n.width, 1000)
	m.SetItems([]Item{it})
	if n.open[it.ID] {
		m.Toggle(it.ID)
	}
	n.made[key] = m.drawn(0).lines
	return n.made[key]
}

// all returns all lines and where each item begins.
func (n *naive) all() (lines []string, starts map[int64]int) {
	starts = map[int64]int{}
	for _, it := range n.items {
		starts[it.ID] = len(lines)
		lines = append(lines, n.block(it)...)
	}
	return lines, starts
}

// place sets the position from an offset; the last blank line need not be seen.
func (n *naive) indexes(offset int, moved bool) {
	lines, starts := n.all()
	last := max(0, len(lines)-1-n.height)
	offset = max(offset, 0)
	if moved {
		n.follow = offset >= last
	}
	if n.follow {
		offset = last
	}
	offset = min(offset, last)
	for _, it := range n.items {
		if starts[it.ID] <= offset {
			n.top, n.line = it.ID, offset-starts[it.ID]
		}
	}
}

func (n *naive) offset() int {
	_, starts := n.all()
	return starts[n.top] + n.line
}

// screen returns the text lines on the screen, without margins.
func (n *naive) screen() []string {
	lines, _ := n.all()
	lines = lines[min(n.offset(), len(lines)):]
	lines = slices.Clone(lines[:min(n.height, len(lines))])
	for len(lines) < n.height {
		lines = append(lines, "")
	}
	return lines
}

func words(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(60) {
		b.WriteString([]string{
			"word", "a longer one", "\n\n", "\n- item", "\n```\ncode\n```\n", "**bold**", "汉字",
		}[r.IntN(7)] + " ")
	}
	return b.String()
}

func TestListEqualsOneThatRendersEverything(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	next, older := int64(1), int64(-1)
	n := &naive{
		text: map[int64]string{}, open: map[int64]bool{}, made: map[string][]string{}, width: 50,
		height: 12, follow: true,
	}
	m := newList(theme.Styles{})
	m.keep = 4
	m.SetSize(n.width, n.height)
	item := func(id int64) Item {
		it := Item{ID: id, Text: words(r), Fold: r.IntN(6) == 0, Plain: r.IntN(6) == 0}
		if r.IntN(3) == 0 {
			it.Receipt = &record.Receipt{Tally: store.Tally{Stored: 9, Kept: 3}}
		}
		n.text[id] = it.Text
		return it
	}
	steps := 1000
	if testing.Short() {
		steps = 200
	}
	var did string
	for step := range steps {
		// The naive model changes the items first and then finds its place again by (item, line).
		at := func() { n.indexes(n.offset(), false) }
		any := func() int64 { return n.items[r.IntN(len(n.items))].ID }
		op := r.IntN(17)
		if len(n.items) == 0 {
			op = 0
		}
		switch op {
		case 0:
			it := item(next)
			next++
			did = fmt.Sprintf("append %d", it.ID)
			n.items = append(n.items, it)
			at()
			m.Append(it)
		case 16:
			it, i := item(next), r.IntN(len(n.items)+1)
			next++
			did = fmt.Sprintf("insert %d", it.ID)
			n.items = slices.Insert(n.items, i, it)
			at()
			m.Insert(i, it)
		case 1:
			a, b := item(older-1), item(older)
			older -= 2
			did = "prepend 2"
			n.items = append([]Item{a, b}, n.items...)
			at()
			m.Prepend(a, b)
		case 2, 3, 4:
			id := n.items[len(n.items)-1].ID
			more := words(r)
			did = fmt.Sprintf("write %d bytes to %d", len(more), id)
			n.text[id] += more
			m.Write(id, more, "")
			// A stream is shown as it is rendered; compare finished text.
			m.Replace(id, n.with(id))
			n.clamp()
			at()
		case 5:
			id := any()
			it := item(id)
			did = fmt.Sprintf("replace %d", id)
			i := slices.IndexFunc(n.items, func(x Item) bool { return x.ID == id })
			n.items[i] = it
			m.Replace(id, it)
			n.clamp()
			at()
		case 6:
			id := any()
			did = fmt.Sprintf("toggle %d", id)
			n.open[id] = !n.open[id]
			m.Toggle(id)
			n.clamp()
			at()
		case 7:
			did = "resize"
			was, h := n.width, 0
			if !n.follow {
				h = len(n.block(n.with(n.top)))
			}
			n.width, n.height = 8+r.IntN(70), 1+r.IntN(30)
			if !n.follow && n.width != was {
				n.line = n.line * len(n.block(n.with(n.top))) / h
			}
			at()
			m.SetSize(n.width, n.height)
		case 8:
			id := any()
			did = fmt.Sprintf("go to %d", id)
			_, starts := n.all()
			n.indexes(starts[id], true)
			m.GoTo(id)
		case 9:
			did = "bottom"
			n.follow = true
			at()
			m.Bottom()
		case 10:
			did = "top"
			n.indexes(0, true)
			m.Top()
		default:
			d := r.IntN(41) - 20
			did = fmt.Sprintf("scroll %d", d)
			n.indexes(n.offset()+d, true)
			m.Scroll(d)
		}
		if len(n.items) > 14 {
			did += ", begin anew"
			n.items, n.open, n.follow = n.items[12:], map[int64]bool{}, true
			for i, it := range n.items {
				n.items[i] = n.with(it.ID)
			}
			at()
			m.SetItems(n.items)
		}
		var got []string
		for _, line := range m.Lines() {
			if w := ansi.StringWidth(line); w > n.width {
				t.Fatalf("step %d (%s): line of %d cells at width %d: %q", step, did, w, n.width, line)
			}
			line = ansi.TruncateLeft(line, min(m.gutter(), ansi.StringWidth(line)), "")
			got = append(got, line)
		}
		if want := n.screen(); !slices.Equal(got, want) {
			t.Fatalf("step %d (%s), %d×%d, at item %d line %d follow %v; model at %d line %d follow "+
				"%v\ngot\n%s\nwant\n%s", step, did, n.width, n.height,
				n.top, n.line, n.follow, m.slots[m.top].ID, m.line, m.follow, strings.Join(got, "\n"),
				strings.Join(want, "\n"))
		}
		if m.follow != n.follow {
			t.Fatalf("step %d (%s): following is %v, want %v", step, did, m.follow, n.follow)
		}
	}
}

// with returns the item id with its present text.
func (n *naive) with(id int64) Item {
	for _, it := range n.items {
		if it.ID == id {
			it.Text = n.text[id]
			return it
		}
	}
	return Item{}
}

// clamp keeps the line within the item at the top after that item may have shrunk.
func (n *naive) clamp() { n.line = min(n.line, len(n.block(n.with(n.top)))-1) }
