package inspector

import (
	"slices"
	"strings"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Outline is a text in sections, each of which can be collapsed to its heading. One section is
// selected.
type Outline struct {
	*Pager
	head      Page // above the first section
	Sections  []section
	collapsed map[string]bool // by the section's key
	At        int             // the selected section
	begins    []int           // the segment of each section's heading
}

// section is a part of an outline. Its key is the same in every request that has it.
type section struct {
	Key, Heading, Facts string
	Gist                string // of the body: its size and its beginning
	Body                Page
}

// newOutline makes an outline. The caller keeps collapsed to give it to the next one.
func newOutline(head Page, sections []section, collapsed map[string]bool) *Outline {
	o := &Outline{head: head, Sections: sections, collapsed: collapsed}
	o.Pager = o.layOut()
	return o
}

// layOut makes the pager of the sections as they are now.
func (o *Outline) layOut() *Pager {
	p := slices.Clone(o.head)
	o.begins = o.begins[:0]
	for i, s := range o.Sections {
		folded := o.collapsed[s.Key]
		if i == 0 || !folded || !o.collapsed[o.Sections[i-1].Key] {
			p.Add(Quiet, "\n")
		}
		o.begins = append(o.begins, len(p))
		p.Add(o.headingKind(i), s.Heading)
		if s.Facts != "" {
			p.Add(Quiet, "  "+s.Facts)
		}
		if folded {
			p.Add(Quiet, o.gistOf(s))
		}
		p.Add(Quiet, "\n")
		if !folded {
			p = append(p, s.Body...)
		}
	}
	return NewPager(p)
}

func (o *Outline) headingKind(i int) Kind {
	if i == o.At {
		return Selected
	}
	return Title
}

// leastExcerpt is the cells below which the gist of a section is left out.
const leastExcerpt = 8

// gistOf is the gist after the heading of a collapsed section, cut to the rest of the row.
func (o *Outline) gistOf(s section) string {
	if o.Pager == nil {
		return ""
	}
	space := min(measure, textWidth(o.w)) - theme.Width(markdown.Visible(s.Heading+"  "+s.Facts)) - len("   ")
	if space < leastExcerpt || s.Gist == "" {
		return ""
	}
	return "   " + markdown.OneLine(s.Gist, space)
}

// Resize gives the outline its size in cells.
func (o *Outline) Resize(w, h int) {
	narrower := w != o.w
	o.Pager.Resize(w, h)
	if narrower {
		o.again()
	}
	o.keepInSight()
}

// again lays the sections out anew. The rows above the selected section stay where they are.
func (o *Outline) again() {
	top, w, h := o.top, o.w, o.H
	o.Pager = o.layOut()
	o.w, o.H, o.top = w, h, top
	o.settle()
}

// Toggle collapses or expands the selected section.
func (o *Outline) Toggle() {
	if len(o.Sections) == 0 {
		return
	}
	key := o.Sections[o.At].Key
	o.collapsed[key] = !o.collapsed[key]
	o.again()
	o.showSelected()
}

// toggleAll collapses all sections, or expands them where all are collapsed.
func (o *Outline) toggleAll() {
	all := !slices.ContainsFunc(o.Sections, func(s section) bool { return !o.collapsed[s.Key] })
	for _, s := range o.Sections {
		o.collapsed[s.Key] = !all
	}
	o.again()
	o.showSelected()
}

// Step selects another section and says whether there is one.
func (o *Outline) Step(by int) bool {
	to := o.At + by
	if to < 0 || to >= len(o.Sections) {
		return false
	}
	o.Choose(to)
	o.showSelected()
	return true
}

// Choose selects a section.
func (o *Outline) Choose(i int) {
	before := o.At
	o.At = i
	for _, k := range []int{before, i} {
		if k < len(o.begins) {
			line := o.beginning(k)
			o.lines[line][0].Kind = o.headingKind(k)
			delete(o.Rows, line)
		}
	}
}

// beginning is the line of a section's heading.
func (o *Outline) beginning(i int) int { return o.Pager.begin[o.begins[i]] }

// end is the line after a section.
func (o *Outline) end(i int) int {
	if i+1 < len(o.Sections) {
		return o.beginning(i + 1)
	}
	return len(o.lines)
}

// below is the first line below the screen.
func (o *Outline) below() int {
	return max(o.Pager.end().line, o.top.line+1)
}

// showSelected scrolls to the selected section, unless it is on the screen as a whole.
func (o *Outline) showSelected() {
	if len(o.Sections) == 0 {
		return
	}
	begin := o.beginning(o.At)
	above := begin < o.top.line || begin == o.top.line && o.top.row > 0
	if above || o.end(o.At) > o.below() {
		o.Pager.GoTo(begin)
	}
}

// keepInSight selects the nearest section on the screen where nothing of the selected one is there.
func (o *Outline) keepInSight() {
	for o.At > 0 && o.beginning(o.At) >= o.below() {
		o.Choose(o.At - 1)
	}
	for o.At+1 < len(o.Sections) && o.end(o.At) <= o.top.line {
		o.Choose(o.At + 1)
	}
}

// Scroll moves the screen; the selection stays on it, as it does for First, Last and GoTo.
func (o *Outline) Scroll(by int) {
	o.Pager.Scroll(by)
	o.keepInSight()
}

// First goes to the first section.
func (o *Outline) First() {
	o.Pager.First()
	o.Choose(0)
}

// Last goes to the last section.
func (o *Outline) Last() {
	o.Pager.Last()
	if n := len(o.Sections); n > 0 {
		o.Choose(n - 1)
	}
}

// GoTo scrolls a line to the top.
func (o *Outline) GoTo(line int) {
	o.Pager.GoTo(line)
	o.keepInSight()
}

// Text is all of it, collapsed or not.
func (o *Outline) Text() string {
	var b strings.Builder
	b.WriteString(o.head.text())
	for _, s := range o.Sections {
		b.WriteString("\n" + strings.TrimSpace(s.Heading+"  "+s.Facts) + "\n" + s.Body.text())
	}
	return b.String()
}
