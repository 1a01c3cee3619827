package jsonrepair

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string. One that the text ends inside of is kept, closed after the last whole
// character and escape; a name is not.
func (p *parser) text(where position) (kept bool) {
	if where != atKey && where != atTop && p.tripled() {
		return true
	}
	rest := p.rest()
	quote, size := quoteAt(rest)
	p.doubled = doubledQuote(rest, where)
	p.windows = where != atKey && windowsPath(rest[size:])
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
func (p *parser) textBody(quote rune, where position) (whole bool) {
	inner := false
	defer func() { p.emit(`"`) }()
	for !p.done() {
		rest := p.rest()
		if p.easy(rest) {
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		if p.doubled && closes(quote, r) && strings.HasPrefix(rest[size:], rest[:size]) && (where == atKey || p.endsBefore(rest[2*size:], where)) {
			p.pos += 2 * size
			return true
		}
		if closes(quote, r) && p.endsString(rest[size:], quote, where) {
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
			if where != atTop && (p.remarkAfter(rest, where) || p.lostBefore(rest, where) || p.lostAhead(rest, where)) {
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

// endsString reports whether a quote, with rest behind it, ends the string that quote began.
func (p *parser) endsString(rest string, quote rune, where position) bool {
	switch {
	case where == atKey:
		return !nameSoFar(p.src[p.from:p.pos]) || !insideName(rest, quote)
	case p.plain && where != atTop:
		return true
	}
	return p.endsBefore(rest, where)
}

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
	case r == utf8.RuneError && size == 1:
		p.replace(size, "\ufffd", faultEncoding)
	case r == '"':
		p.replace(size, `\"`, faultInner)
	case r < ' ':
		p.replace(size, controlEscape(r), faultControl)
	default:
		p.replace(size, rest[:size], 0)
	}
}

// shortEscapes are the escapes of control characters that have a letter.
var shortEscapes = map[rune]string{'\n': `\n`, '\r': `\r`, '\t': `\t`}

func controlEscape(r rune) string {
	if short := shortEscapes[r]; short != "" {
		return short
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
		p.replace(2, `\\\"`, faultEscape)
	case p.raw, p.windows && strings.IndexByte(`/bfnrtu`, c) >= 0:
		p.replace(1, `\\`, faultEscape)
	case strings.IndexByte(`"\/bfnrt`, c) >= 0:
		p.replace(2, rest[:2], 0)
	case c == '\'':
		p.replace(2, "'", faultEscape)
	case c == 'u':
		p.unicodeEscape(rest)
	default:
		p.replace(1, `\\`, faultEscape)
	}
}

func (p *parser) unicodeEscape(rest string) {
	switch size, kind := unicodeEscape(rest); kind {
	case wholeEscape:
		p.replace(size, rest[:size], 0)
	case cutEscape:
		p.pos += len(rest)
	case halfEscape:
		p.replace(size, `\ufffd`, faultEncoding)
	case noEscape:
		p.replace(1, `\\`, faultEscape)
	}
}

// replace writes a text in the place of the next bytes.
func (p *parser) replace(size int, text string, f Faults) {
	p.faults |= f
	p.emit(text)
	p.pos += size
}

// escapeKind is what stands behind a \u.
type escapeKind int

const (
	wholeEscape escapeKind = iota // a character, in one escape or a pair
	halfEscape                    // half of a pair
	cutEscape                     // the text ends inside of it
	noEscape                      // no four hexadecimal digits
)

const escapeSize = len(`\u0000`)

// unicodeEscape reads the \u escape that s begins with, and the second one of a pair.
func unicodeEscape(s string) (size int, kind escapeKind) {
	first, kind := hexEscape(s)
	if kind != wholeEscape || !utf16.IsSurrogate(first) {
		return escapeSize, kind
	}
	second, next := hexEscape(s[escapeSize:])
	switch {
	case first < 0xdc00 && next == cutEscape:
		return 0, cutEscape
	case next == wholeEscape && utf16.DecodeRune(first, second) != utf8.RuneError:
		return 2 * escapeSize, wholeEscape
	}
	return escapeSize, halfEscape
}

// hexEscape reads one \uXXXX.
func hexEscape(s string) (value rune, kind escapeKind) {
	s = s[:min(len(s), escapeSize)]
	lead, digits := s[:min(len(s), 2)], s[min(len(s), 2):]
	n, err := strconv.ParseUint("0"+digits, 16, 32)
	switch {
	case err != nil || !strings.HasPrefix(`\u`, lead):
		return 0, noEscape
	case len(s) < escapeSize:
		return 0, cutEscape
	}
	return rune(n), wholeEscape
}
