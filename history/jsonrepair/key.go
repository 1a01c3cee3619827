package jsonrepair

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// key reads a member's name, in quotes or bare.
func (p *parser) key() (kept bool) {
	if startsWithQuote(p.rest()) {
		return p.quotedKey()
	}
	name := p.rest()[:nameLength(p.rest())]
	if name == "" {
		return p.fail()
	}
	p.pos += len(name)
	if p.done() {
		p.open = true
		return false
	}
	rest := p.rest()
	_, half := quoteAt(rest) // half of a pair of quotes
	if n := quotedWords(rest); n > 0 {
		name += strings.ReplaceAll(rest[:n], `"`, `\"`)
		p.pos += n
	} else if half == 0 && startsWithQuote(skipBlanks(rest)) {
		return p.wordBeforeQuote(name)
	} else {
		p.pos += half
	}
	p.blanks()
	if !p.done() && !p.at(':') && !p.at('=') {
		return p.fail()
	}
	p.faults |= faultKey
	p.emit(`"` + name + `"`)
	return true
}

// quotedWords is how far double quotes go with words directly behind each of them, up to a colon, 0
// where s does not begin so: "with"quotes: 1.
func quotedWords(s string) int {
	n := 0
	for strings.HasPrefix(s[n:], `"`) && n < maxQuotedName {
		word := nameLength(s[n+1:])
		if word == 0 {
			return 0
		}
		n += 1 + word
	}
	if n == 0 || !startsColon(s[n:]) {
		return 0
	}
	return n
}

// wordBeforeQuote reads a word with a quote behind it: a remark in front of the next name, or a name
// whose colon got lost.
func (p *parser) wordBeforeQuote(word string) (kept bool) {
	mark := len(p.out)
	p.blanks()
	if p.done() {
		p.open = true // what looked like a quote began the end of a code block
		return false
	}
	if startsWithKey(p.rest()) {
		p.faults |= faultComment
		return p.quotedKey()
	}
	if p.plain {
		return p.fail() // more likely a quote inside of a text
	}
	p.faults |= faultKey
	p.out = slices.Insert(p.out, mark, []byte(`"`+word+`"`)...)
	return true
}

// quotedKey reads a name in quotes.
func (p *parser) quotedKey() (kept bool) {
	if strayQuote(p.rest()) {
		p.skip(faultQuote)
	}
	mark := len(p.out)
	if !p.text(atKey) {
		return false
	}
	if !p.lostKeyQuote(mark) {
		p.trimKey()
	}
	return true
}

// lostKeyQuote goes back to the end of a name whose last quote got lost, where the quote that ended it
// begins the value, or the next name: {"name: "x", {"name: 1, "next".
func (p *parser) lostKeyQuote(mark int) (lost bool) {
	inside := p.src[p.from:p.pos]
	n := nameLength(inside)
	if n == 0 || !startsColon(inside[n:]) || p.done() || startsWithAny(p.rest(), " \t\r\n:=") {
		return false
	}
	p.faults |= faultQuote
	p.pos = p.from + n
	p.out = append(append(append(p.out[:mark], '"'), inside[:n]...), '"')
	return true
}

// maxQuotedName is how far a name with quotes inside goes at most, in bytes.
const maxQuotedName = 128

// insideName reports whether a quote, with s behind it, stands inside a name: letters follow it directly,
// and another quote ends the name in front of a colon.
func insideName(s string, quote rune) bool {
	if nameLength(s) == 0 {
		return false
	}
	for i, r := range s[:min(len(s), maxQuotedName)] {
		switch {
		case closes(quote, r) && startsColon(s[i+utf8.RuneLen(r):]):
			return true
		case strings.ContainsRune(",:{}[]\\\r\n", r):
			return false
		}
	}
	return false
}

// nameSoFar reports whether s, the beginning of a name, holds nothing but what names do, and quotes with letters
// behind them.
func nameSoFar(s string) bool {
	if len(s) > maxQuotedName {
		return false
	}
	for s != "" {
		if s = s[nameLength(s):]; s == "" {
			return true
		}
		_, size := quoteAt(s)
		if size == 0 {
			return false
		}
		s = s[size:]
	}
	return false
}

// strayQuote reports whether s begins with one quote more than the name has that it begins: "" name".
func strayQuote(s string) bool {
	after, ok := strings.CutPrefix(s, `""`)
	name := skipBlanks(after)
	n := nameLength(name)
	return ok && name != after && n > 0 && strings.HasPrefix(name[n:], `"`)
}

// trimKey takes a line break off the end of a name in quotes, with the blanks around it. JSON has no
// line breaks in a name, so none was meant.
func (p *parser) trimKey() {
	_, last := utf8.DecodeLastRuneInString(p.src[:p.pos])
	inside := p.src[p.from : p.pos-last]
	blanks := inside[len(trimBlanks(inside)):]
	if !strings.Contains(blanks, "\n") {
		return
	}
	p.out = append(p.out[:len(p.out)-1-copiedLength(blanks)], '"')
}
