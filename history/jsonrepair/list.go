package jsonrepair

import (
	"bytes"
	"slices"
	"strings"
)

// elements reads a list up to and with its closing bracket, behind other elements where first is false.
func (p *parser) elements(first bool) {
	var row listRow
	for !p.broken {
		mark := len(p.out)
		comma := p.separator()
		if p.lostRow(row, mark) {
			row = listRow{follows: true}
			continue
		}
		if p.ended(mark, comma, ']') {
			return
		}
		if p.at('}') {
			p.faults |= faultBracket
			p.out = p.out[:mark]
			if len(p.stack) > p.lists {
				return // it closes the object around this list
			}
			p.pos++
			continue
		}
		p.joint(mark, first, comma)
		from, start := p.pos, len(p.out)
		if !p.value(inList) {
			p.out = p.out[:mark]
			continue
		}
		if p.colonFollows() {
			if !p.lostBrace(mark, from, first && !comma) {
				p.unlist(mark, from)
				return
			}
			p.braceBefore(from, start)
		}
		row.add(p.out[len(p.out)-1] == ']', start)
		first = false
	}
}

// listRow is the end of a list that may be a row of a table without its opening bracket: elements that
// are no lists.
type listRow struct {
	start   int  // where the first of them stands in out, 0 where there are none
	follows bool // a list stands before them
}

func (r *listRow) add(list bool, start int) {
	switch {
	case list:
		*r = listRow{follows: true}
	case r.start == 0:
		r.start = start
	}
}

// lostRow reports whether the closing bracket here is that of a row which lost its opening one, and puts
// both around the row: [["a", "b"], "c", "d"], ["e", "f"]]. The list has to stand in an object, so that
// the bracket too many at its end closes nothing else.
func (p *parser) lostRow(row listRow, mark int) bool {
	if row.start == 0 || !p.at(']') || !p.inside('{') {
		return false
	}
	rest := p.ahead(p.pos + 1)
	if !listGoesOn(rest) || !row.follows && !strings.HasPrefix(skipBlanks(rest), ",") {
		return false
	}
	p.out = append(slices.Insert(p.out[:mark], row.start, '['), ']')
	p.skip(faultBracket)
	return true
}

// listGoesOn reports whether s, behind a value, holds nothing but lists up to a closing bracket that none of
// them opened.
func listGoesOn(s string) bool {
	for s = skipBlanks(s); strings.HasPrefix(s, ","); s = skipBlanks(s) {
		list, ok := strings.CutPrefix(skipBlanks(s[1:]), "[")
		end := closingBracket(list)
		if !ok || end < 0 {
			return false
		}
		s = list[end+1:]
	}
	return strings.HasPrefix(s, "]")
}

// elementFollows reports whether an element of a list stands here, behind a value that ends at mark in out
// and at from in src, and not the next member: a value without a name, and a comma or a closing bracket
// behind it.
func (p *parser) elementFollows(mark, from int) bool {
	s := p.rest()
	switch s[0] {
	case '{':
		return true
	case '[':
		return p.out[mark-1] != ']' && listGoesOn(p.ahead(from))
	}
	n := stringLength(s)
	if n == 0 {
		n = bareLength(s, inList)
		if n <= 0 || !plainText(strings.TrimSpace(s[:n])) {
			return false
		}
	}
	return n > 0 && startsWithAny(skipBlanks(s[n:]), ",]")
}

// textOfElements reports whether the value of m, which ends at end, is a text without quotes that has
// commas: elements of a list.
func (p *parser) textOfElements(m member, end int) bool {
	value := p.src[m.from:end]
	return !startsWithQuote(value) && !startsWithAny(value, "{[(]") && strings.Contains(value, ",")
}

// listAround puts the brackets of a list around the value of m, which ends at end, and the elements that
// follow it where members should: "a": 1, 2]. Nothing but the list's closing bracket shows that they are
// elements.
func (p *parser) listAround(m member, end int) {
	p.faults |= faultBracket
	p.out, p.pos = slices.Insert(p.out, m.start, '['), end
	first := p.textOfElements(m, end)
	if first {
		p.out, p.pos = p.out[:m.start+1], m.from
	}
	p.enclosed('[', func() { p.elements(first) })
	p.broken = p.broken || p.pos <= end || p.src[p.pos-1] != ']'
}

// colonFollows reports whether what was just read as an element is a name.
func (p *parser) colonFollows() bool {
	return p.out[len(p.out)-1] == '"' && startsColon(p.rest())
}

// lostBrace reports whether the name at from, in a list, begins an object that lost its opening brace, and
// not the next member behind a list that lost its closing bracket. That is so where no object around the
// list could take the name, where the list is blank, and where objects stand before and behind.
func (p *parser) lostBrace(mark, from int, blank bool) bool {
	if blank || !p.inside('{') {
		return true
	}
	if n := len(p.stack); p.out[mark-1] != '}' || n > 2 && p.stack[n-3] == '[' {
		return false
	}
	rest := p.ahead(from)
	end := closingBracket(rest)
	if end < 0 || rest[end] != '}' {
		return false
	}
	next, comma := strings.CutPrefix(skipBlanks(rest[end+1:]), ",")
	return !comma && strings.HasPrefix(next, "]") || comma && strings.HasPrefix(skipBlanks(next), "{")
}

// braceBefore reads the object that begins with the name at from, from where nothing has been copied
// behind start, and whose opening brace is missing.
func (p *parser) braceBefore(from, start int) {
	p.faults |= faultBracket
	p.out, p.pos = append(p.out[:start], '{'), from
	p.enclosed('{', p.members)
}

// unlist ends a list before the name that begins at from, because the list's closing bracket is missing.
// Only the object around it can take the name, so each name is read twice at most.
func (p *parser) unlist(mark, from int) {
	if !startsWithKey(p.src[from:]) {
		p.fail()
		return
	}
	p.faults |= faultBracket
	p.out, p.pos = p.out[:mark], from
}

// strayList reads a list that stands where a name should. Behind a list it is the rest of that one,
// closed too early: ["a"], ["b"]. Behind anything else no name is known for it, and it is left out.
func (p *parser) strayList(mark int) {
	p.faults |= faultBracket
	if p.out[mark-1] != ']' {
		p.value(inObject)
		p.out = p.out[:mark]
		return
	}
	p.out = p.out[:mark-1]
	empty := bytes.HasSuffix(bytes.TrimRight(p.out, jsonBlanks), []byte("["))
	p.pos++
	p.enclosed('[', func() { p.elements(empty) })
}
