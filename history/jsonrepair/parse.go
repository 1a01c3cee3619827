package jsonrepair

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep objects and lists may stand in one another. A server's own parser gives up
// not far above it.
const maxDepth = 512

// parser copies an object from src to out as valid JSON. What is valid passes byte for byte; every
// departure is a fault. A text that ends too early is closed where it ends: what stood open and
// cannot be kept true (a name, a number, a literal) is taken out again.
type parser struct {
	src     string
	pos     int
	out     []byte
	faults  Faults
	open    bool // src ended before the object did
	broken  bool // no reading is sure enough
	plain   bool // the first quote ends a string, whatever follows it
	ranOff  bool // a string went over quotes inside it to the end of src: they may have been its end
	doubled bool // the string being read began with two quotes
	from    int  // where its inside begins
	raw     bool // its backslashes are text
	windows bool // it is a path of Windows whose backslashes are no escapes
	stack   []byte
	lists   int // how many of the stack are lists
}

// member is a member of an object that was read.
type member struct {
	start, from int  // where its value begins, in out and in src
	comma       bool // a comma stood in its colon's place
}

// parse reads the object or the list that src begins with. A string with quotes inside it
// that never ends is more likely one that lost its quote, so a second reading, in which the first
// quote ends each string, goes before when it makes sense. plain asks for that reading alone.
func parse(src string, plain bool) (*parser, bool) {
	// src may be the rest of many objects: what is reserved must not grow with it.
	p := &parser{src: src, plain: plain, out: make([]byte, 0, min(len(src)+16, 256))}
	p.value(atTop)
	if p.ranOff {
		if q, ok := parse(src, true); ok {
			return q, true
		}
	}
	return p, !p.broken
}

// position is where a value stands; it decides what may follow it.
type position int

const (
	atTop position = iota
	atKey
	inObject
	inList
	inTuple
)

// value reads one value and reports whether it can be kept. Where it cannot, nothing is wrong but
// that the caller takes out what it began.
func (p *parser) value(where position) (kept bool) {
	if p.done() {
		return false
	}
	if startsWithQuote(p.rest()) {
		return p.text(where)
	}
	switch p.src[p.pos] {
	case '{':
		return p.nested('{', p.members)
	case '[':
		return p.nested('[', func() { p.elements(true) })
	case '(':
		if p.parenthesised() {
			return true
		}
		if startsTuple(p.rest()) {
			return p.nested('[', p.tuple)
		}
	case ',', '}', ']':
		p.faults |= faultValue
		return false
	}
	return p.bare(where)
}

// nested reads what stands between two brackets. It is kept even when the text ends inside.
func (p *parser) nested(opening byte, inside func()) (kept bool) {
	// Templates double the braces: {{"a": 1}}.
	doubled := strings.HasPrefix(p.rest(), "{{")
	if doubled {
		p.skip(faultBracket)
	}
	p.out = append(p.out, opening)
	p.pos++
	kept = p.enclosed(opening, inside)
	if doubled && p.at('}') {
		p.pos++
	}
	return kept
}

// enclosed reads what stands behind an opening bracket, which has been copied, and closes it.
func (p *parser) enclosed(opening byte, inside func()) (kept bool) {
	if len(p.stack) == maxDepth {
		return p.fail()
	}
	lists := p.lists
	p.stack = append(p.stack, opening)
	if opening == '[' {
		p.lists++
	}
	inside()
	p.stack, p.lists = p.stack[:len(p.stack)-1], lists
	p.out = append(p.out, closingOf(opening))
	return !p.broken
}

// members reads an object up to and with its closing brace.
func (p *parser) members() {
	var last member
	for first := true; !p.broken; {
		mark, from := len(p.out), p.pos
		comma := p.separator()
		if p.early() {
			p.out = p.out[:mark]
			continue
		}
		if p.ended(mark, comma, '}') {
			return
		}
		if c := p.src[p.pos]; c == ']' || c == '{' && !first && p.inside('[') {
			p.faults |= faultBracket
			p.out = p.out[:mark]
			if p.lists > 0 {
				return // the list around this object ends, or its next element begins
			}
			if !first && p.textOfElements(last, from) {
				p.listAround(last, from)
				continue
			}
			p.pos++
			continue
		}
		if !first && !last.comma && p.elementFollows(mark, from) {
			p.out = p.out[:mark]
			p.listAround(last, from)
			continue
		}
		if p.at('[') && !first {
			p.strayList(mark)
			continue
		}
		p.joint(mark, first, comma)
		if m, kept := p.member(first || last.comma); kept {
			first, last = false, m
			continue
		}
		p.out = p.out[:mark]
	}
}

// member reads one member. commas says whether a comma may stand in the colon's place.
func (p *parser) member(commas bool) (m member, kept bool) {
	if !p.key() {
		return m, false
	}
	from := p.pos
	p.blanks()
	switch {
	case p.done():
		return m, false
	case p.pos == from && isLetter(p.src[p.pos]):
		return m, p.fail() // a quote inside of the name
	case p.at(':'):
		p.pos++
	case p.at('='):
		if p.skip(faultColon); p.at('>') {
			p.pos++
		}
	case commas && p.at(',') && cannotBeName(p.src[p.pos+1:]):
		m.comma = true
		p.skip(faultColon)
	case startsWithAny(p.rest(), ",}]"):
		return m, p.fail() // a set of values, or a name that belongs to nothing
	default:
		p.faults |= faultColon
	}
	p.emit(":")
	p.blanks()
	if p.at(':') {
		p.skip(faultColon)
		p.blanks()
	}
	m.start, m.from = len(p.out), p.pos
	if p.at(']') && p.lists == 0 {
		p.emit("[]") // an empty list without its opening bracket
		p.skip(faultBracket)
		return m, true
	}
	return m, p.value(inObject)
}

// cannotBeName reports whether s, behind a name and a comma, begins with a value that is no name: the
// comma stands in the colon's place.
func cannotBeName(s string) bool {
	s = skipBlanks(s)
	_, _, literal := wordAt(s)
	return startsWithAny(s, "{[") || literal && !startsWithName(s)
}

// ended reports whether the text or the bracket ends here, and takes a comma before it out.
func (p *parser) ended(mark int, comma bool, closing byte) bool {
	if p.done() {
		p.out, p.open = p.out[:mark], true
		return true
	}
	if !p.at(closing) {
		return false
	}
	if comma {
		p.faults |= faultComma
		p.out = p.out[:mark]
	}
	p.pos++
	return true
}

// early reports whether the outermost brace stands here although a comma and a name follow it, and
// passes over it.
func (p *parser) early() bool {
	if !p.at('}') || len(p.stack) != 1 || !memberFollows(p.src[p.pos+1:]) {
		return false
	}
	p.skip(faultBracket)
	return true
}

// memberFollows reports whether s is a comma and a name, with a colon or a string behind it.
func memberFollows(s string) bool {
	s, comma := strings.CutPrefix(skipBlanks(s), ",")
	s = skipBlanks(s)
	n := stringLength(s)
	if n <= 0 || !comma {
		return n == 0 && comma && startsWithName(s)
	}
	quote, _ := quoteAt(s)
	after := skipBlanks(s[n:])
	next, size := quoteAt(after)
	return strings.HasPrefix(after, ":") || size > 0 && closes(quote, next)
}

// joint sees to it that exactly one comma stands between two members.
func (p *parser) joint(mark int, first, comma bool) {
	switch {
	case first && comma:
		p.faults |= faultComma
		p.out = p.out[:mark]
	case !first && !comma:
		p.faults |= faultComma
		p.out = slices.Insert(p.out, mark, ',')
	}
}

// separator copies blanks and one comma, and leaves further commas out.
func (p *parser) separator() (comma bool) {
	for p.blanks(); p.at(','); p.blanks() {
		if comma {
			p.skip(faultComma)
			continue
		}
		comma = true
		p.emit(",")
		p.pos++
	}
	return comma
}

// inside reports whether the object or list being read stands directly in one that opening begins.
func (p *parser) inside(opening byte) bool {
	n := len(p.stack)
	return n > 1 && p.stack[n-2] == opening
}

func (p *parser) done() bool { return p.pos >= len(p.src) || p.broken }

// rest is what is still to be read.
func (p *parser) rest() string { return p.src[p.pos:] }

// ahead is what stands behind a place in src, as far as it is looked at to decide one question.
func (p *parser) ahead(from int) string { return p.src[from:min(len(p.src), from+maxAhead)] }

// at reports whether a byte comes next.
func (p *parser) at(c byte) bool { return !p.done() && p.src[p.pos] == c }

// skip leaves the next byte out, whose being there is a fault.
func (p *parser) skip(f Faults) {
	p.faults |= f
	p.pos++
}

// blanks copies blanks and leaves out comments and dots that stand for something left out. The end of
// a code block is the end of the text.
func (p *parser) blanks() {
	for !p.done() {
		n := blankLength(p.rest())
		p.emit(p.rest()[:n])
		p.pos += n
		rest := p.rest()
		if n = commentLength(rest); n > 0 {
			p.faults |= faultComment
			p.pos += n
			continue
		}
		if strings.HasPrefix(rest, "```") {
			p.src = p.src[:p.pos]
			return
		}
		r, size := utf8.DecodeRuneInString(rest)
		if !isSpace(r) {
			return
		}
		p.faults |= faultBlank
		p.emit(" ")
		p.pos += size
	}
}

func (p *parser) emit(s string) { p.out = append(p.out, s...) }

func (p *parser) fail() bool {
	p.broken = true
	return false
}
