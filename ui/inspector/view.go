package inspector

import (
	"slices"
	"strings"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// view is what is shown of a subject: a text with sections or without, or a list, whose rows are sections without a
// body. One section is under the cursor.
type view struct {
	pager
	head     Page
	sections []section
	at       int             // the section under the cursor
	starts   []int           // the line of each section's row
	folded   map[string]bool // the sections that are collapsed to their row, by their keys
	list     bool            // the keys that scroll move the cursor
	none     string          // what is said where a list has no row
	height   int             // of the screen: the pager has what the foot leaves of it

	below func(st theme.Styles, w int) []string // draws what stays below the text; nil for nothing
}

// section is a row with the text below it.
type section struct {
	key  string // the same in every request that has it
	row  Page
	gist string // of the body, shown in its place
	body Page

	// Of a row of a list:
	reason  string // the sentence about it, shown below the list
	message int64  // that it is about
}

// layOut writes the lines of the sections as they are now.
func (v *view) layOut() {
	v.lines, v.starts, v.rows = nil, nil, nil
	v.write(v.head)
	before := false // the section before is a row alone
	for _, s := range v.sections {
		alone := v.list || v.folded[s.key]
		if len(v.lines) > 0 && !(alone && before) {
			v.write(Page{{Quiet, "\n"}})
		}
		before = alone
		v.starts = append(v.starts, len(v.lines))
		if v.folded[s.key] {
			room := min(measure, textWidth(v.w)) - theme.Width(s.row.text()) - len("   ")
			v.write(slices.Concat(s.row, Page{{Quiet, "   " + markdown.OneLine(s.gist, room)}}))
			continue
		}
		v.write(slices.Concat(s.row, Page{{Quiet, "\n"}}, s.body))
	}
	v.settle()
}

// resize gives the view its size in cells.
func (v *view) resize(w, h int) {
	again := w != v.w || v.lines == nil
	if v.w, v.height = w, h; again {
		v.layOut()
	}
	v.fit()
	v.keepInSight()
}

const (
	leastText  = 4 // how many lines of a text its foot leaves it: a low screen has no foot
	mostReason = 3 // lines of a reason
)

// fit gives the pager what the foot leaves of the screen.
func (v *view) fit() {
	h := v.height
	if foot := len(v.foot(theme.Styles{})); h >= foot+leastText {
		h -= foot
	}
	v.pager.resize(v.w, max(1, h))
}

// foot is what stays below the text, such as the reason of the row under the cursor.
func (v *view) foot(st theme.Styles) []string {
	switch {
	case v.below != nil:
		return v.below(st, v.w)
	case v.at >= len(v.sections) || v.sections[v.at].reason == "":
		return nil
	}
	lines := indented(st.Text, theme.UpperFirst(v.sections[v.at].reason), v.w)
	return append([]string{"", ruleIn(st, v.w)}, lines[:min(mostReason, len(lines))]...)
}

// restore scrolls to where another view of the same was.
func (v *view) restore(before *view) {
	v.choose(before.at)
	v.goTo(before.top.line)
	v.keepInSight()
}

// choose puts the cursor on a section, all of which is on the screen then if it has room, and says whether there is
// one.
func (v *view) choose(i int) bool {
	if i < 0 || i >= len(v.sections) {
		return false
	}
	v.at = i
	v.fit()
	if v.starts[i] < v.top.line || v.starts[i] == v.top.line && v.top.row > 0 || v.after(i) > v.firstBelow() {
		v.goTo(v.starts[i])
		if v.list {
			v.scroll(-v.h / 2)
		}
	}
	return true
}

// after is the line after a section.
func (v *view) after(i int) int {
	if i+1 < len(v.sections) {
		return v.starts[i+1]
	}
	return len(v.lines)
}

// firstBelow is the first line below the screen.
func (v *view) firstBelow() int { return max(v.end().line, v.top.line+1) }

// keepInSight moves the cursor to the nearest section on the screen where nothing of its own is there.
func (v *view) keepInSight() {
	for v.at > 0 && v.starts[v.at] >= v.firstBelow() {
		v.at--
	}
	for v.at+1 < len(v.sections) && v.after(v.at) <= v.top.line {
		v.at++
	}
}

// Scroll moves the text by rows, or the cursor of a list.
func (v *view) Scroll(by int) {
	if v.list {
		v.choose(max(0, min(v.at+by, len(v.sections)-1)))
		return
	}
	v.scroll(by)
	v.keepInSight()
}

// First goes to the beginning.
func (v *view) First() {
	v.at = 0
	v.goTo(0)
}

// Last goes to the end.
func (v *view) Last() {
	v.at = max(0, len(v.sections)-1)
	v.goTo(len(v.lines))
}

// fold collapses sections, or expands them where all are collapsed.
func (v *view) fold(list ...section) {
	open := slices.ContainsFunc(list, func(s section) bool { return !v.folded[s.key] })
	for _, s := range list {
		v.folded[s.key] = open
	}
	v.layOut()
	v.choose(v.at)
}

// sectionAt is the section that a row of the screen is of, -1 for none.
func (v *view) sectionAt(y int) int {
	line := v.move(v.top, y).line
	if y >= v.h || line >= len(v.lines) {
		return -1
	}
	at, found := slices.BinarySearch(v.starts, line)
	if found {
		return at
	}
	return at - 1
}

// Text is all of it for copying, collapsed or not.
func (v *view) Text() string {
	var b strings.Builder
	b.WriteString(v.head.text())
	for _, s := range v.sections {
		b.WriteString(strings.TrimSpace(s.row.text()) + "\n" + s.body.text())
	}
	return b.String()
}

// View draws the view.
func (v *view) View(st theme.Styles) []string {
	chosen := -1
	if len(v.sections) > 0 {
		chosen = v.starts[v.at]
	}
	lines := v.view(st, chosen)
	if v.h < v.height {
		lines = append(lines, v.foot(st)...)
	}
	return lines
}
