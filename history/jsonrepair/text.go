package jsonrepair

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The quotes that models write. Any of a row opens a string; any of the same row, and JSON's own
// for the curly double ones, may close it.
const (
	doubleQuotes = "“”„‟"
	singleQuotes = "'‘’‚‛`´"
)

// quoteAt is the quote that s begins with and its length, 0 where there is none.
func quoteAt(s string) (quote rune, size int) {
	if s == "" {
		return 0, 0
	}
	if s[0] == '"' || s[0] == '\'' || s[0] == '`' {
		return rune(s[0]), 1
	}
	r, size := utf8.DecodeRuneInString(s)
	if s[0] < utf8.RuneSelf || !strings.ContainsRune(doubleQuotes+singleQuotes, r) {
		return 0, 0
	}
	return r, size
}

// closes reports whether r may end a string that quote began.
func closes(quote, r rune) bool {
	switch {
	case quote == '"' || quote == '\'':
		return r == quote
	case strings.ContainsRune(doubleQuotes, quote):
		return r == '"' || strings.ContainsRune(doubleQuotes, r)
	}
	return strings.ContainsRune(singleQuotes, r)
}

// text reads a string. One that the text ends inside of is kept, closed after the last whole
// character and escape; a name is not.
func (p *parser) text(where place) (kept bool) {
	if where != atKey && where != atTop && p.tripled() {
		return true
	}
	quote, size := quoteAt(p.src[p.pos:])
	p.doubled = doubledQuote(p.src[p.pos:], where)
	p.windows = where != atKey && windowsPath(p.src[p.pos+size:])
	p.pos += size
	if p.doubled {
		p.pos += size
	}
	p.from = p.pos
	p.emit(`"`)
	whole := p.textBody(quote, where)
	if !whole {
		p.open = true
	}
	if quote != '"' || p.doubled {
		p.faults |= faultQuote
	}
	return whole || where != atKey
}

// textBody copies the inside of a string and closes it. It reports whether the string had an end.
func (p *parser) textBody(quote rune, where place) (whole bool) {
	inner := false
	defer func() { p.emit(`"`) }()
	for !p.done() {
		rest := p.src[p.pos:]
		if p.easy(rest) {
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		if p.doubled && closes(quote, r) && strings.HasPrefix(rest[size:], rest[:size]) && (where == atKey || p.ends(rest[2*size:], where)) {
			p.pos += 2 * size
			return true
		}
		if closes(quote, r) && p.endsAt(rest[size:], quote, where) {
			p.pos += size
			if next, joined := p.joined(where); joined {
				quote = next
				continue
			}
			return true
		}
		if closes(quote, r) && p.document(rest, where) {
			continue
		}
		if closes(quote, r) && !inner && where != atKey {
			inner = true
			if where == inObject && startsColon(rest[size:]) {
				p.fail() // a name in the place of a value
				return false
			}
			if where != atTop && (p.remarkBehind(rest, where) || p.lostBefore(rest, where) || p.lostAhead(rest, where)) {
				return true
			}
		}
		p.character(rest, r, size)
	}
	if inner {
		p.faults |= faultInner
		p.ranOff = p.ranOff || where != atTop
	}
	return p.lostAtEnd(where)
}

// endsAt reports whether a quote, with rest behind it, ends the string that quote began.
func (p *parser) endsAt(rest string, quote rune, where place) bool {
	switch {
	case where == atKey:
		return !nameSoFar(p.src[p.from:p.pos]) || !insideName(rest, quote)
	case p.plain && where != atTop:
		return true
	}
	return p.ends(rest, where)
}

func startsColon(s string) bool { return strings.HasPrefix(s[blankLength(s):], ":") }

// easy copies what cannot end a string: text that means itself, or an escape.
func (p *parser) easy(rest string) (copied bool) {
	if rest[0] == '\\' {
		p.escape(rest)
		return true
	}
	n := easyLength(rest)
	p.emit(rest[:n])
	p.pos += n
	return n > 0
}

// easyLength is how many bytes of s are ASCII that means itself in a string, whatever began it.
func easyLength(s string) int {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\'' || c == '\\' || c == '`' {
			return i
		}
	}
	return len(s)
}

// character copies one character that stands for itself, corrected where JSON does not have it so.
func (p *parser) character(rest string, r rune, size int) {
	switch {
	case r == utf8.RuneError && size == 1 && !utf8.FullRuneInString(rest):
		p.pos = len(p.src) // the text ends inside the character
		return
	case r == utf8.RuneError && size == 1:
		p.faults |= faultEncoding
		p.emit("\ufffd")
	case r == '"':
		p.faults |= faultInner
		p.emit(`\"`)
	case r < ' ':
		p.faults |= faultControl
		p.emit(controlEscape(r))
	default:
		p.emit(rest[:size])
	}
	p.pos += size
}

func controlEscape(r rune) string {
	switch r {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// escape copies an escape. One that JSON does not have keeps its backslash as text, so that a path
// of Windows stays a path; an escaped single quote is that quote.
func (p *parser) escape(rest string) {
	if len(rest) == 1 {
		p.pos = len(p.src)
		return
	}
	switch c := rest[1]; {
	case p.raw && c == '"':
		p.faults |= faultEscape
		p.emit(`\\\"`)
		p.pos += 2
	case p.raw:
		p.badEscape()
	case p.windows && strings.IndexByte(`/bfnrtu`, c) >= 0:
		p.badEscape()
	case strings.IndexByte(`"\/bfnrt`, c) >= 0:
		p.emit(rest[:2])
		p.pos += 2
	case c == '\'':
		p.faults |= faultEscape
		p.emit("'")
		p.pos += 2
	case c == 'u':
		p.unicodeEscape(rest)
	default:
		p.badEscape()
	}
}

func (p *parser) badEscape() {
	p.faults |= faultEscape
	p.emit(`\\`)
	p.pos++
}

func (p *parser) unicodeEscape(rest string) {
	size, form := unicodeEscape(rest)
	switch form {
	case wholeEscape:
		p.emit(rest[:size])
	case cutEscape:
		size = len(rest)
	case halfEscape:
		p.faults |= faultEncoding
		p.emit(`\ufffd`)
	case noEscape:
		p.badEscape()
		return
	}
	p.pos += size
}

// escapeForm is what stands behind a \u.
type escapeForm int

const (
	wholeEscape escapeForm = iota // a character, in one escape or a pair
	halfEscape                    // half of a pair
	cutEscape                     // the text ends inside of it
	noEscape                      // no four hexadecimal digits
)

// unicodeEscape reads the \u escape that s begins with, and the second one of a pair.
func unicodeEscape(s string) (size int, form escapeForm) {
	first, form := hexEscape(s)
	if form != wholeEscape {
		return 0, form
	}
	const size1, size2 = 6, 12
	if first < 0xd800 || first > 0xdfff {
		return size1, wholeEscape
	}
	if first >= 0xdc00 {
		return size1, halfEscape
	}
	switch second, form := hexEscape(s[size1:]); {
	case form == cutEscape:
		return 0, cutEscape
	case form == wholeEscape && 0xdc00 <= second && second <= 0xdfff:
		return size2, wholeEscape
	}
	return size1, halfEscape
}

// hexEscape reads one \uXXXX.
func hexEscape(s string) (value uint64, form escapeForm) {
	const size = 6
	for i := 0; i < min(len(s), size); i++ {
		switch c := s[i]; {
		case i == 0 && c == '\\', i == 1 && c == 'u':
		case i > 1 && (isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'):
		default:
			return 0, noEscape
		}
	}
	if len(s) < size {
		return 0, cutEscape
	}
	value, err := strconv.ParseUint(s[2:size], 16, 32)
	if err != nil {
		return 0, noEscape
	}
	return value, wholeEscape
}
