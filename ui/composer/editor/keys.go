package editor

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// moves are the keys that move the cursor. With shift they select.
var moves = map[string]func(*Editor, position) position{
	"left": (*Editor).left, "ctrl+b": (*Editor).left,
	"right": (*Editor).right, "ctrl+f": (*Editor).right,
	"alt+left": (*Editor).wordLeft, "ctrl+left": (*Editor).wordLeft, "alt+b": (*Editor).wordLeft,
	"alt+right": (*Editor).wordRight, "ctrl+right": (*Editor).wordRight, "alt+f": (*Editor).wordRight,
	"home": lineStart, "ctrl+a": lineStart,
	"end": lineEnd, "ctrl+e": lineEnd,
	"ctrl+home": textStart, "alt+<": textStart,
	"ctrl+end": textEnd, "alt+>": textEnd,
}

// cuts are the keys that take out what is between the cursor and a place.
var cuts = map[string]func(*Editor, position) position{
	"backspace": (*Editor).left, "ctrl+h": (*Editor).left, "shift+backspace": (*Editor).left,
	"delete": (*Editor).right, "ctrl+d": (*Editor).right,
	"ctrl+w": (*Editor).wordLeft, "alt+backspace": (*Editor).wordLeft, "ctrl+backspace": (*Editor).wordLeft,
	"alt+d": (*Editor).wordRight, "alt+delete": (*Editor).wordRight, "ctrl+delete": (*Editor).wordRight,
	"ctrl+u": startOrBreak,
	"ctrl+k": endOrBreak,
}

// cases are the keys that change the letters of the word behind the cursor.
var cases = map[string]func(text string, first bool) string{
	"alt+u": func(text string, _ bool) string { return strings.ToUpper(text) },
	"alt+l": func(text string, _ bool) string { return strings.ToLower(text) },
	"alt+c": func(text string, first bool) string {
		if !first {
			return text
		}
		r, n := utf8.DecodeRuneInString(text)
		return string(unicode.ToTitle(r)) + text[n:]
	},
}

func lineStart(_ *Editor, p position) position { return position{p.line, 0} }
func lineEnd(e *Editor, p position) position   { return position{p.line, len(e.lines[p.line].cells)} }
func textStart(*Editor, position) position     { return position{} }
func textEnd(e *Editor, _ position) position   { return e.end() }

// startOrBreak and endOrBreak are the end of the line on one side, or behind the line break there.
func startOrBreak(e *Editor, p position) position {
	if p.at == 0 {
		return e.left(p)
	}
	return lineStart(e, p)
}

func endOrBreak(e *Editor, p position) position {
	if p == lineEnd(e, p) {
		return e.right(p)
	}
	return lineEnd(e, p)
}

// Press is a key. One that is not known and has a text writes it.
func (e *Editor) Press(msg tea.KeyPressMsg) {
	name := msg.Keystroke()
	if plain := strings.Replace(name, "shift+", "", 1); plain != name && (moves[plain] != nil || plain == "up" || plain == "down") {
		if e.anchor == nil {
			from := e.cursor
			e.anchor = &from
		}
		e.step(plain)
		return
	}
	cut, change := cuts[name], cases[name]
	switch {
	case moves[name] != nil, name == "up", name == "down":
		e.anchor = nil
		e.step(name)
	case cut != nil:
		if !e.deleteSelection() {
			e.take(cut(e, e.cursor))
		}
	case change != nil:
		e.anchor = nil
		e.recase(change)
	case msg.Text != "":
		e.Insert(msg.Text)
	}
}

// step moves the cursor.
func (e *Editor) step(name string) {
	switch name {
	case "up":
		e.upDown(-1)
	case "down":
		e.upDown(1)
	default:
		e.moveTo(moves[name](e, e.cursor))
	}
}

// take takes out what is between the cursor and a place.
func (e *Editor) take(to position) {
	from := e.cursor
	if to.before(from) {
		from, to = to, from
	}
	e.cut(from, to)
}

// recase changes the letters of the word behind the cursor, and goes behind it.
func (e *Editor) recase(change func(string, bool) string) {
	p := e.cursor
	for p != e.end() && e.kind(p) == 0 {
		p = e.right(p)
	}
	first := true
	for ; e.kind(p) == 1; p = e.right(p) {
		c := &e.lines[p.line].cells[p.at]
		*c = cellsOf(change(c.text, first))[0]
		first = false
	}
	e.here().rows, e.lines[p.line].rows = nil, nil
	e.cursor = p
	e.changed()
}
