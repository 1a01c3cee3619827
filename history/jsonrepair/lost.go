package jsonrepair

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// doubledQuote reports whether s begins with a quote that was doubled, as tables do it: ""name"". An
// empty string has no letter behind it, and the words in quotes that a text begins with have more of the
// text behind them: ""yes" was said".
func doubledQuote(s string, where position) bool {
	if len(s) <= 2 || s[0] != '"' && s[0] != '\'' || s[1] != s[0] || nameLength(s[2:]) == 0 {
		return false
	}
	end := closingQuote(s[2:min(len(s), maxAhead)], rune(s[0]))
	return where == atKey || end < 0 || strings.HasPrefix(s[2+end:], s[:1]) || continuesJSON(s[2+end:])
}

// windowsPath reports whether s, the inside of a string, is a path of Windows that was written with
// single backslashes. One of them makes no escape of JSON, so the others are none either.
func windowsPath(s string) bool {
	if len(s) < 4 || !isLetter(s[0]) || s[1] != ':' || s[2] != '\\' || s[3] == '\\' {
		return false
	}
	for i := 2; i+1 < min(len(s), maxAhead) && s[i] != '"' && s[i] != '\n'; i++ {
		if s[i] != '\\' {
			continue
		}
		if i++; strings.IndexByte(`"\/bfnrtu`, s[i]) < 0 {
			return true
		}
	}
	return false
}

// lostBefore ends a string before a comma at its end, where the quote behind that comma, at rest, begins
// the next name or element: "x, "name": it is the quote before the comma that got lost. Brackets
// before the comma are the string's own, but for those that close what stands around it.
func (p *parser) lostBefore(rest string, where position) bool {
	content := trimBlanks(p.src[p.from:p.pos])
	before, comma := strings.CutSuffix(content, ",")
	if !comma {
		return false
	}
	if !startsWithKey(rest) {
		return where == inList && startsWithElement(rest) && p.endEarlier(p.from+len(before))
	}
	end, depth := p.withoutClosers(before)
	return p.stack[depth] == '{' && p.endEarlier(p.from+end)
}

// startsWithElement reports whether the string that s begins with is an element, by what follows it.
func startsWithElement(s string) bool {
	n := stringLength(s)
	if n < 0 {
		return false
	}
	next, comma := strings.CutPrefix(skipBlanks(s[n:]), ",")
	return comma && follows(next, inList) || strings.HasPrefix(next, "]")
}

// withoutClosers takes the brackets off the end of a text that close what stands open around it and
// nothing inside it. depth is the index in the stack of what is still open then.
func (p *parser) withoutClosers(text string) (end, depth int) {
	depth = len(p.stack) - 1
	braces := strings.Count(text, "}") - strings.Count(text, "{")
	brackets := strings.Count(text, "]") - strings.Count(text, "[")
	spare := braces + brackets
	if braces < 0 || brackets < 0 || spare == 0 || spare > depth {
		return len(text), depth
	}
	at, ok := closersAt(text, p.stack[len(p.stack)-spare:])
	if !ok {
		return len(text), depth
	}
	return at, depth - spare
}

// closersAt is where the brackets at the end of a text begin that close each of the stack.
func closersAt(text string, stack []byte) (at int, ok bool) {
	at = len(text)
	for _, opening := range stack {
		// The outermost bracket is the last one.
		if at = len(trimBlanks(text[:at])) - 1; at < 0 || text[at] != closingOf(opening) {
			return 0, false
		}
	}
	return at, true
}

// endEarlier ends the string at an earlier place, behind which nothing but blanks, brackets and a comma
// was copied.
func (p *parser) endEarlier(at int) bool {
	p.faults |= faultQuote
	p.out = p.out[:len(p.out)-copiedLength(p.src[at:p.pos])]
	p.pos = at
	return true
}

// lostAhead ends a string at its quote, at rest, where the element behind it lost its first quote, and
// maybe the comma before it: "x", y" or "x" y". Without the comma, the element may have lost both quotes.
func (p *parser) lostAhead(rest string, where position) bool {
	_, size := quoteAt(rest)
	s := rest[size:]
	next, comma := strings.CutPrefix(skipBlanks(s), ",")
	if where != inList || !comma && !p.closesWord(s) {
		return false
	}
	n := bareLength(next, where)
	if n <= 0 || next[n] != '"' && (comma || !plainText(strings.TrimSpace(next[:n]))) {
		return false
	}
	if end, ok := bareEnd(next[n:]); next[n] == '"' && (!ok || end == 0) {
		return false
	}
	if next[n] == ',' && !follows(next[n+1:], where) {
		return false
	}
	p.pos += size
	return true
}

// closesWord reports whether the quote before s ends a word of a string, and another word follows. Behind a
// digit it is a measure in inches, and behind an escaped quote it may be that one's other half.
func (p *parser) closesWord(s string) bool {
	text := p.src[max(p.from, p.pos-maxAhead):p.pos]
	last, _ := utf8.DecodeLastRuneInString(text)
	next := skipBlanks(s)
	first, _ := utf8.DecodeRuneInString(next)
	return unicode.IsLetter(last) && next != s && unicode.IsLetter(first) && strings.Count(text, `\"`)%2 == 0
}

// lostAtEnd ends a string that ran to the end of the text where its quote got lost: the text ends with
// the brackets that close all that is open, and they close nothing inside the string, as they do in
// code that broke off.
func (p *parser) lostAtEnd(where position) (whole bool) {
	if where == atKey || where == atTop || p.broken || p.plain {
		return false
	}
	end := len(trimBlanks(p.src))
	if fence, ok := strings.CutSuffix(p.src[:end], "```"); ok {
		end = len(trimBlanks(fence))
	}
	at, _ := closersAt(p.src[:end], p.stack)
	if at = len(trimBlanks(p.src[:at])); at < p.from || opensBracket(p.src[p.from:at]) {
		return false
	}
	p.out = p.out[:len(p.out)-copiedLength(p.src[at:])]
	p.src, p.pos = p.src[:end], at
	p.faults |= faultQuote
	return true
}

// copiedLength is how many bytes blanks and brackets take in a string of JSON, where line breaks and tabs are escaped.
func copiedLength(s string) int {
	return len(s) + strings.Count(s, "\n") + strings.Count(s, "\r") + strings.Count(s, "\t")
}
