package jsonrepair

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ends reports whether a quote ends its string, by what follows it: rest. In valid JSON that is
// always so; a quote that is followed by more text is one that the model forgot to escape.
func (p *parser) ends(rest string, where place) bool {
	blank := blankLength(rest)
	next := rest[blank:]
	if next == "" {
		return true
	}
	if where == atTop {
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
		_, size := quoteAt(strings.TrimLeft(next[1:], " \t\r\n"))
		return size > 0
	case ':':
		return where == inList
	}
	if commentLength(next) > 0 || strings.HasPrefix(next, "```") {
		return true
	}
	return p.commaMissing(next, where, blank, strings.Contains(rest[:blank], "\n"))
}

// mostClass is how far back an open bracket of a pattern is looked for, in bytes.
const mostClass = 256

// inClass reports whether a quote in front of a ], with s behind that, belongs to a pattern such as
// ['"]: the string has opened that bracket, and no list is open that it could close, or what follows
// cannot follow a list.
func (p *parser) inClass(s string) bool {
	text := p.src[max(p.from, p.pos-mostClass):p.pos]
	if strings.Count(text, "[") <= strings.Count(text, "]") {
		return false
	}
	return p.lists == 0 || s != "" && strings.IndexByte(",]}:) \t\r\n/#", s[0]) < 0
}

// bracketInside reports whether a quote in front of a closing bracket, at s, belongs to a text that has
// opened the bracket: {"a": "{\"b\": "c"}"}. Behind the brackets stands a quote that ends a string, which
// none can do that stands between tokens.
func (p *parser) bracketInside(s string) bool {
	behind := strings.TrimLeft(s, "}] \t\r\n")
	return strings.HasPrefix(behind, `"`) && endsToken(behind[1:]) && !startsColon(behind[1:]) && opensBracket(p.src[max(p.from, p.pos-mostAhead):p.pos])
}

// follows reports whether s, behind a comma, can be the next member or element.
func follows(s string, where place) bool {
	s = s[blankLength(s):]
	if s == "" || commentLength(s) > 0 || strings.IndexByte("},]", s[0]) >= 0 {
		return true
	}
	if quote, size := quoteAt(s); size > 0 {
		return where != inObject || mayBeKey(s[size:], quote)
	}
	if where == inObject {
		return startsWithName(s) || strings.HasPrefix(s, `["`)
	}
	if s[0] == '{' || s[0] == '[' {
		return true
	}
	n := wordLength(s)
	if where == inTuple && (s[0] == '(' || s[0] == ')') {
		return true
	}
	_, literal := bareLiteral(s[:n])
	return literal && !bracketOfCode(s[n:], where) || n == len(s) // a literal that the text ends inside of
}

// mayBeKey reports whether the string that s is the inside of can be a name, by what stands directly
// behind it. Sure is only what can not: the bracket of print("a", "b").
func mayBeKey(s string, quote rune) bool {
	end := closingQuote(s, quote)
	return end < 0 || end == len(s) || strings.IndexByte(");.<>|&", s[end]) < 0
}

// commaMissing reports whether next is the next member or element although no comma stands before
// it, and not the rest of the string.
func (p *parser) commaMissing(next string, where place, blank int, newLine bool) bool {
	quote, size := quoteAt(next)
	switch {
	case where == inObject && size > 0:
		end := closingQuote(next[size:], quote)
		return end >= 0 && strings.HasPrefix(strings.TrimLeft(next[size+end:], " \t\r\n"), ":")
	case where == inObject:
		return newLine && startsWithName(next)
	case size > 0:
		return blank > 0 && !endsElement(next[size:])
	}
	if blank == 0 {
		return false
	}
	if next[0] == '{' || next[0] == '[' {
		_, inside := quoteAt(next[1:][blankLength(next[1:]):])
		return newLine || inside > 0
	}
	word := wordLength(next)
	_, literal := bareLiteral(next[:word])
	after := next[word:][blankLength(next[word:]):]
	return literal && (newLine || after != "" && strings.IndexByte(",]", after[0]) >= 0)
}

// endsElement reports whether s, behind a quote, is a comma: the quote ends an element rather than
// beginning one, as in ["a", "say "b" ", "c"].
func endsElement(s string) bool { return strings.HasPrefix(s, ",") }

// startsWithName reports whether s begins with a name without quotes, or with the last one only.
func startsWithName(s string) bool {
	n := nameLength(s)
	if n == 0 {
		return false
	}
	_, size := quoteAt(s[n:])
	s = s[n+size:]
	return strings.HasPrefix(s[blankLength(s):], ":")
}

// closingQuote is where the first quote that can end a string of s ends itself, -1 without one.
func closingQuote(s string, quote rune) int {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r == '\\' {
			i++
		}
		if closes(quote, r) {
			return i
		}
	}
	return -1
}

// remarkBehind ends a string at its quote, at rest, where only a remark stands between the quote and
// what ends the member: "x" the name, "b": 1. The remark is left out.
func (p *parser) remarkBehind(rest string, where place) bool {
	if where == atTop || rest[0] != '"' {
		return false
	}
	n := remarkLength(rest[1:])
	if n == 0 || !endsMember(rest[1+n:], where) || where == inList && rest[1+blankLength(rest[1:])] != '(' {
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

// endsMember reports whether s is a comma and the next member or element, or brackets that close.
func endsMember(s string, where place) bool {
	behind := strings.TrimLeft(s, "}] \t\r\n")
	if next, comma := strings.CutPrefix(behind, ","); comma && len(behind) == len(s) {
		quote, size := quoteAt(next[blankLength(next):])
		return size > 0 && (where == inList || startsWithKey(next[blankLength(next):], quote, size))
	}
	return len(behind) < len(s) && strings.IndexByte("}]", s[0]) >= 0 && (behind == "" || behind[0] == ',')
}

// joined reads the + between two strings and the second one's quote.
func (p *parser) joined(where place) (quote rune, ok bool) {
	if where == atKey || where == atTop {
		return 0, false
	}
	rest := strings.TrimLeft(p.src[p.pos:], " \t\r\n")
	if !strings.HasPrefix(rest, "+") {
		return 0, false
	}
	rest = strings.TrimLeft(rest[1:], " \t\r\n")
	quote, size := quoteAt(rest)
	if size == 0 {
		return 0, false
	}
	p.faults |= faultJoined
	p.pos = len(p.src) - len(rest) + size
	return quote, true
}
