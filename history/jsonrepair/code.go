package jsonrepair

import "strings"

// code reads a value as program code writes it: u'x', Decimal('1.5'), ObjectId("x"). ok is false where
// none stands there.
func (p *parser) code(where place) (kept, ok bool) {
	rest := p.src[p.pos:]
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
	if n == 0 || n > 2 || n == len(s) || s[n] != '"' && s[n] != '\'' {
		return 0
	}
	inside := s[n+1:]
	if inside = inside[blankLength(inside):]; inside == "" || strings.IndexByte(",}]", inside[0]) >= 0 {
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
	inner := name[n+1:]
	inner = inner[blankLength(inner):]
	end := strings.IndexAny(inner, "),:\"'{}[]\n")
	if quote, size := quoteAt(inner); size > 0 {
		if end = closingQuote(inner[size:], quote); end >= 0 {
			end += size
		}
	} else if end >= 0 {
		if _, ok := bareNumber(trimBlanks(inner[:end])); !ok {
			return 0
		}
	}
	if end < 0 || !strings.HasPrefix(inner[end:][blankLength(inner[end:]):], ")") {
		return 0
	}
	return len(s) - len(inner)
}

// constructed reads the string or the number of a constructor, and the bracket behind it.
func (p *parser) constructed() (kept bool) {
	rest := p.src[p.pos:]
	if _, size := quoteAt(rest); size > 0 {
		plain := p.plain
		p.plain = true // constructorLength found where it ends
		kept = p.text(inObject)
		p.plain = plain
	} else {
		end := strings.IndexByte(rest, ')')
		number, _ := bareNumber(trimBlanks(rest[:end]))
		p.emit(number)
		p.pos += end
		kept = true
	}
	p.pos += blankLength(p.src[p.pos:])
	if p.done() || p.src[p.pos] != ')' {
		return p.fail()
	}
	p.pos++
	return kept
}

// parenthesised reads one string, number or literal in round brackets, which change nothing: ("x"), (1).
// It reads nothing where anything else stands between them or behind them.
func (p *parser) parenthesised() (read bool) {
	inside := p.pos + 1 + blankLength(p.src[p.pos+1:])
	n := wordLength(p.src[inside:])
	literal, ok := bareLiteral(p.src[inside : inside+n])
	end := inside + n
	if quote, size := quoteAt(p.src[inside:]); size > 0 {
		end = closingQuote(p.src[inside+size:], quote)
		if ok = end >= 0; ok {
			end += inside + size
		}
	}
	if !ok {
		return false
	}
	behind := end + blankLength(p.src[end:])
	if !strings.HasPrefix(p.src[behind:], ")") || !endsToken(p.src[behind+1:]) {
		return false
	}
	p.faults |= faultBracket
	if n > 0 {
		p.emit(literal)
	} else {
		plain := p.plain
		p.pos, p.plain = inside, true
		p.text(inTuple)
		p.plain = plain
	}
	p.pos = behind + 1
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
		if p.src[p.pos] == ')' {
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
	rest := p.src[p.pos:]
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
	s = s[1:]
	s = s[blankLength(s):]
	if s == "" {
		return false
	}
	if _, size := quoteAt(s); size > 0 || strings.IndexByte("([{", s[0]) >= 0 {
		return true
	}
	behind, after := ",", s[wordLength(s):]
	if s[0] == ')' {
		behind, after = ",}])", s[1:]
	} else if _, literal := bareLiteral(s[:wordLength(s)]); !literal {
		return false
	}
	after = after[blankLength(after):]
	return after != "" && strings.IndexByte(behind, after[0]) >= 0
}

// bracketOfCode reports whether s begins with a round bracket that ends no tuple: the word before it
// is part of an expression.
func bracketOfCode(s string, where place) bool {
	return s != "" && (s[0] == '(' || s[0] == ')' && where != inTuple)
}
