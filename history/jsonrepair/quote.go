package jsonrepair

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// endsBefore reports whether a quote ends its string, by what follows it: rest. In valid JSON that is
// always so; a quote that is followed by more text is one that the model forgot to escape.
func (p *parser) endsBefore(rest string, where position) bool {
	next := skipBlanks(rest)
	if where == atTop || next == "" {
		return strings.TrimLeftFunc(next, isFiller) == ""
	}
	switch next[0] {
	case ']':
		return !p.inClass(next[1:]) && !p.bracketInside(next)
	case '}':
		return !p.bracketInside(next)
	case ')':
		return where == inTuple
	case ',':
		return follows(next[1:], where)
	case '+':
		return startsWithQuote(skipBlanks(next[1:]))
	case ':':
		return where == inList
	}
	if commentLength(next) > 0 || strings.HasPrefix(next, "```") {
		return true
	}
	return commaMissing(rest, next, where)
}

// maxClass is how far back an open bracket of a pattern is looked for, in bytes.
const maxClass = 256

// inClass reports whether a quote in front of a ], with s behind that, belongs to a pattern such as
// ['"]: the string has opened that bracket, and no list is open that it could close, or what follows
// cannot follow a list.
func (p *parser) inClass(s string) bool {
	text := p.src[max(p.from, p.pos-maxClass):p.pos]
	if strings.Count(text, "[") <= strings.Count(text, "]") {
		return false
	}
	return p.lists == 0 || s != "" && !startsWithAny(s, ",]}:) \t\r\n/#")
}

// bracketInside reports whether a quote in front of a closing bracket, at s, belongs to a text that has
// opened the bracket: {"a": "{\"b\": "c"}"}. Behind the brackets stands a quote that ends a string, which
// none can do that stands between tokens.
func (p *parser) bracketInside(s string) bool {
	after := strings.TrimLeft(s, "}] \t\r\n")
	return strings.HasPrefix(after, `"`) && continuesJSON(after[1:]) && !startsColon(after[1:]) && opensBracket(p.src[max(p.from, p.pos-maxAhead):p.pos])
}

// follows reports whether s, behind a comma, can be the next member or element.
func follows(s string, where position) bool {
	s = skipBlanks(s)
	switch {
	case s == "", commentLength(s) > 0, startsWithAny(s, "},]"):
		return true
	case startsWithQuote(s):
		return where != inObject || mayBeKey(s)
	case where == inObject:
		return startsWithName(s) || strings.HasPrefix(s, `["`)
	case startsWithAny(s, "{["), where == inTuple && startsWithAny(s, "()"):
		return true
	}
	n, _, literal := wordAt(s)
	return literal && !bracketOfCode(s[n:], where) || n == len(s) // a literal that the text ends inside of
}

// mayBeKey reports whether the string that s begins with can be a name, by what stands directly
// behind it. Sure is only what can not: the bracket of print("a", "b").
func mayBeKey(s string) bool {
	n := stringLength(s)
	return n < 0 || !startsWithAny(s[n:], ");.<>|&")
}

// commaMissing reports whether what stands at next, behind the blanks of rest, is the next member or element
// although no comma stands before it, and not the rest of the string.
func commaMissing(rest, next string, where position) bool {
	_, size := quoteAt(next)
	blanks := rest[:len(rest)-len(next)]
	newLine := strings.Contains(blanks, "\n")
	switch {
	case where == inObject:
		return startsWithKey(next) || size == 0 && newLine && startsWithName(next)
	case blanks == "":
		return false
	case size > 0:
		// In front of a comma the quote ends an element rather than beginning one: ["a", "say "b" ", "c"].
		return !strings.HasPrefix(next[size:], ",")
	case startsWithAny(next, "{["):
		return newLine || startsWithQuote(skipBlanks(next[1:]))
	}
	n, _, literal := wordAt(next)
	return literal && (newLine || startsWithAny(skipBlanks(next[n:]), ",]"))
}

// remarkAfter ends a string at its quote, at rest, where only a remark stands between the quote and
// what ends the member: "x" the name, "b": 1. The remark is left out.
func (p *parser) remarkAfter(rest string, where position) bool {
	if where == atTop || rest[0] != '"' {
		return false
	}
	n := remarkLength(rest[1:])
	if n == 0 || !closesMember(rest[1+n:], where) || where == inList && !strings.HasPrefix(skipBlanks(rest[1:]), "(") {
		return false // in a list, words are an element that lost its comma
	}
	p.faults |= faultComment
	p.pos += 1 + n
	return true
}

// remarkLength is how far blanks and words go that stand behind a string without being part of it, 0
// where there are none. An operator begins no remark, but an expression.
func remarkLength(s string) int {
	start := blankLength(s)
	r, _ := utf8.DecodeRuneInString(s[start:])
	n := strings.IndexAny(s, "\n,:{}[]\\\"'`")
	if start == 0 || n < start || r != '(' && !unicode.IsLetter(r) {
		return 0
	}
	return n
}

// closesMember reports whether s is a comma and the next member or element, or brackets that close.
func closesMember(s string, where position) bool {
	after := strings.TrimLeft(s, "}] \t\r\n")
	next, comma := strings.CutPrefix(after, ",")
	if next = skipBlanks(next); comma && len(after) == len(s) {
		return startsWithKey(next) || where == inList && startsWithQuote(next)
	}
	return startsWithAny(s, "}]") && (comma || after == "")
}

// joined reads the + between two strings and the second one's quote.
func (p *parser) joined(where position) (quote rune, ok bool) {
	if where == atKey || where == atTop {
		return 0, false
	}
	rest, plus := strings.CutPrefix(skipBlanks(p.rest()), "+")
	rest = skipBlanks(rest)
	quote, size := quoteAt(rest)
	if !plus || size == 0 {
		return 0, false
	}
	p.faults |= faultJoined
	p.pos = len(p.src) - len(rest) + size
	return quote, true
}
