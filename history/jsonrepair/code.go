package jsonrepair

import "strings"

// code reads a value as program code writes it: u'x', Decimal('1.5'), ObjectId("x"). ok is false where
// none stands there.
func (p *parser) code(where position) (kept, ok bool) {
	rest := p.rest()
	if n := prefixLength(rest); n > 0 {
		p.faults |= faultQuote
		p.raw = strings.ContainsAny(rest[:n], "rR")
		p.pos += n
		kept = p.text(where)
		p.raw = false
		return kept, true
	}
	if n := constructorLength(rest); n > 0 {
		p.faults |= faultLiteral
		p.pos += n
		return p.constructed(), true
	}
	return false, false
}

// prefixLength is the length of Python's letters in front of a string: r'C:\x', b"x".
func prefixLength(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "rRbBuU"))
	if n == 0 || n > 2 || !startsWithAny(s[n:], `"'`) {
		return 0
	}
	inside := skipBlanks(s[n+1:])
	if inside == "" || startsWithAny(inside, ",}]") {
		return 0 // the letters are a text that lost its first quote
	}
	return n
}

// constructorLength is how far the name of a type and the bracket behind it go, up to the one string
// or number that stands between the brackets, 0 where anything else stands there. What begins with a
// small letter is a function, and its value is not known.
func constructorLength(s string) int {
	name := strings.TrimPrefix(s, "new ")
	n := nameLength(name)
	if n == 0 || name[0] < 'A' || name[0] > 'Z' || !strings.HasPrefix(name[n:], "(") {
		return 0
	}
	inner := skipBlanks(name[n+1:])
	end := stringLength(inner)
	if end == 0 {
		end = strings.IndexAny(inner, "),:\"'{}[]\n")
		if _, ok := bareNumber(trimBlanks(inner[:max(0, end)])); !ok {
			return 0
		}
	}
	if end < 0 || !strings.HasPrefix(skipBlanks(inner[end:]), ")") {
		return 0
	}
	return len(s) - len(inner)
}

// constructed reads the string or the number of a constructor, and the bracket behind it.
func (p *parser) constructed() (kept bool) {
	if rest := p.rest(); startsWithQuote(rest) {
		kept = p.plainString(inObject) // constructorLength found where it ends
	} else {
		end := strings.IndexByte(rest, ')')
		number, _ := bareNumber(trimBlanks(rest[:end]))
		p.emit(number)
		p.pos += end
		kept = true
	}
	p.pos += blankLength(p.rest())
	if !p.at(')') {
		return p.fail()
	}
	p.pos++
	return kept
}

// plainString reads a string that its first quote ends.
func (p *parser) plainString(where position) (kept bool) {
	plain := p.plain
	p.plain = true
	kept = p.text(where)
	p.plain = plain
	return kept
}

// parenthesised reads one string, number or literal in round brackets, which change nothing: ("x"), (1).
// It reads nothing where anything else stands between them or behind them.
func (p *parser) parenthesised() (read bool) {
	inside := p.pos + 1 + blankLength(p.src[p.pos+1:])
	n, literal, ok := wordAt(p.src[inside:])
	end := inside + n
	if startsWithQuote(p.src[inside:]) {
		length := stringLength(p.src[inside:])
		end, ok = inside+length, length > 0
	}
	if !ok {
		return false
	}
	after := end + blankLength(p.src[end:])
	if !strings.HasPrefix(p.src[after:], ")") || !continuesJSON(p.src[after+1:]) {
		return false
	}
	p.faults |= faultBracket
	if n > 0 {
		p.emit(literal)
	} else {
		p.pos = inside
		p.plainString(inTuple)
	}
	p.pos = after + 1
	return !p.broken
}

// tuple reads a list of Python in round brackets: ('x', 'y'). Without a comma the brackets stand
// around an expression, whose value is not known.
func (p *parser) tuple() {
	p.faults |= faultBracket
	for n := 0; !p.broken; n++ {
		mark := len(p.out)
		comma := p.separator()
		if p.done() {
			p.out, p.open = p.out[:mark], true
			return
		}
		if p.at(')') {
			if comma {
				p.out = p.out[:mark]
			}
			p.pos++
			p.broken = comma && n == 0 || !comma && n == 1
			return
		}
		if (n > 0) != comma {
			p.fail()
			return
		}
		if !p.value(inTuple) {
			p.out = p.out[:mark]
			p.broken = !p.open
			return
		}
	}
}

// tripled reads a string in three quotes, as Python writes one of many lines. Quotes inside it are
// text.
func (p *parser) tripled() (read bool) {
	rest := p.rest()
	if !strings.HasPrefix(rest, `"""`) && !strings.HasPrefix(rest, "'''") {
		return false
	}
	const size = 3
	end := tripleEnd(rest[size:], rest[:size])
	if end < 0 {
		return false
	}
	p.faults |= faultQuote
	p.emit(`"`)
	p.pos += size
	p.copyTo(p.pos + end)
	p.emit(`"`)
	p.pos += size
	return true
}

// tripleEnd is where the three quotes stand in s that end a string, -1 where they are missing.
func tripleEnd(s, quotes string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
			continue
		}
		if strings.HasPrefix(s[i:], quotes) {
			return i
		}
	}
	return -1
}

// startsTuple reports whether s, a round bracket and more, holds what a list does: a text or a bracket,
// a number or a literal and a comma, or nothing at all.
func startsTuple(s string) bool {
	s = skipBlanks(s[1:])
	if startsWithQuote(s) || startsWithAny(s, "([{") {
		return true
	}
	if strings.HasPrefix(s, ")") {
		return startsWithAny(skipBlanks(s[1:]), ",}])")
	}
	n, _, literal := wordAt(s)
	return literal && strings.HasPrefix(skipBlanks(s[n:]), ",")
}

// bracketOfCode reports whether s begins with a round bracket that ends no tuple: the word before it
// is part of an expression.
func bracketOfCode(s string, where position) bool {
	return strings.HasPrefix(s, "(") || where != inTuple && strings.HasPrefix(s, ")")
}
