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
	"ctrl+u": startOrBreak,
	"ctrl+k": endOrBreak,
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

// startOrBreak is the start of the line, or in front of the line break there.
func startOrBreak(e *Editor, p position) position {
	if p.at == 0 {
		return e.left(p)
	}
	return e.lineStart(p)
}

// endOrBreak is the end of the line, or behind the line break there.
func endOrBreak(e *Editor, p position) position {
	if p == e.lineEnd(p) {
		return e.right(p)
	}
	return e.lineEnd(p)
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

// wordAt is the kind of word that the character behind a position belongs to: nil for none, "" for text. An inset is a
// word of its own, and its own kind.
func (e *Editor) wordAt(p position) any {
	switch l := e.lines[p.line].characters; {
	case p.at >= len(l) || l[p.at].space():
		return nil
	case l[p.at].inset != nil:
		return l[p.at].inset
	}
	return ""
}

// wordLeft is the beginning of the word before a position.
func (e *Editor) wordLeft(p position) position {
	for p != (position{}) && e.wordAt(e.left(p)) == nil {
		p = e.left(p)
	}
	for word := e.wordAt(e.left(p)); p.at > 0 && e.wordAt(e.left(p)) == word; {
		p = e.left(p)
	}
	return p
}

// wordRight is the end of the word behind a position.
func (e *Editor) wordRight(p position) position {
	for p != e.end(p) && e.wordAt(p) == nil {
		p = e.right(p)
	}
	for word := e.wordAt(p); word != nil && e.wordAt(p) == word; {
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
