package editor

import tea "charm.land/bubbletea/v2"

// moves are the keys that move the cursor.
var moves = map[string]func(*Editor, position) position{
	"up": (*Editor).up, "down": (*Editor).down,
	"left": (*Editor).left, "ctrl+b": (*Editor).left,
	"right": (*Editor).right, "ctrl+f": (*Editor).right,
	"alt+left": (*Editor).wordLeft, "ctrl+left": (*Editor).wordLeft, "alt+b": (*Editor).wordLeft,
	"alt+right": (*Editor).wordRight, "ctrl+right": (*Editor).wordRight, "alt+f": (*Editor).wordRight,
	"home": (*Editor).lineStart, "ctrl+a": (*Editor).lineStart,
	"end": (*Editor).lineEnd, "ctrl+e": (*Editor).lineEnd,
	"ctrl+home": (*Editor).start, "alt+<": (*Editor).start,
	"ctrl+end": (*Editor).end, "alt+>": (*Editor).end,
}

// cuts are the keys that remove what is between the cursor and a position.
var cuts = map[string]func(*Editor, position) position{
	"backspace": (*Editor).left, "ctrl+h": (*Editor).left, "shift+backspace": (*Editor).left,
	"delete": (*Editor).right, "ctrl+d": (*Editor).right,
	"ctrl+w": (*Editor).wordLeft, "alt+backspace": (*Editor).wordLeft, "ctrl+backspace": (*Editor).wordLeft,
	"alt+d": (*Editor).wordRight, "alt+delete": (*Editor).wordRight, "ctrl+delete": (*Editor).wordRight,
	"ctrl+u": (*Editor).lineStart, "ctrl+k": (*Editor).lineEnd,
}

// Press handles a key: it moves the cursor, removes text, or writes the text that it types.
func (e *Editor) Press(msg tea.KeyPressMsg) {
	name := msg.Keystroke()
	switch move, cut := moves[name], cuts[name]; {
	case move != nil:
		e.moveTo(move(e, e.cursor))
	case cut != nil:
		from, to := cut(e, e.cursor), e.cursor
		if to.before(from) {
			from, to = to, from
		}
		e.replace(from, to, "")
	case msg.Text != "":
		e.Insert(msg.Text)
	}
}

func (e *Editor) start(position) position { return position{} }

func (e *Editor) end(position) position { return e.lineEnd(position{line: len(e.lines) - 1}) }

func (e *Editor) lineStart(p position) position { return position{p.line, 0} }

func (e *Editor) lineEnd(p position) position {
	return position{p.line, len(e.lines[p.line].characters)}
}

// left is one character before a position.
func (e *Editor) left(p position) position {
	switch {
	case p.at > 0:
		p.at--
	case p.line > 0:
		return e.lineEnd(position{line: p.line - 1})
	}
	return p
}

// right is one character behind a position.
func (e *Editor) right(p position) position {
	switch {
	case p != e.lineEnd(p):
		p.at++
	case p.line < len(e.lines)-1:
		return position{p.line + 1, 0}
	}
	return p
}

// inWord reports whether the character behind a position belongs to a word.
func (e *Editor) inWord(p position) bool {
	l := e.lines[p.line].characters
	return p.at < len(l) && !l[p.at].space()
}

// wordLeft is the beginning of the word before a position.
func (e *Editor) wordLeft(p position) position {
	for p != (position{}) && !e.inWord(e.left(p)) {
		p = e.left(p)
	}
	for p.at > 0 && e.inWord(e.left(p)) {
		p = e.left(p)
	}
	return p
}

// wordRight is the end of the word behind a position.
func (e *Editor) wordRight(p position) position {
	for p != e.end(p) && !e.inWord(p) {
		p = e.right(p)
	}
	for e.inWord(p) {
		p = e.right(p)
	}
	return p
}

func (e *Editor) up(p position) position { return e.vertical(p, -1) }

func (e *Editor) down(p position) position { return e.vertical(p, 1) }

// vertical is so many rows below a position, in the column where moving up and down began.
func (e *Editor) vertical(p position, rows int) position {
	if p != e.goalOf {
		e.goal = e.column(p)
	}
	e.goalOf = e.at(e.goal, e.row(p)+rows)
	return e.goalOf
}
