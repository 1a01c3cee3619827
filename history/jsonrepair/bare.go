package jsonrepair

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// bare reads a value without quotes: a literal, a number, or text that lost its quotes.
func (p *parser) bare(where position) (kept bool) {
	if kept, ok := p.code(where); ok {
		return kept
	}
	rest := p.rest()
	n, literal, ok := wordAt(rest)
	if n == len(rest) {
		return p.unfinished(rest)
	}
	if ok && !textFollows(rest[n:], where) {
		if literal != rest[:n] {
			p.faults |= faultLiteral
		}
		p.emit(literal)
		p.pos += n
		return true
	}
	n = bareLength(rest, where)
	if n < 0 {
		return p.unfinished(rest)
	}
	text := strings.TrimSpace(rest[:n])
	if openNumber(text) {
		p.faults |= faultValue
		p.pos += n
		return false
	}
	end, ok := bareEnd(rest[n:])
	if ok && end > 0 {
		return p.lostFirstQuote(where)
	}
	if !ok || !plainText(text) {
		return p.fail()
	}
	p.emitBare(text)
	p.pos += n
	return true
}

// emitBare writes a text without quotes as a string.
func (p *parser) emitBare(text string) {
	p.faults |= faultBare
	p.emit(`"` + strings.ReplaceAll(text, `\`, `\\`) + `"`)
}

// lostFirstQuote reads a string whose first quote got lost.
func (p *parser) lostFirstQuote(where position) (kept bool) {
	p.faults |= faultBare
	p.doubled, p.windows, p.from = false, windowsPath(p.rest()), p.pos
	p.emit(`"`)
	p.open = !p.textBody('"', where) || p.open
	return !p.broken
}

// textFollows reports whether s, behind a literal or a number, goes on as the text that the literal began: 1/2,
// 5 apples, 50 %.
func textFollows(s string, where position) bool {
	switch {
	case bracketOfCode(s, where), startsWithAny(s, `:"[`), s[0] == '/' && commentLength(s) == 0:
		return true
	case where == inObject && moreDigits(s):
		return true
	}
	return wordsFollow(s, where)
}

// moreDigits reports whether s, behind a number in an object, is the next group of its digits: 1,234. It
// is not where a name without quotes begins there.
func moreDigits(s string) bool {
	return len(s) > 1 && s[0] == ',' && isDigit(s[1]) && !startsWithName(s[1:])
}

// wordsFollow reports whether s is blanks and words. They are none of the same text where a name or another literal
// follows, whose comma got lost.
func wordsFollow(s string, where position) bool {
	next := strings.TrimLeft(s, " \t")
	if len(next) == len(s) || next == "" || startsWithQuote(next) || commentLength(next) > 0 || startsWithAny(next, "\r\n,:=+(){}[]") {
		return false
	}
	if _, _, literal := wordAt(next); literal || startsWithName(next) {
		return false
	}
	n := bareLength(next, where)
	return n >= 0 && (next[n] != '"' || !startsWithKey(next[n:]))
}

// bareLength is how far a text without quotes goes at most, -1 where it goes to the end. In an object
// it goes over a comma that no name follows: Paris, France. Brackets that stand in the text and are
// closed there belong to it.
func bareLength(s string, where position) int {
	for n := 0; ; n++ {
		next := strings.IndexAny(s[n:], "\n,{}[]\"")
		if next < 0 {
			return -1
		}
		n += next
		if n > 0 && s[n] == '"' && s[n-1] == '\\' {
			continue // an escaped quote in a text that lost its first one
		}
		if inside := bracketsLength(s[n:]); n > 0 && inside > 0 && (where == inObject || !isSpace(rune(s[n-1]))) {
			n += inside - 1
			continue
		}
		if s[n] != ',' || where != inObject || !goesOn(s[n+1:]) {
			return n
		}
	}
}

// bracketsLength is the length of the brackets that s begins with and of the words between them, to
// the end of the text where they are not closed. It is 0 where there are no words between them, or quotes or lines.
func bracketsLength(s string) int {
	depth := 0
	for i, c := range []byte(s) {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return wordyLength(s[:i+1])
			}
		case '"', '\n':
			return 0
		default:
			if depth == 0 {
				return 0
			}
		}
	}
	return wordyLength(s)
}

// wordyLength is the length of s, 0 where it is all blanks and brackets.
func wordyLength(s string) int {
	if strings.Trim(s, "{}[] \t\r") == "" {
		return 0
	}
	return len(s)
}

// goesOn reports whether s, behind a comma, is more words of a text and no name, also none that broke
// off.
func goesOn(s string) bool {
	s = skipBlanks(s)
	n := nameLength(s)
	return n > 0 && !startsWithName(s) && skipBlanks(s[n:]) != ""
}

// bareEnd is the length of the quote that ends a text before s, where only the text's first quote got lost; ok
// is false where the text cannot end there. A name may follow it without a comma.
func bareEnd(s string) (n int, ok bool) {
	switch {
	case startsWithAny(s, "\n,}]"):
		return 0, true
	case s[0] != '"':
		return 0, false
	case startsWithKey(s):
		return 0, true
	}
	return 1, startsWithAny(skipBlanks(s[1:]), ",}]")
}

// unfinished reads a word or a text at the end of the arguments. A number may have had more digits
// and a literal more letters, and are dropped; JSON's whole literals cannot go on. A text is kept as
// far as it came, as one in quotes is.
func (p *parser) unfinished(word string) (kept bool) {
	p.open, p.pos = true, len(p.src)
	if word == "true" || word == "false" || word == "null" {
		p.emit(word)
		return true
	}
	text := strings.TrimSpace(word)
	if r, _ := utf8.DecodeRuneInString(text); !unicode.IsLetter(r) || beginsLiteral(text) || !plainText(text) {
		return false
	}
	p.emitBare(text)
	return true
}

// beginsLiteral reports whether a text may be the beginning of a literal.
func beginsLiteral(text string) bool {
	literals := []string{"true", "false", "null", "none", "nil", "undefined", "nan", "infinity"}
	return slices.ContainsFunc(literals, func(literal string) bool { return strings.HasPrefix(literal, strings.ToLower(text)) })
}

// plainText reports whether a text without quotes can be taken as a string. A colon makes that
// doubtful, but in an address and in a time of day.
func plainText(s string) bool {
	if s == "" || strings.Contains(s, `"`) || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return false
	}
	for i, c := range []byte(s) {
		if c != ':' || strings.HasPrefix(s[i:], "://") {
			continue
		}
		if i == 0 || i+1 == len(s) || !isDigit(s[i-1]) || !isDigit(s[i+1]) {
			return false
		}
	}
	return true
}
