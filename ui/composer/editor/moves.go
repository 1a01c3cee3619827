package editor

import "strings"

func (e *Editor) end() position {
	last := len(e.lines) - 1
	return position{last, len(e.lines[last].cells)}
}

// moveTo puts the cursor somewhere.
func (e *Editor) moveTo(p position) {
	e.cursor, e.goal = p, -1
	e.show()
}

// left is the place before another one, right the one behind it; at the ends of the text it is the same.
func (e *Editor) left(p position) position {
	switch {
	case p.at > 0:
		p.at--
	case p.line > 0:
		p = position{p.line - 1, len(e.lines[p.line-1].cells)}
	}
	return p
}

func (e *Editor) right(p position) position {
	switch {
	case p.at < len(e.lines[p.line].cells):
		p.at++
	case p.line < len(e.lines)-1:
		p = position{p.line + 1, 0}
	}
	return p
}

// kind is what words are told apart by: an inset is a word of its own.
func (e *Editor) kind(p position) int {
	cells := e.lines[p.line].cells
	switch {
	case p.at >= len(cells) || cells[p.at].inset == 0 && strings.TrimSpace(cells[p.at].text) == "":
		return 0
	case cells[p.at].inset != 0:
		return -cells[p.at].inset
	}
	return 1
}

// wordLeft is the beginning of the word before a place, wordRight the end of the one behind it.
func (e *Editor) wordLeft(p position) position {
	for p != (position{}) && e.kind(e.left(p)) == 0 {
		p = e.left(p)
	}
	for of := e.kind(e.left(p)); p.at > 0 && e.kind(e.left(p)) == of; {
		p = e.left(p)
	}
	return p
}

func (e *Editor) wordRight(p position) position {
	for p != e.end() && e.kind(p) == 0 {
		p = e.right(p)
	}
	for of := e.kind(p); of != 0 && e.kind(p) == of; {
		p = e.right(p)
	}
	return p
}

// OnFirst and OnLast say whether the cursor is on the first or the last row of the text.
func (e *Editor) OnFirst() bool { return e.cursor.line == 0 && e.row(e.cursor) == 0 }

func (e *Editor) OnLast() bool {
	return e.cursor.line == len(e.lines)-1 && e.row(e.cursor) == len(e.here().layout(e.width))-1
}

// upDown moves the cursor by a row. It comes back to its column behind shorter rows.
func (e *Editor) upDown(by int) {
	if e.goal < 0 {
		e.goal = e.column(e.cursor)
	}
	line, row := e.cursor.line, e.row(e.cursor)+by
	switch {
	case row < 0 && line == 0:
		e.cursor.at = 0
		return
	case row < 0:
		line--
		row = len(e.lines[line].layout(e.width)) - 1
	case row >= len(e.here().layout(e.width)):
		if line == len(e.lines)-1 {
			e.cursor = e.end()
			return
		}
		line, row = line+1, 0
	}
	e.cursor = position{line, e.cellAt(line, row, e.goal)}
	e.show()
}

// selected says that the cell behind a place is selected.
func (e *Editor) selected(p position) bool {
	from, to, ok := e.selection()
	return ok && !p.before(from) && p.before(to)
}

func (e *Editor) selection() (from, to position, ok bool) {
	if e.anchor == nil || *e.anchor == e.cursor {
		return position{}, position{}, false
	}
	if e.cursor.before(*e.anchor) {
		return e.cursor, *e.anchor, true
	}
	return *e.anchor, e.cursor, true
}

// deleteSelection says whether there was one.
func (e *Editor) deleteSelection() bool {
	from, to, ok := e.selection()
	e.anchor = nil
	if ok {
		e.cut(from, to)
	}
	return ok
}

// cut takes the text between two places out.
func (e *Editor) cut(from, to position) {
	if from == to {
		return
	}
	first, last := e.lines[from.line], e.lines[to.line]
	if first == last {
		first.replace(from.at, to.at, nil)
	} else {
		first.replace(from.at, len(first.cells), last.cells[to.at:])
		e.lines = append(e.lines[:from.line+1], e.lines[to.line+1:]...)
	}
	e.cursor = from
	e.changed()
}
