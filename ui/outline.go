package ui

import (
	"slices"
	"sort"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
)

// outline is a text in sections, each of which can be collapsed to its heading. One section is
// selected.
type outline struct {
	*sheet
	head      page // above the first section
	sections  []section
	collapsed map[string]bool // by the section's key
	at        int             // the selected section
	begins    []int           // the passage of each section's heading
}

// section is a part of an outline. Its key is the same in every request that has it.
type section struct {
	key, heading string
	gist         string // of the body: its size and its beginning
	body         page
}

// newOutline makes an outline. The caller keeps collapsed to give it to the next one.
func newOutline(head page, sections []section, collapsed map[string]bool) *outline {
	o := &outline{head: head, sections: sections, collapsed: collapsed}
	o.sheet = o.layOut()
	return o
}

// layOut makes the sheet of the sections as they are now.
func (o *outline) layOut() *sheet {
	p := slices.Clone(o.head)
	o.begins = o.begins[:0]
	for i, s := range o.sections {
		folded := o.collapsed[s.key]
		if i == 0 || !folded || !o.collapsed[o.sections[i-1].key] {
			p.add(quietTone, "\n")
		}
		o.begins = append(o.begins, len(p))
		p.add(o.headingTone(i), o.headingOf(s, folded))
		if folded {
			p.add(quietTone, o.gistOf(s))
		}
		p.add(quietTone, "\n")
		if !folded {
			p = append(p, s.body...)
		}
	}
	return newSheet(p)
}

func (o *outline) headingTone(i int) tone {
	if i == o.at {
		return selectedTone
	}
	return titleTone
}

func (o *outline) headingOf(s section, folded bool) string {
	if folded {
		return "+─ " + s.heading
	}
	return "── " + s.heading
}

// leastExcerpt is the cells below which the gist of a section is left out.
const leastExcerpt = 8

// gistOf is what stands behind the heading of a collapsed section, as far as the row has room.
func (o *outline) gistOf(s section) string {
	if o.sheet == nil {
		return ""
	}
	room := o.w - marginWidth - 1 - ansi.StringWidth(markdown.Visible(o.headingOf(s, true))) - len("   ")
	if room < leastExcerpt || s.gist == "" {
		return ""
	}
	return " · " + markdown.OneLine(s.gist, room)
}

// resize gives the outline its size in cells.
func (o *outline) resize(w, h int) {
	narrower := w != o.w
	o.sheet.resize(w, h)
	if narrower {
		o.again()
	}
	o.keepInSight()
}

// again lays the sections out anew. The rows above the selected section stay where they are.
func (o *outline) again() {
	top, w, h := o.top, o.w, o.h
	o.sheet = o.layOut()
	o.w, o.h, o.top = w, h, top
	o.settle()
}

// toggle collapses or expands the selected section.
func (o *outline) toggle() {
	if len(o.sections) == 0 {
		return
	}
	key := o.sections[o.at].key
	o.collapsed[key] = !o.collapsed[key]
	o.again()
	o.bringUp()
}

// toggleAll collapses all sections, or expands them where all are collapsed.
func (o *outline) toggleAll() {
	all := !slices.ContainsFunc(o.sections, func(s section) bool { return !o.collapsed[s.key] })
	for _, s := range o.sections {
		o.collapsed[s.key] = !all
	}
	o.again()
	o.bringUp()
}

// step selects another section and says whether there is one.
func (o *outline) step(by int) bool {
	to := o.at + by
	if to < 0 || to >= len(o.sections) {
		return false
	}
	o.choose(to)
	o.bringUp()
	return true
}

// choose selects a section.
func (o *outline) choose(i int) {
	before := o.at
	o.at = i
	for _, k := range []int{before, i} {
		if k < len(o.begins) {
			o.passages[o.begins[k]].tone = o.headingTone(k)
			delete(o.rows, o.beginning(k))
		}
	}
}

// beginning is the line of a section's heading.
func (o *outline) beginning(i int) int {
	at := o.offsets[o.begins[i]]
	return sort.Search(len(o.starts), func(line int) bool {
		m := o.starts[line]
		return o.offsets[m.passage]+m.at > at
	}) - 1
}

// end is the line behind a section.
func (o *outline) end(i int) int {
	if i+1 < len(o.sections) {
		return o.beginning(i + 1)
	}
	return len(o.starts)
}

// below is the first line below the screen.
func (o *outline) below() int {
	line, left := o.top.line, o.h+o.top.row
	for ; line < len(o.starts); line++ {
		if left -= len(o.wrapped(line)); left < 0 {
			break
		}
	}
	return max(line, o.top.line+1)
}

// bringUp scrolls to the selected section, unless it is on the screen as a whole.
func (o *outline) bringUp() {
	if len(o.sections) == 0 {
		return
	}
	begin := o.beginning(o.at)
	above := begin < o.top.line || begin == o.top.line && o.top.row > 0
	if above || o.end(o.at) > o.below() {
		o.sheet.goTo(begin)
	}
}

// keepInSight selects the nearest section on the screen where nothing of the selected one is there.
func (o *outline) keepInSight() {
	for o.at > 0 && o.beginning(o.at) >= o.below() {
		o.choose(o.at - 1)
	}
	for o.at+1 < len(o.sections) && o.end(o.at) <= o.top.line {
		o.choose(o.at + 1)
	}
}

// scroll, first, last and goTo move the screen; the selection stays on it.
func (o *outline) Scroll(by int) {
	o.sheet.Scroll(by)
	o.keepInSight()
}

func (o *outline) First() {
	o.sheet.First()
	o.choose(0)
}

func (o *outline) Last() {
	o.sheet.Last()
	if n := len(o.sections); n > 0 {
		o.choose(n - 1)
	}
}

func (o *outline) goTo(line int) {
	o.sheet.goTo(line)
	o.keepInSight()
}

// text is all of it, collapsed or not.
func (o *outline) text() string {
	var b strings.Builder
	for _, p := range o.head {
		b.WriteString(p.text)
	}
	for _, s := range o.sections {
		b.WriteString("\n" + o.headingOf(s, false) + "\n")
		for _, p := range s.body {
			b.WriteString(p.text)
		}
	}
	return b.String()
}
