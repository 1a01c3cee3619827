package jsonrepair

import (
	"strings"
	"unicode/utf8"
)

// document copies an object or a list of JSON that stands in a string with its own quotes not escaped,
// where rest is the first of them: {"content": "{"name": 1}"}. It goes to the bracket that closes the
// document, or to the end of the text where that is missing.
func (p *parser) document(rest string, where position) (copied bool) {
	if where == atTop || where == atKey || rest[0] != '"' {
		return false
	}
	begin, ok := p.startsDocument(rest)
	if !ok {
		return false
	}
	p.faults |= faultInner
	end := closingBracket(rest[begin:])
	if end < 0 {
		p.copyTo(len(p.src))
	} else {
		p.copyTo(p.pos + begin + end + 1)
	}
	return true
}

// copyTo copies what stands before end as the inside of a string, its quotes as text. No escape may
// reach over end.
func (p *parser) copyTo(end int) {
	for p.pos < end {
		rest := p.rest()
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
// that belongs to a name or, in a list, to more than a bracket. begin is where rest is between tokens of
// the document: at the quote, or behind it where it ends a name that lost its first quote.
func (p *parser) startsDocument(rest string) (begin int, ok bool) {
	before := trimBlanks(p.src[p.from:p.pos])
	switch {
	case strings.HasSuffix(before, "{"):
		return 0, startsWithKey(rest)
	case strings.HasSuffix(before, "["):
		return 0, closingQuote(rest[1:], '"') > 1
	}
	return 1, startsColon(rest[1:]) && strings.HasSuffix(trimBlanks(strings.TrimRightFunc(before, inName)), "{")
}
