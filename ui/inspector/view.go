package inspector

import "winnow/ui/theme"

// view is what is shown of a subject: a text to scroll through, or a list below it with a cursor.
type view struct {
	pager
	page   Page
	items  []item // its last lines: then the keys that scroll move the cursor
	at     int    // the item under the cursor
	height int    // of the screen: the pager has what the foot leaves of it

	below func(st theme.Styles, w int) []string // draws what stays below the text; nil for the reason of an item
}

// item is a row of a list.
type item struct {
	reason  string // the sentence about it, shown below the list
	message int64  // that it is about
}

// list adds an item to the list, which is drawn in a line.
func (v *view) list(i item, row Page) {
	v.page, v.items = append(append(v.page, row...), Segment{Quiet, "\n"}), append(v.items, i)
}

// resize gives the view its size in cells.
func (v *view) resize(w, h int) {
	if v.lines == nil {
		v.write(v.page)
	}
	v.w, v.height = w, h
	v.rows = nil
	v.fit()
}

// fit gives the pager what the foot leaves of the screen. A low screen has no foot.
func (v *view) fit() {
	const leastText = 4 // lines
	h := v.height
	if foot := len(v.foot(theme.Styles{})); h >= foot+leastText {
		h -= foot
	}
	v.pager.resize(v.w, max(1, h))
}

// foot is what stays below the text, such as the reason of the item under the cursor.
func (v *view) foot(st theme.Styles) []string {
	const mostReason = 3 // lines
	switch {
	case v.below != nil:
		return v.below(st, v.w)
	case len(v.items) == 0 || v.items[v.at].reason == "":
		return nil
	}
	lines := indented(st.Text, theme.UpperFirst(v.items[v.at].reason), v.w)
	return append([]string{"", ruleIn(st, v.w)}, lines[:min(mostReason, len(lines))]...)
}

// lineOf is the line of an item.
func (v *view) lineOf(i int) int { return len(v.lines) - len(v.items) + i }

// choose puts the cursor on an item, and scrolls to it.
func (v *view) choose(i int) {
	v.at = max(0, min(i, len(v.items)-1))
	v.fit()
	if line := v.lineOf(v.at); line < v.top.line || line >= v.end().line {
		v.goTo(line)
		v.scroll(-v.h / 2)
	}
}

// Scroll moves the text by rows, or the cursor of a list.
func (v *view) Scroll(by int) {
	if len(v.items) > 0 {
		v.choose(v.at + by)
		return
	}
	v.scroll(by)
}

// First goes to the beginning.
func (v *view) First() {
	v.at = 0
	v.goTo(0)
}

// Last goes to the end.
func (v *view) Last() {
	v.at = max(0, len(v.items)-1)
	v.goTo(len(v.lines))
}

// View draws the view.
func (v *view) View(st theme.Styles) []string {
	chosen := -1
	if len(v.items) > 0 {
		chosen = v.lineOf(v.at)
	}
	lines := v.view(st, chosen)
	if v.h < v.height {
		lines = append(lines, v.foot(st)...)
	}
	return lines
}
