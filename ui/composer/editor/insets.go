package editor

import "github.com/charmbracelet/x/ansi"

// Relabel gives an inset another label. It says whether there is such an inset.
func (e *Editor) Relabel(number int, label string) bool {
	p, ok := e.find(number)
	if ok {
		l := e.lines[p.line]
		l.replace(p.at, p.at+1, []cell{{text: label, width: ansi.StringWidth(label), inset: number}})
		e.changed()
	}
	return ok
}

// Unfold puts a text in the place of an inset. The cursor stays where it is in the text around it; one
// right behind the inset is right behind the text.
func (e *Editor) Unfold(number int, text string) bool {
	return e.unfold(number, func() { e.Insert(text) })
}

// Unpack puts several insets, parted by spaces, in the place of one.
func (e *Editor) Unpack(number int, numbers []int, labels []string) bool {
	return e.unfold(number, func() {
		for i, n := range numbers {
			if i > 0 {
				e.Insert(" ")
			}
			e.InsertInset(n, labels[i])
		}
	})
}

// unfold has something written in the place of an inset.
func (e *Editor) unfold(number int, write func()) bool {
	p, ok := e.find(number)
	if !ok {
		return false
	}
	after := position{p.line, p.at + 1}
	was, selected := e.cursor, e.anchor
	e.anchor = nil
	e.cut(p, after)
	write()
	now := e.cursor
	e.cursor = moved(was, after, now)
	if selected != nil {
		other := moved(*selected, after, now)
		e.anchor = &other
	}
	e.cursor.at = min(e.cursor.at, len(e.here().cells))
	e.changed()
	return true
}

// moved is where a place has come to after what was behind one place stands behind another.
func moved(p, after, now position) position {
	switch {
	case p.before(after):
		return p
	case p.line == after.line:
		return position{now.line, now.at + p.at - after.at}
	}
	return position{p.line + now.line - after.line, p.at}
}

// find is the place in front of an inset.
func (e *Editor) find(number int) (position, bool) {
	for i, l := range e.lines {
		for at, c := range l.cells {
			if number != 0 && c.inset == number {
				return position{i, at}, true
			}
		}
	}
	return position{}, false
}
