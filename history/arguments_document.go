package history

import (
	"strings"
	"unicode/utf8"
)

// document copies an object or a list of JSON that stands in a string with its own quotes not escaped,
// where rest is the first of them: {"content": "{"name": 1}"}. It goes to the bracket that closes the
// document, or to the end of the text where that is missing.
func (p *argParser) document(rest string, where place) (copied bool) {
	if where == atTop || where == atKey || rest[0] != '"' || !p.startsDocument(rest) {
		return false
	}
	p.faults |= faultInner
	p.copyTo(p.pos + documentLength(rest))
	return true
}

// copyTo copies what stands before end as the inside of a string, its quotes as text. No escape may
// reach over end.
func (p *argParser) copyTo(end int) {
	for p.pos < end {
		rest := p.src[p.pos:]
		if rest[0] == '\\' {
			p.escape(rest)
			continue
		}
		if p.easy(rest[:end-p.pos]) {
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		p.character(rest, r, size)
	}
}

// startsDocument reports whether the quote at rest is the first one behind an opening bracket, and one
// that belongs to a name or, in a list, to more than a bracket.
func (p *argParser) startsDocument(rest string) bool {
	before := trimBlanks(p.src[p.from:p.pos])
	switch {
	case strings.HasSuffix(before, "{"):
		return startsWithKey(rest, '"', 1)
	case strings.HasSuffix(before, "["):
		return closingQuote(rest[1:], '"') > 1
	}
	return false
}

// documentLength is how far it is to the end of the bracket that stands open before s, the length of s
// where it is never closed. Brackets in quotes do not count.
func documentLength(s string) int {
	depth, quoted := 1, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}
