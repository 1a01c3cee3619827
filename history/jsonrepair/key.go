package jsonrepair

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// key reads a member's name, in quotes or bare.
func (p *parser) key() (kept bool) {
	if _, size := quoteAt(p.src[p.pos:]); size > 0 {
		return p.quotedKey()
	}
	name := p.src[p.pos : p.pos+nameLength(p.src[p.pos:])]
	if name == "" {
		return p.fail()
	}
	p.pos += len(name)
	if p.done() {
		p.open = true
		return false
	}
	if n := quotedWords(p.src[p.pos:]); n > 0 {
		name += strings.ReplaceAll(p.src[p.pos:p.pos+n], `"`, `\"`)
		p.pos += n
	} else if _, size := quoteAt(p.src[p.pos:]); size > 0 {
		p.pos += size // half of a pair of quotes
	} else if _, size := quoteAt(strings.TrimLeft(p.src[p.pos:], " \t\r\n")); size > 0 {
		return p.wordBeforeQuote(name)
	}
	p.blanks()
	if !p.done() && p.src[p.pos] != ':' && p.src[p.pos] != '=' {
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
	for strings.HasPrefix(s[n:], `"`) && n < mostQuotedName {
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
	quote, size := quoteAt(p.src[p.pos:])
	if startsWithKey(p.src[p.pos:], quote, size) {
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
	if strayQuote(p.src[p.pos:]) {
		p.faults |= faultQuote
		p.pos++
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
	colon := n + blankLength(inside[n:])
	if p.done() || n == 0 || colon == len(inside) || inside[colon] != ':' || strings.IndexByte(" \t\r\n:=", p.src[p.pos]) >= 0 {
		return false
	}
	p.faults |= faultQuote
	p.pos = p.from + n
	p.out = append(append(append(p.out[:mark], '"'), inside[:n]...), '"')
	return true
}

// mostQuotedName is how far a name with quotes inside goes at most, in bytes.
const mostQuotedName = 128

// insideName reports whether a quote, with s behind it, stands inside a name: letters follow it directly,
// and another quote ends the name in front of a colon.
func insideName(s string, quote rune) bool {
	if nameLength(s) == 0 {
		return false
	}
	for i, r := range s[:min(len(s), mostQuotedName)] {
		switch {
		case closes(quote, r) && startsColon(s[i+utf8.RuneLen(r):]):
			return true
		case strings.ContainsRune(",:{}[]\\\r\n", r):
			return false
		}
	}
	return false
}

// nameSoFar reports whether s, the beginning of a name, holds nothing but what names do, and quotes.
func nameSoFar(s string) bool {
	if len(s) > mostQuotedName {
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
	name, ok := strings.CutPrefix(s, `""`)
	blank := blankLength(name)
	name = name[blank:]
	n := nameLength(name)
	return ok && blank > 0 && n > 0 && strings.HasPrefix(name[n:], `"`)
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

// nameLength is the length of the bare name at the beginning of s, in bytes.
func nameLength(s string) int {
	return len(s) - len(strings.TrimLeftFunc(s, inName))
}

// inName reports whether r may stand in a name without quotes.
func inName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_$-.", r)
}
