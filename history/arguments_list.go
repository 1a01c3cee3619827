package history

import (
	"bytes"
	"strings"
)

// elements reads a list up to and with its closing bracket.
func (p *argParser) elements() { p.moreElements(true) }

// moreElements reads what elements does, behind others where first is false.
func (p *argParser) moreElements(first bool) {
	for !p.broken {
		mark := len(p.out)
		comma := p.separator()
		if p.ended(mark, comma, ']') {
			return
		}
		if p.src[p.pos] == '}' {
			p.faults |= faultBracket
			p.out = p.out[:mark]
			if len(p.stack) > p.lists {
				return // it closes the object around this list
			}
			p.pos++
			continue
		}
		p.joint(mark, first, comma)
		from := p.pos
		if !p.value(inList) {
			p.out = p.out[:mark]
			continue
		}
		if p.colonFollows() {
			p.unlist(mark, from, first && !comma)
			return
		}
		first = false
	}
}

// colonFollows reports whether what was just read as an element is a name: the list's bracket is
// missing before it.
func (p *argParser) colonFollows() bool {
	return p.out[len(p.out)-1] == '"' && strings.HasPrefix(p.src[p.pos:][blankLength(p.src[p.pos:]):], ":")
}

// unlist ends a list before the element that begins at from. Only the object around it can take the
// element as a name, so each name is read twice at most; and only where the list has elements of its
// own, or a comma, because else it is meant to be an object.
func (p *argParser) unlist(mark, from int, blank bool) {
	quote, size := quoteAt(p.src[from:])
	if blank || !p.inside('{') || !startsWithKey(p.src[from:], quote, size) {
		p.fail()
		return
	}
	p.faults |= faultBracket
	p.out, p.pos = p.out[:mark], from
}

// strayList reads a list that stands where a name should. Behind a list it is the rest of that one,
// closed too early: ["a"], ["b"]. Behind anything else no name is known for it, and it is left out.
func (p *argParser) strayList(mark int) {
	p.faults |= faultBracket
	if p.out[mark-1] != ']' {
		p.value(inObject)
		p.out = p.out[:mark]
		return
	}
	p.out = p.out[:mark-1]
	empty := bytes.HasSuffix(bytes.TrimRight(p.out, " \t\r\n"), []byte("["))
	p.enclosed('[', func() { p.moreElements(empty) })
}
